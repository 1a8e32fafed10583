"""Tables with aligned columns."""

import re

_NUMBER = re.compile(r"[+-]?\d[\d.,]*%?")


def _is_numeric(cells):
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_NUMBER.fullmatch(cell) for cell in filled)


def align(rows, gap=2):
    """Lines of a table whose first row is the head."""
    if not rows:
        return []
    count = max(len(row) for row in rows)
    rows = [row + [""] * (count - len(row)) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(count)]
    numeric = [_is_numeric([row[i] for row in rows[1:]]) for i in range(count)]

    def line(row):
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric)
        ]
        return (" " * gap).join(cells).rstrip()

    rule = (" " * gap).join("-" * width for width in widths)
    return [line(rows[0]), rule] + [line(row) for row in rows[1:]]
