"""Sheets to take along in the field."""

from .position import compass


def way(names, book):
    """Lines with direction and distance from mark to mark."""
    lines = []
    total = 0.0
    for here, there in zip(names, names[1:]):
        start, end = book[here].position, book[there].position
        metres = start.distance(end)
        total += metres
        point = compass(start.bearing(end))
        lines.append(f"{here} to {there}: {point}, {distance(metres)}")
    lines.append(f"total {distance(total)}")
    return lines


def distance(metres):
    if metres < 1000:
        return f"{metres:.0f} m"
    return f"{metres / 1000:.1f} km"


def sheet(book, decimals=0):
    """A table of all marks, by name."""
    rows = [
        (mark.name, mark.position.text(decimals), mark.kind)
        for mark in sorted(book, key=lambda mark: mark.name)
    ]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(2)]
    return [
        f"{name.ljust(widths[0])}  {position.ljust(widths[1])}  {kind}".rstrip()
        for name, position, kind in rows
    ]


def extent(book):
    """The corners of the smallest box around all marks, or None."""
    positions = [mark.position for mark in book]
    if not positions:
        return None
    lats = [position.lat for position in positions]
    lons = [position.lon for position in positions]
    return (min(lats), min(lons)), (max(lats), max(lons))
