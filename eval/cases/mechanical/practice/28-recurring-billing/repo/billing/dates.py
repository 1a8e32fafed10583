"""A little arithmetic with months."""
from calendar import monthrange
from datetime import date


def days_in_month(year, month):
    return monthrange(year, month)[1]


def add_months(day, count):
    """The same day of another month; a short month gives its last day."""
    index = day.year * 12 + day.month - 1 + count
    year, month = divmod(index, 12)
    month += 1
    return date(year, month, min(day.day, days_in_month(year, month)))


def parse_day(text):
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"not a day: {text!r}") from None


def days_between(start, end):
    return (end - start).days
