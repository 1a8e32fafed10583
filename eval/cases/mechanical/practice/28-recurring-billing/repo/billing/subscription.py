"""A customer has a plan from some day on."""
from dataclasses import dataclass
from datetime import date, timedelta

from .dates import add_months, days_between
from .plan import Plan


@dataclass
class Subscription:
    customer: str
    plan: Plan
    start: date
    cancelled: date = None

    @property
    def first_charge(self):
        return self.start + timedelta(days=self.plan.trial_days)

    def cancel(self, day):
        if day < self.start:
            raise ValueError("cannot end before the start")
        self.cancelled = day

    def charges(self, until):
        """All days up to `until` on which a period begins and is charged."""
        days = []
        current = self.first_charge
        while current <= until:
            if self.cancelled is not None and current >= self.cancelled:
                break
            days.append(current)
            current = add_months(current, self.plan.months)
        return days

    def period(self, day):
        """(begin, end) of the paid period which contains the day, or None."""
        begun = self.charges(day)
        if not begun:
            return None
        if self.cancelled is not None and day >= self.cancelled:
            return None
        end = add_months(self.first_charge, len(begun) * self.plan.months)
        return begun[-1], end

    def refund(self, day):
        """Cents to give back for the unused days if it ended on `day`."""
        found = self.period(day)
        if found is None:
            return 0
        begin, end = found
        total = days_between(begin, end)
        unused = days_between(day, end)
        return self.plan.cents * unused // total
