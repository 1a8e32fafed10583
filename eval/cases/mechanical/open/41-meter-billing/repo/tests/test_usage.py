import pytest

from metering.model import Reading
from metering.usage import daily_average, estimate_next, periods, total_usage


def read(day, value):
    return Reading("m", day, "read", value)


def test_first_reading_sets_the_scene():
    assert periods([read(1, 400)]) == []


def test_differences_are_summed():
    assert total_usage([read(1, 400), read(31, 430), read(61, 475)]) == 75


def test_register_rolls_over():
    assert total_usage([read(1, 99990), read(31, 15)]) == 25


def test_small_register_rolls_over():
    assert total_usage([read(1, 990), read(31, 15)], digits=3) == 25


def test_value_must_fit():
    with pytest.raises(ValueError):
        total_usage([read(1, 10), read(2, 1000)], digits=3)


def test_same_day_twice_is_refused():
    with pytest.raises(ValueError):
        periods([read(1, 10), read(1, 12)])


def test_estimate_makes_both_neighbours_soft():
    spans = periods([read(1, 0), Reading("m", 11, "estimate", 20), read(21, 30), read(31, 40)])
    assert [span.firm for span in spans] == [False, False, True]


def test_exchange_closes_the_old_meter():
    spans = periods([read(1, 700), Reading("m", 11, "exchange", 720, 0)])
    assert [span.amount for span in spans] == [20]


def test_usage_goes_on_with_the_new_meter():
    readings = [read(1, 700), Reading("m", 11, "exchange", 720, 0), read(31, 35)]
    assert [span.amount for span in periods(readings)] == [20, 35]


def test_daily_average():
    assert daily_average([read(0, 100), read(10, 130)]) == 3
    assert daily_average([read(0, 100)]) is None


def test_estimate_next():
    assert estimate_next([read(0, 100), read(10, 130)], 20) == 160
