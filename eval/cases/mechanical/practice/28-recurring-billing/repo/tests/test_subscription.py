from datetime import date

import pytest

from billing import Plan, Subscription

MONTHLY = Plan("basic", 3000)


def test_charges_monthly():
    sub = Subscription("ann", MONTHLY, date(2024, 1, 15))
    assert sub.charges(date(2024, 3, 15)) == [date(2024, 1, 15), date(2024, 2, 15), date(2024, 3, 15)]


def test_charges_before_start():
    assert Subscription("ann", MONTHLY, date(2024, 1, 15)).charges(date(2024, 1, 14)) == []


def test_trial_moves_first_charge():
    sub = Subscription("ann", Plan("t", 100, 1, 14), date(2024, 1, 1))
    assert sub.charges(date(2024, 2, 20)) == [date(2024, 1, 15), date(2024, 2, 15)]


def test_cancel():
    sub = Subscription("ann", MONTHLY, date(2024, 1, 15))
    sub.cancel(date(2024, 3, 15))
    assert len(sub.charges(date(2025, 1, 1))) == 2
    with pytest.raises(ValueError):
        sub.cancel(date(2023, 1, 1))


def test_month_end_in_leap_year():
    sub = Subscription("ann", MONTHLY, date(2024, 1, 31))
    assert sub.charges(date(2024, 4, 30)) == [
        date(2024, 1, 31),
        date(2024, 2, 29),
        date(2024, 3, 31),
        date(2024, 4, 30),
    ]


def test_period():
    sub = Subscription("ann", MONTHLY, date(2024, 1, 15))
    assert sub.period(date(2024, 2, 20)) == (date(2024, 2, 15), date(2024, 3, 15))
    assert sub.period(date(2024, 1, 1)) is None


def test_refund():
    sub = Subscription("ann", MONTHLY, date(2024, 4, 1))
    assert sub.refund(date(2024, 4, 11)) == 2000
    assert sub.refund(date(2024, 3, 1)) == 0
