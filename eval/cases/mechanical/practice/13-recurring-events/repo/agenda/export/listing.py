from calendar import monthrange
from datetime import date

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def month_list(agenda, year, month):
    """The month as lines of text, one per day on which something happens."""
    last = monthrange(year, month)[1]
    by_day = {}
    for day, title in agenda.entries(date(year, month, 1), date(year, month, last)):
        by_day.setdefault(day, []).append(title)
    return [
        f"{DAYS[day.weekday()]} {day.day:2}  {', '.join(titles)}" for day, titles in by_day.items()
    ]
