"""Links between pages, as written in their texts: [text](../020-sharing.md)."""

import posixpath
import re

from .tree import build_tree

_LINK = re.compile(r"\[([^\]]*)\]\(([^()\s]+)\)")


class Linker:
    def __init__(self, root):
        self.by_path = {node.path: node for node in root.walk()}

    def target(self, page, link):
        """The address that a link of a page leads to, or None."""
        file, _, anchor = link.partition("#")
        if not file:
            return link
        folder = posixpath.dirname(page.path)
        node = self.by_path.get(posixpath.normpath(posixpath.join(folder, file)))
        if node is None:
            return None
        return node.address + (f"#{anchor}" if anchor else "")

    def rewrite(self, page, text):
        def replace(found):
            label, link = found.groups()
            if "://" in link:
                return found[0]
            target = self.target(page, link)
            return found[0] if target is None else f"[{label}](/{target})"

        return _LINK.sub(replace, text)


def broken_links(files, drafts=False):
    """Pairs of (path, link) for links that lead nowhere."""
    root = build_tree(files, drafts)
    linker = Linker(root)
    result = []
    for page in root.walk():
        for _, link in _LINK.findall(files[page.path]):
            if "://" not in link and linker.target(page, link) is None:
                result.append((page.path, link))
    return result
