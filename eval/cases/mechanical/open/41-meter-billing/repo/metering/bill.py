"""Making bills."""

from .loader import by_meter, parse_sheet
from .model import Bill
from .tariff import HOUSEHOLD
from .usage import periods


def make_bill(meter, readings, tariff=HOUSEHOLD, digits=5):
    spans = periods(readings, digits)
    usage = sum(span.amount for span in spans)
    return Bill(
        meter=meter,
        usage=usage,
        lines=tariff.lines(usage),
        fee=tariff.fee,
        provisional=bool(spans) and not spans[-1].firm,
    )


def bills(text, tariffs=None, digits=5):
    """A bill for each meter of a sheet that has at least two readings."""
    tariffs = tariffs or {}
    result = []
    for meter, readings in by_meter(parse_sheet(text)).items():
        if len(readings) < 2:
            continue
        tariff = tariffs.get(meter, HOUSEHOLD)
        result.append(make_bill(meter, readings, tariff, digits))
    return result


def unusual(bills_of_period, factor=3):
    """Meters whose usage is more than `factor` times the median usage."""
    usages = sorted(bill.usage for bill in bills_of_period)
    if not usages:
        return []
    median = usages[len(usages) // 2]
    return [bill.meter for bill in bills_of_period if bill.usage > factor * median]
