"""Every change of stock is an entry; levels are sums of entries."""

from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    number: int
    site: str
    sku: str
    delta: int
    reason: str


class Ledger:
    def __init__(self):
        self._entries = []
        self._levels = defaultdict(int)

    def post(self, site, sku, delta, reason):
        entry = Entry(len(self._entries) + 1, site, sku, delta, reason)
        self._entries.append(entry)
        self._levels[site, sku] += delta
        return entry

    def move(self, sku, quantity, source, target, reason):
        """Posts both halves of a movement."""
        return (
            self.post(source, sku, -quantity, reason),
            self.post(target, sku, quantity, reason),
        )

    def on_hand(self, site, sku):
        return self._levels.get((site, sku), 0)

    def total(self, sku):
        return sum(level for (_, held), level in self._levels.items() if held == sku)

    def history(self, site=None, sku=None):
        return [
            entry
            for entry in self._entries
            if (site is None or entry.site == site) and (sku is None or entry.sku == sku)
        ]
