"""The tree of pages."""

from .names import Name, is_page, split_path


class DuplicatePage(ValueError):
    pass


class Node:
    def __init__(self, name, parent=None):
        self.name = name
        self.parent = parent
        self.path = None
        self.heading = None
        self.children = {}

    @property
    def title(self):
        return self.heading or self.name.title

    @property
    def address(self):
        """Where the page is found, such as "guide/sharing/"; "" for the root."""
        if self.parent is None:
            return ""
        return f"{self.parent.address}{self.name.slug}/"

    @property
    def is_page(self):
        return self.path is not None

    def child(self, name):
        node = self.children.get(name.slug)
        if node is None:
            node = self.children[name.slug] = Node(name, self)
        elif node.name.order is None and name.order is not None:
            node.name = name
        return node

    def sorted_children(self):
        return sorted(self.children.values(), key=lambda node: node.name.sort_key())

    def walk(self):
        """All pages from here on, in reading order."""
        if self.is_page:
            yield self
        for child in self.sorted_children():
            yield from child.walk()

    def trail(self):
        """The nodes from the root to this one."""
        above = self.parent.trail() if self.parent else []
        return above + [self]


def build_tree(files, drafts=False):
    """Build the tree from a mapping of paths to texts."""
    root = Node(Name("home"))
    for path in sorted(files):
        if not is_page(path):
            continue
        folders, name = split_path(path)
        if not drafts and any(part.draft for part in [*folders, name]):
            continue
        node = root
        for folder in folders:
            node = node.child(folder)
        if name.slug != "index":
            node = node.child(name)
        if node.is_page:
            raise DuplicatePage(f"{path} and {node.path} are the same page")
        node.path = path
        node.heading = heading(files[path])
    return root


def heading(text):
    """The heading in the first line of a text that is not empty."""
    for line in text.splitlines():
        if line.strip():
            return line[2:].strip() or None if line.startswith("# ") else None
    return None
