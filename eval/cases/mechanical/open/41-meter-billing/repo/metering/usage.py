"""From register values to usage."""

from .model import ESTIMATE, EXCHANGE, Period


def base_of(reading):
    """The value from which the usage after a reading counts."""
    if reading.kind == EXCHANGE:
        return reading.start
    return reading.value


class Register:
    """Follows one register over its readings."""

    def __init__(self, digits=5):
        self.capacity = 10 ** digits
        self._day = None
        self._value = None

    def advance(self, value):
        """Units since the last known value; the register may have rolled over."""
        if value >= self.capacity:
            raise ValueError(f"{value} does not fit the register")
        return (value - self._value) % self.capacity

    def feed(self, reading):
        """Take the next reading; returns the usage since the one before.

        The first reading only sets the scene and returns 0.
        """
        amount = 0 if self._value is None else self.advance(reading.value)
        self._value = reading.value
        self._day = reading.day
        return amount

    @property
    def day(self):
        return self._day


def periods(readings, digits=5):
    """The periods between the readings of one meter, oldest first."""
    register = Register(digits)
    result = []
    guessed = False
    for reading in readings:
        first = register.day
        if first is not None and reading.day <= first:
            raise ValueError(f"two readings of {reading.meter} on day {reading.day}")
        amount = register.feed(reading)
        estimate = reading.kind == ESTIMATE
        if first is not None:
            firm = not (estimate or guessed)
            result.append(Period(first, reading.day, amount, firm))
        guessed = estimate
    return result


def total_usage(readings, digits=5):
    return sum(period.amount for period in periods(readings, digits))


def daily_average(readings, digits=5):
    """Average usage for a day, or None when there is nothing to go by."""
    spans = periods(readings, digits)
    days = sum(period.days for period in spans)
    if days == 0:
        return None
    return sum(period.amount for period in spans) / days


def estimate_next(readings, day, digits=5):
    """The register value to be expected on `day`, for an estimate."""
    average = daily_average(readings, digits)
    if average is None:
        raise ValueError("not enough readings for an estimate")
    last = readings[-1]
    expected = base_of(last) + round(average * (day - last.day))
    return expected % 10 ** digits
