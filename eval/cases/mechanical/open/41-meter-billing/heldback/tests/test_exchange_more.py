from metering.bill import bills
from metering.model import Reading
from metering.usage import daily_average, estimate_next, periods, total_usage


def read(day, value):
    return Reading("m", day, "read", value)


def swap(day, value, start):
    return Reading("m", day, "exchange", value, start)


def amounts(*readings, digits=5):
    return [span.amount for span in periods(list(readings), digits)]


def test_refurbished_meter_starts_above_zero():
    assert amounts(read(1, 700), swap(11, 720, 300), read(31, 345)) == [20, 45]


def test_new_meter_starts_above_the_old_one():
    assert amounts(read(1, 100), swap(11, 130, 5000), read(31, 5010)) == [30, 10]


def test_new_meter_that_stands_where_the_old_one_ended():
    assert amounts(read(1, 100), swap(11, 130, 130), read(31, 150)) == [30, 20]


def test_two_exchanges():
    assert amounts(read(1, 10), swap(5, 20, 7), swap(9, 10, 990), read(12, 5), digits=3) == [10, 3, 15]


def test_exchange_as_first_reading():
    assert amounts(swap(1, 5000, 40), read(10, 52)) == [12]


def test_old_meter_rolled_over_before_the_exchange():
    assert amounts(read(1, 99995), swap(11, 5, 60), read(31, 61)) == [10, 1]


def test_new_meter_rolls_over():
    assert amounts(read(1, 10), swap(11, 15, 99990), read(31, 10)) == [5, 20]


def test_ordinary_readings_after_the_exchange_follow_each_other():
    assert amounts(read(1, 700), swap(11, 720, 300), read(31, 345), read(61, 350)) == [20, 45, 5]


def test_estimate_after_an_exchange():
    readings = [read(0, 100), swap(10, 120, 50), read(20, 70)]
    assert daily_average(readings) == 2
    assert estimate_next(readings, 30) == 90
    assert estimate_next(readings[:2], 20) == 70


def test_start_counts_only_for_exchanges():
    assert total_usage([Reading("m", 1, "read", 5, 3), Reading("m", 2, "estimate", 9, 4), read(3, 11)]) == 6


def test_bill_with_a_refurbished_meter():
    (bill,) = bills("A1;1;read;4210\nA1;40;exchange;4230;812\nA1;91;read;850\n")
    assert bill.usage == 58
    assert not bill.provisional
