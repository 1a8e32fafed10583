"""Invoices that follow from subscriptions."""
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Invoice:
    day: date
    customer: str
    text: str
    cents: int


class Ledger:
    def __init__(self):
        self._subscriptions = []
        self._invoices = []
        self._done = set()

    def add(self, subscription):
        self._subscriptions.append(subscription)

    def run(self, until):
        """Write what has become due and return the new invoices."""
        fresh = []
        for number, sub in enumerate(self._subscriptions):
            for day in sub.charges(until):
                if (number, day) in self._done:
                    continue
                self._done.add((number, day))
                fresh.append(Invoice(day, sub.customer, sub.plan.name, sub.plan.cents))
        fresh.sort(key=lambda i: (i.day, i.customer, i.text))
        self._invoices.extend(fresh)
        return fresh

    def total(self, customer=None):
        return sum(
            i.cents for i in self._invoices if customer is None or i.customer == customer
        )

    def by_month(self):
        """{'2024-05': cents} in order of the months."""
        sums = {}
        for invoice in sorted(self._invoices, key=lambda i: i.day):
            key = invoice.day.strftime("%Y-%m")
            sums[key] = sums.get(key, 0) + invoice.cents
        return sums
