"""Extra charges that do not depend on the zone."""

BULKY_SIDE = 1200
BULKY_GIRTH = 3000
BULKY_CENTS = 1500

INSURANCE_FREE = 50_000
INSURANCE_STEP = 50_000
INSURANCE_CENTS = 350


def is_bulky(size):
    longest, middle, shortest = size
    girth = longest + 2 * (middle + shortest)
    return longest > BULKY_SIDE or girth > BULKY_GIRTH


def volume_weight(size, divisor=5000):
    """Grams that a parcel of this size (mm) counts for at least."""
    length, width, height = size
    return (length * width * height) // divisor


def insurance(value_cents):
    """Fee for the part of the value which is not covered anyway."""
    uncovered = value_cents - INSURANCE_FREE
    if uncovered <= 0:
        return 0
    steps = -(-uncovered // INSURANCE_STEP)
    return steps * INSURANCE_CENTS
