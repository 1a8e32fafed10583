from dataclasses import dataclass

UNITS = {"month": 1, "quarter": 3, "year": 12}


class PlanError(ValueError):
    pass


@dataclass(frozen=True)
class Plan:
    """What is charged (in cents) per period of so many months."""

    name: str
    cents: int
    months: int = 1
    trial_days: int = 0

    def __post_init__(self):
        if self.cents < 0:
            raise PlanError("a price cannot be negative")
        if self.months < 1:
            raise PlanError("a period has at least one month")
        if self.trial_days < 0:
            raise PlanError("a trial cannot be negative")

    @classmethod
    def parse(cls, text):
        """Read 'basic: 9.90 per month' or 'pro: 99.00 per 2 years, 14 days free'."""
        name, sep, rest = text.partition(":")
        words = rest.replace(",", " ").split()
        if not sep or len(words) < 3 or words[1] != "per":
            raise PlanError(f"cannot read plan {text!r}")
        whole, _, part = words[0].partition(".")
        cents = int(whole) * 100 + int(part.ljust(2, "0")[:2] or 0)
        at, count = 2, 1
        if words[2].isdigit():
            at, count = 3, int(words[2])
        unit = words[at].rstrip("s") if at < len(words) else ""
        if unit not in UNITS:
            raise PlanError(f"unknown unit in {text!r}")
        trial = 0
        tail = words[at + 1:]
        if tail:
            if len(tail) != 3 or tail[1].rstrip("s") != "day" or tail[2] != "free":
                raise PlanError(f"cannot read {' '.join(tail)!r}")
            trial = int(tail[0])
        return cls(name.strip(), cents, count * UNITS[unit], trial)
