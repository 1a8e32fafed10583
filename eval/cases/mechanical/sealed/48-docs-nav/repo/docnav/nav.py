"""The navigation as text and as neighbours."""

from .tree import build_tree


def outline(root, depth=None):
    """Lines such as "  - Sharing (guide/sharing/)" for the side bar."""
    lines = []

    def visit(node, level):
        if depth is not None and level >= depth:
            return
        for child in node.sorted_children():
            place = f" ({child.address})" if child.is_page else ""
            lines.append(f"{'  ' * level}- {child.title}{place}")
            visit(child, level + 1)

    visit(root, 0)
    return lines


def neighbours(root, address):
    """The pages before and after a page, or None where there is none."""
    pages = list(root.walk())
    for at, page in enumerate(pages):
        if page.address == address:
            before = pages[at - 1] if at > 0 else None
            after = pages[at + 1] if at + 1 < len(pages) else None
            return before, after
    raise KeyError(address)


def breadcrumb(node):
    return " / ".join(each.title for each in node.trail())


def redirects(old_files, new_files):
    """Addresses that have changed for pages with the same heading."""
    new = {page.heading: page.address for page in build_tree(new_files).walk() if page.heading}
    result = {}
    for page in build_tree(old_files).walk():
        target = new.get(page.heading)
        if target is not None and target != page.address:
            result[page.address] = target
    return result


def addresses(files, drafts=False):
    return [page.address for page in build_tree(files, drafts).walk()]
