from datetime import date

import pytest

from billing.dates import add_months, days_in_month, parse_day
from billing.plan import Plan, PlanError


def test_add_months():
    assert add_months(date(2024, 1, 15), 1) == date(2024, 2, 15)
    assert add_months(date(2024, 11, 15), 3) == date(2025, 2, 15)
    assert add_months(date(2024, 3, 15), -3) == date(2023, 12, 15)


def test_add_months_short_month():
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add_months(date(2023, 10, 31), 1) == date(2023, 11, 30)


def test_days_in_month():
    assert days_in_month(2023, 2) == 28


def test_parse_day():
    assert parse_day(" 2024-02-29 ") == date(2024, 2, 29)
    with pytest.raises(ValueError):
        parse_day("2023-02-29")


@pytest.mark.parametrize(
    "text,plan",
    [
        ("basic: 9.90 per month", Plan("basic", 990, 1)),
        ("pro: 99 per year", Plan("pro", 9900, 12)),
        ("x: 5.5 per 2 quarters, 14 days free", Plan("x", 550, 6, 14)),
    ],
)
def test_parse_plan(text, plan):
    assert Plan.parse(text) == plan


@pytest.mark.parametrize("text", ["basic", "a: 5 each month", "a: 5 per week", "a: 5 per month 3 days"])
def test_parse_plan_rejects(text):
    with pytest.raises(PlanError):
        Plan.parse(text)


def test_plan_checks():
    with pytest.raises(PlanError):
        Plan("a", -1)
    with pytest.raises(PlanError):
        Plan("a", 1, 0)
