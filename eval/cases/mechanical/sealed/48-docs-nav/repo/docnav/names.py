"""What the name of a file says about its page."""

import re
from dataclasses import dataclass

SUFFIX = ".md"
DRAFT = "draft-"
_ORDER = re.compile(r"(\d+)-(?=.)")


@dataclass(frozen=True)
class Name:
    """A file or folder name taken apart."""

    slug: str
    order: int = None
    draft: bool = False

    @property
    def title(self):
        words = self.slug.replace("-", " ").replace("_", " ").strip()
        return words[:1].upper() + words[1:]

    def sort_key(self):
        """Names with a number come first, then the others by slug."""
        if self.order is None:
            return (1, 0, self.slug)
        return (0, self.order, self.slug)


def is_page(path):
    return path.endswith(SUFFIX) and not path.split("/")[-1].startswith("_")


def parse_name(text):
    """Take apart the name of a folder or of a file without its suffix."""
    order = None
    found = _ORDER.match(text)
    if found:
        order = int(found[1])
        text = text[found.end():]
    draft = text.startswith(DRAFT)
    if draft:
        text = text.lstrip(DRAFT)
    return Name(text, order, draft)


def split_path(path):
    """The names of the folders above a page, and the one of the page."""
    *folders, last = path.split("/")
    stem = last.removesuffix(SUFFIX)
    return [parse_name(folder) for folder in folders], parse_name(stem)
