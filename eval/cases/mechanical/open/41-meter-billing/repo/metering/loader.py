"""Reading the sheet that the field crew sends."""

from .model import EXCHANGE, Reading


class SheetError(ValueError):
    def __init__(self, number, message):
        super().__init__(f"line {number}: {message}")
        self.number = number


def parse_sheet(text):
    """Yield the readings of a sheet, in the order of its lines."""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        yield _parse_line(number, line)


def _parse_line(number, line):
    cells = [cell.strip() for cell in line.split(";")]
    if len(cells) not in (4, 5):
        raise SheetError(number, "expected 4 or 5 cells")
    meter, day, kind, value = cells[:4]
    start = cells[4] if len(cells) == 5 else ""
    if start and kind != EXCHANGE:
        raise SheetError(number, "only an exchange has a start value")
    try:
        return Reading(
            meter=meter,
            day=int(day),
            kind=kind,
            value=int(value),
            start=int(start or 0),
        )
    except ValueError as error:
        raise SheetError(number, str(error)) from error


def by_meter(readings):
    """Group readings by meter, each group sorted by day."""
    groups = {}
    for reading in readings:
        groups.setdefault(reading.meter, []).append(reading)
    return {
        meter: sorted(group, key=lambda reading: reading.day)
        for meter, group in sorted(groups.items())
    }
