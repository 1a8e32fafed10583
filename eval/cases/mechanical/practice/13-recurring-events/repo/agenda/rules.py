"""Rules by which events come back."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Optional

_RULE = re.compile(
    r"every\s+(?:(?P<count>\d+)\s+)?(?P<unit>day|week|month|year)s?(?:\s+until\s+(?P<until>\S+))?"
)


class RuleError(ValueError):
    pass


@dataclass(frozen=True)
class Rule:
    unit: str
    count: int = 1
    until: Optional[date] = None

    @classmethod
    def parse(cls, text):
        match = _RULE.fullmatch(text.strip().lower())
        if not match:
            raise RuleError(f"cannot read {text!r}")
        count = int(match["count"] or 1)
        if count < 1:
            raise RuleError("the count must be at least one")
        try:
            until = date.fromisoformat(match["until"]) if match["until"] else None
        except ValueError as error:
            raise RuleError(str(error)) from None
        return cls(match["unit"], count, until)

    def nth(self, start, index):
        """The date of the index-th repetition, or None if there is no such day."""
        steps = index * self.count
        if self.unit == "day":
            return start + timedelta(days=steps)
        if self.unit == "week":
            return start + timedelta(weeks=steps)
        months = start.month - 1 + (steps if self.unit == "month" else 12 * steps)
        try:
            return date(start.year + months // 12, months % 12 + 1, start.day)
        except ValueError:
            return None
