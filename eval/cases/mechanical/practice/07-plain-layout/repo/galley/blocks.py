"""Cuts light markup into blocks."""

import re
from dataclasses import dataclass, field

_HEADING = re.compile(r"(#{1,6})\s+(.*\S)")
_ITEM = re.compile(r"( *)[-*]\s+(.*\S)")


@dataclass
class Heading:
    depth: int
    text: str


@dataclass
class Item:
    level: int
    text: str


@dataclass
class Table:
    rows: list = field(default_factory=list)


@dataclass
class Paragraph:
    text: str


def _cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def parse(text):
    blocks = []
    open_paragraph = None
    for line in text.splitlines():
        stripped = line.strip()
        heading = _HEADING.fullmatch(stripped)
        item = _ITEM.fullmatch(line.rstrip())
        if not stripped:
            open_paragraph = None
        elif heading:
            blocks.append(Heading(len(heading[1]), heading[2]))
            open_paragraph = None
        elif item:
            blocks.append(Item(len(item[1]) // 2, item[2]))
            open_paragraph = None
        elif stripped.startswith("|"):
            if not blocks or not isinstance(blocks[-1], Table):
                blocks.append(Table())
            blocks[-1].rows.append(_cells(stripped))
            open_paragraph = None
        elif open_paragraph is not None:
            open_paragraph.text += " " + stripped
        else:
            open_paragraph = Paragraph(stripped)
            blocks.append(open_paragraph)
    return blocks
