from dataclasses import dataclass, field
from datetime import date
from typing import Optional

from .expand import between, upcoming
from .rules import Rule


@dataclass
class Event:
    title: str
    start: date
    rule: Optional[Rule] = None
    left_out: set = field(default_factory=set)

    def next_dates(self, limit):
        if self.rule is None:
            return [] if self.start in self.left_out else [self.start][:limit]
        return upcoming(self.rule, self.start, limit, self.left_out)

    def dates(self, first, last):
        if self.rule is None:
            single = first <= self.start <= last and self.start not in self.left_out
            return [self.start] if single else []
        return between(self.rule, self.start, first, last, self.left_out)


class Agenda:
    def __init__(self):
        self._events = []

    def add(self, title, start, rule=None):
        event = Event(title, start, Rule.parse(rule) if rule else None)
        self._events.append(event)
        return event

    def leave_out(self, title, day):
        """Cancels one date of all events of that title."""
        hits = [event for event in self._events if event.title == title]
        for event in hits:
            event.left_out.add(day)
        return len(hits)

    def entries(self, first, last):
        """(date, title) pairs in order."""
        found = [
            (day, event.title) for event in self._events for day in event.dates(first, last)
        ]
        return sorted(found)
