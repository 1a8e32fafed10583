from datetime import date, timedelta

from lodge import Room, Stay
from lodge.pricing import discount_percent, night_rate, quote

ROOM = Room("2", beds=2, cents_per_night=10000)


def stay(nights, start=date(2024, 5, 5)):
    return Stay(start, start + timedelta(days=nights))


def test_weekday_rate():
    assert night_rate(ROOM, date(2024, 5, 6)) == 10000


def test_weekend_rate():
    assert night_rate(ROOM, date(2024, 5, 10)) == 11500


def test_short_stay_costs_full_price():
    assert quote(ROOM, stay(3), 2) == 30000


def test_no_discount_below_a_week():
    assert discount_percent(6) == 0


def test_a_full_week_is_discounted():
    # five weekday nights and two weekend nights, less ten per cent
    assert quote(ROOM, stay(7), 2) == 65700


def test_discount_of_a_long_stay():
    assert discount_percent(10) == 10
    assert discount_percent(40) == 20


def test_extra_guest_pays_per_night():
    assert quote(ROOM, stay(2), 3) == 23000
