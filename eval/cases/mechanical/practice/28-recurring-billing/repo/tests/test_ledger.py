from datetime import date

from billing import Ledger, Plan, Subscription
from billing.forecast import expected, upcoming


def sub(customer="ann", start=date(2024, 1, 10), months=1, cents=100):
    return Subscription(customer, Plan("p", cents, months), start)


def test_run_writes_only_once():
    ledger = Ledger()
    ledger.add(sub())
    assert len(ledger.run(date(2024, 2, 10))) == 2
    assert ledger.run(date(2024, 2, 20)) == []
    assert len(ledger.run(date(2024, 3, 10))) == 1


def test_run_sorted():
    ledger = Ledger()
    ledger.add(sub("bob", date(2024, 1, 5)))
    ledger.add(sub("ann", date(2024, 1, 5)))
    assert [i.customer for i in ledger.run(date(2024, 1, 6))] == ["ann", "bob"]


def test_totals():
    ledger = Ledger()
    ledger.add(sub("ann", cents=100))
    ledger.add(sub("bob", cents=250))
    ledger.run(date(2024, 2, 28))
    assert ledger.total() == 700
    assert ledger.total("bob") == 500


def test_by_month():
    ledger = Ledger()
    ledger.add(sub(months=3))
    ledger.run(date(2024, 7, 31))
    assert ledger.by_month() == {"2024-01": 100, "2024-04": 100, "2024-07": 100}


def test_last_day_of_the_month():
    ledger = Ledger()
    ledger.add(sub(start=date(2023, 8, 31)))
    days = [i.day.isoformat() for i in ledger.run(date(2023, 12, 31))]
    assert days == ["2023-08-31", "2023-09-30", "2023-10-31", "2023-11-30", "2023-12-31"]


def test_upcoming():
    subs = [sub("bob", date(2024, 1, 20)), sub("ann", date(2024, 1, 10))]
    assert upcoming(subs, date(2024, 3, 9), 12) == [(date(2024, 3, 10), "ann"), (date(2024, 3, 20), "bob")]


def test_expected():
    assert expected([sub(), sub(months=3)], date(2024, 1, 20), 3) == [100, 100, 200]
