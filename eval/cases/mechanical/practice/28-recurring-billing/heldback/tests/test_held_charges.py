from calendar import monthrange
from datetime import date, timedelta

import pytest

from billing import Ledger, Plan, Subscription
from billing.dates import add_months
from billing.forecast import expected, upcoming


def want(first, months, count):
    out = []
    for i in range(count):
        month0 = first.month - 1 + i * months
        year, month = first.year + month0 // 12, month0 % 12 + 1
        out.append(date(year, month, min(first.day, monthrange(year, month)[1])))
    return out


STARTS = [date(2023, 1, d) for d in (1, 15, 28, 29, 30, 31)]
STARTS += [date(2024, 1, 30), date(2024, 2, 29), date(2023, 2, 28), date(2024, 4, 30), date(2024, 12, 31), date(2023, 11, 29)]


@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize("months", [1, 2, 3, 6, 12, 5])
def test_days(start, months):
    expect = want(start, months, 14)
    sub = Subscription("c", Plan("p", 1000, months), start)
    assert sub.charges(expect[-1]) == expect
    assert sub.charges(expect[-1] - timedelta(days=1)) == expect[:-1]


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_periods_join(start):
    expect = want(start, 1, 15)
    sub = Subscription("c", Plan("p", 1000), start)
    for begin, end in zip(expect, expect[1:]):
        for day in (begin, end - timedelta(days=1)):
            assert sub.period(day) == (begin, end)


def test_trial_to_the_month_end():
    sub = Subscription("c", Plan("p", 10, 1, 30), date(2023, 1, 1))
    assert sub.first_charge == date(2023, 1, 31)
    assert sub.charges(date(2023, 5, 31)) == want(date(2023, 1, 31), 1, 5)


def test_cancelled_on_charge_day():
    sub = Subscription("c", Plan("p", 10), date(2023, 1, 31))
    sub.cancel(date(2023, 3, 31))
    assert sub.charges(date(2024, 1, 1)) == [date(2023, 1, 31), date(2023, 2, 28)]
    sub.cancel(date(2023, 4, 1))
    assert sub.charges(date(2024, 1, 1))[-1] == date(2023, 3, 31)
    assert sub.period(date(2023, 4, 1)) is None


def test_leap_day_by_year():
    sub = Subscription("c", Plan("p", 10, 12), date(2024, 2, 29))
    got = sub.charges(date(2028, 3, 1))
    assert got == [date(2024, 2, 29), date(2025, 2, 28), date(2026, 2, 28), date(2027, 2, 28), date(2028, 2, 29)]


def test_end_of_february_is_not_glued_to_the_end():
    sub = Subscription("c", Plan("p", 10), date(2023, 2, 28))
    assert sub.charges(date(2023, 4, 30)) == [date(2023, 2, 28), date(2023, 3, 28), date(2023, 4, 28)]
    sub = Subscription("c", Plan("p", 10), date(2023, 4, 30))
    assert sub.charges(date(2023, 5, 31))[-1] == date(2023, 5, 30)


def test_ledger_runs_in_steps():
    ledger, day = Ledger(), date(2023, 1, 1)
    ledger.add(Subscription("c", Plan("p", 10), date(2023, 1, 31)))
    got = []
    while day <= date(2024, 3, 31):
        got += [i.day for i in ledger.run(day)]
        day += timedelta(days=1)
    assert got == want(date(2023, 1, 31), 1, 15)


def test_refund_at_month_end():
    sub = Subscription("c", Plan("p", 3100), date(2023, 1, 31))
    assert sub.refund(date(2023, 3, 1)) == 3100 * 30 // 31
    assert sub.refund(date(2023, 3, 31)) == 3100


def test_forecasts():
    subs = [Subscription("c", Plan("p", 10), date(2023, 1, 31))]
    assert upcoming(subs, date(2023, 3, 29), 2) == [(date(2023, 3, 31), "c")]
    assert expected(subs, date(2023, 2, 10), 3) == [10, 10, 10]


def test_add_months_unchanged():
    assert add_months(date(2023, 2, 28), 1) == date(2023, 3, 28)
    assert add_months(date(2023, 4, 30), 1) == date(2023, 5, 30)
    assert add_months(date(2024, 3, 31), -1) == date(2024, 2, 29)
