"""What a stay costs."""

WEEKEND = (4, 5)  # Friday and Saturday nights
WEEKEND_PERCENT = 115

LONG_STAY_DISCOUNTS = [
    (28, 20),
    (7, 10),
]

EXTRA_GUEST_CENTS = 1500


def night_rate(room, day):
    if day.weekday() in WEEKEND:
        return room.cents_per_night * WEEKEND_PERCENT // 100
    return room.cents_per_night


def discount_percent(nights):
    for threshold, percent in LONG_STAY_DISCOUNTS:
        if nights > threshold:
            return percent
    return 0


def quote(room, stay, guests):
    """Total price in cents of the stay, discount included."""
    subtotal = sum(night_rate(room, day) for day in stay.dates())
    extra = max(0, guests - room.beds) * EXTRA_GUEST_CENTS * stay.nights
    percent = discount_percent(stay.nights)
    return (subtotal * (100 - percent)) // 100 + extra
