"""The book of marks."""

import re
from dataclasses import dataclass

from .angle import AngleError
from .position import Position

_GAP = re.compile(r"\s{2,}|\t")


class BookError(ValueError):
    pass


@dataclass(frozen=True)
class Mark:
    name: str
    position: Position
    kind: str = ""


class Book:
    def __init__(self, marks=()):
        self._marks = {}
        for mark in marks:
            self.add(mark)

    @classmethod
    def from_text(cls, text):
        book = cls()
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            cells = _GAP.split(line.strip())
            if len(cells) not in (3, 4):
                raise BookError(f"line {number}: expected 3 or 4 cells")
            try:
                position = Position.parse(cells[1], cells[2])
                book.add(Mark(cells[0], position, cells[3] if len(cells) == 4 else ""))
            except (AngleError, BookError) as error:
                raise BookError(f"line {number}: {error}") from error
        return book

    def add(self, mark):
        if mark.name in self._marks:
            raise BookError(f"{mark.name} is there already")
        self._marks[mark.name] = mark

    def __len__(self):
        return len(self._marks)

    def __iter__(self):
        return iter(self._marks.values())

    def __getitem__(self, name):
        return self._marks[name]

    def of_kind(self, kind):
        return [mark for mark in self if mark.kind == kind]

    def nearest(self, position, count=1):
        return sorted(self, key=lambda mark: (mark.position.distance(position), mark.name))[:count]

    def to_text(self, decimals=1):
        """The book in the form that `from_text` reads."""
        lines = []
        for mark in self:
            lat, lon = mark.position.text(decimals).split(" ")
            cells = [mark.name, lat, lon] + ([mark.kind] if mark.kind else [])
            lines.append("  ".join(cells) + "\n")
        return "".join(lines)
