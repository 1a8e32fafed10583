"""The plain text renderer."""

from ..blocks import Heading, Item, Paragraph, Table, parse
from ..outline import Numbering
from ..wrap import fill
from .columns import align

BULLETS = "*-+"


def _block(block, numbering, width):
    if isinstance(block, Heading):
        title = f"{numbering.next(block.depth)} {block.text}"
        if block.depth == 1:
            return [title, "=" * len(title)]
        return [title]
    if isinstance(block, Item):
        bullet = BULLETS[block.level % len(BULLETS)]
        return fill(block.text, width, first="  " * block.level + bullet + " ")
    if isinstance(block, Table):
        return align(block.rows)
    return fill(block.text, width)


def render(text, width=72):
    numbering = Numbering()
    out = []
    previous = None
    for block in parse(text):
        together = isinstance(block, Item) and isinstance(previous, Item)
        if out and not together:
            out.append("")
        out.extend(_block(block, numbering, width))
        previous = block
    return "\n".join(out) + "\n" if out else ""


def contents(text, depth=3):
    """(number, heading) pairs down to a depth."""
    numbering = Numbering()
    found = []
    for block in parse(text):
        if isinstance(block, Heading):
            number = numbering.next(block.depth)
            if block.depth <= depth:
                found.append((number, block.text))
    return found


__all__ = ["Paragraph", "contents", "render"]
