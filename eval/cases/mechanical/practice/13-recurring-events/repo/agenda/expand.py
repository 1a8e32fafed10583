"""From rules to dates."""

from datetime import date

LAST = date(2199, 12, 31)


def upcoming(rule, start, limit, left_out=()):
    """The first dates of an event, at most limit of them."""
    dates = []
    index = 0
    while len(dates) < limit:
        day = rule.nth(start, index)
        if day is None or day in left_out:
            continue
        if day > (rule.until or LAST):
            break
        dates.append(day)
        index += 1
    return dates


def between(rule, start, first, last, left_out=()):
    """All dates of an event from first to last, both included."""
    dates = []
    index = 0
    day = start
    while day is None or day <= min(last, rule.until or LAST):
        if day is not None and day >= first and day not in left_out:
            dates.append(day)
        index += 1
        day = rule.nth(start, index)
    return dates
