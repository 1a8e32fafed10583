"""Rows from delimited text."""


class SourceError(ValueError):
    pass


class Row:
    """One line of a table: a number and the cells by column name."""

    __slots__ = ("number", "cells")

    def __init__(self, number, cells):
        self.number = number
        self.cells = cells

    def __getitem__(self, column):
        return self.cells.get(column, "")

    def __repr__(self):
        return f"Row({self.number}, {self.cells!r})"


def split_line(line, delimiter=","):
    """The cells of a line; a cell in double quotes may hold the delimiter."""
    cells, cell, quoted = [], [], False
    at = 0
    while at < len(line):
        char = line[at]
        if quoted and char == '"' and line[at + 1:at + 2] == '"':
            cell.append('"')
            at += 1
        elif char == '"':
            quoted = not quoted
        elif char == delimiter and not quoted:
            cells.append("".join(cell).strip())
            cell = []
        else:
            cell.append(char)
        at += 1
    if quoted:
        raise SourceError(f"open quote in {line!r}")
    cells.append("".join(cell).strip())
    return cells


class Table:
    def __init__(self, columns, rows):
        self.columns = columns
        self.rows = rows

    @classmethod
    def from_text(cls, text, delimiter=","):
        lines = enumerate(text.splitlines(), start=1)
        header = next((line for _, line in lines if line.strip()), None)
        if header is None:
            raise SourceError("no header")
        columns = split_line(header, delimiter)
        if len(set(columns)) != len(columns):
            raise SourceError("a column is named twice")
        return cls(columns, _rows(lines, columns, delimiter))


def _rows(lines, columns, delimiter):
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = split_line(line, delimiter)
        if len(cells) > len(columns):
            raise SourceError(f"line {number} has too many cells")
        yield Row(number, dict(zip(columns, cells)))
