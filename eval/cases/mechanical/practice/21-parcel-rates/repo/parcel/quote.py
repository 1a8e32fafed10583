"""Put the parts of a price together."""
from dataclasses import dataclass, field

from . import surcharge
from .units import format_cents
from .zones import HOME, zone_of


class QuoteError(Exception):
    pass


@dataclass(frozen=True)
class Parcel:
    grams: int
    size: tuple = (200, 150, 100)
    value_cents: int = 0


@dataclass
class Quote:
    zone: str
    lines: list = field(default_factory=list)

    @property
    def total(self):
        return sum(cents for _, cents in self.lines)

    def render(self):
        width = max(len(name) for name, _ in self.lines)
        rows = [f"{name:<{width}}  {format_cents(c):>8}" for name, c in self.lines]
        rows.append(f"{'total':<{width}}  {format_cents(self.total):>8}")
        return "\n".join(rows)


def billable_grams(parcel, zone):
    """Abroad the larger of weight and volume counts, at home the weight."""
    if zone == HOME:
        return parcel.grams
    return max(parcel.grams, surcharge.volume_weight(parcel.size))


def quote(tariff, parcel, country):
    zone = zone_of(country)
    grams = billable_grams(parcel, zone)
    base = tariff.price(zone, grams)
    if base is None:
        limit = tariff.max_weight(zone)
        raise QuoteError(f"{grams} g is over the limit of {limit} g for zone {zone}")
    result = Quote(zone, [("postage", base)])
    if surcharge.is_bulky(parcel.size):
        result.lines.append(("bulky", surcharge.BULKY_CENTS))
    fee = surcharge.insurance(parcel.value_cents)
    if fee:
        result.lines.append(("insurance", fee))
    return result


def quote_many(tariff, parcels, country):
    """Total for several parcels, and the positions which cannot be sent."""
    total, refused = 0, []
    for index, parcel in enumerate(parcels):
        try:
            total += quote(tariff, parcel, country).total
        except QuoteError:
            refused.append(index)
    return total, refused
