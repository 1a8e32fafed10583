"""Price steps per zone.

A step is written as "up to N grams costs C cents"; a parcel pays the price of
the first step that can carry it.
"""
import bisect

from .units import parse_weight


class TariffError(ValueError):
    pass


class Tariff:
    def __init__(self):
        self._limits = {}
        self._prices = {}

    def add_zone(self, zone, steps):
        """steps: (limit in grams, cents) in rising order of the limit."""
        if not steps:
            raise TariffError(f"zone {zone!r} has no steps")
        limits = [limit for limit, _ in steps]
        for before, after in zip(limits, limits[1:]):
            if after <= before:
                raise TariffError(f"limits of zone {zone!r} do not rise")
        self._limits[zone] = limits
        self._prices[zone] = [cents for _, cents in steps]

    def zones(self):
        return sorted(self._limits)

    def max_weight(self, zone):
        return self._steps(zone)[0][-1]

    def price(self, zone, grams):
        """Cents for a parcel, or None when it is too heavy for the zone."""
        if grams <= 0:
            raise ValueError("a parcel weighs something")
        limits, prices = self._steps(zone)
        index = bisect.bisect_right(limits, grams)
        if index >= len(limits):
            return None
        return prices[index]

    def _steps(self, zone):
        try:
            return self._limits[zone], self._prices[zone]
        except KeyError:
            raise TariffError(f"no such zone: {zone!r}") from None


def load_tariff(text):
    """Read lines such as 'home: 1kg=499, 5kg=799'; '#' starts a comment."""
    tariff = Tariff()
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        zone, sep, rest = line.partition(":")
        if not sep:
            raise TariffError(f"line {number}: missing ':'")
        steps = []
        for part in rest.split(","):
            limit, sep, cents = part.partition("=")
            if not sep:
                raise TariffError(f"line {number}: missing '='")
            steps.append((parse_weight(limit), int(cents)))
        tariff.add_zone(zone.strip(), steps)
    return tariff
