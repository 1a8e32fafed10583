from datetime import date

import pytest

from lodge import BookingError, Stay


def test_nights():
    assert Stay(date(2024, 5, 1), date(2024, 5, 4)).nights == 3


def test_dates_leave_out_the_day_of_departure():
    stay = Stay(date(2024, 5, 1), date(2024, 5, 3))
    assert list(stay.dates()) == [date(2024, 5, 1), date(2024, 5, 2)]


def test_a_stay_has_at_least_one_night():
    with pytest.raises(BookingError):
        Stay(date(2024, 5, 1), date(2024, 5, 1))


def test_back_to_back_stays_do_not_overlap():
    first = Stay(date(2024, 5, 1), date(2024, 5, 3))
    second = Stay(date(2024, 5, 3), date(2024, 5, 6))
    assert not first.overlaps(second)
    assert not second.overlaps(first)
