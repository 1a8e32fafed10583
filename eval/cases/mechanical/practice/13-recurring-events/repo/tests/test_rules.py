from datetime import date

import pytest

from agenda import Rule, RuleError


def test_parse_simple():
    assert Rule.parse("every week") == Rule("week")


def test_parse_everything():
    assert Rule.parse(" Every 3 months until 2024-12-31 ") == Rule("month", 3, date(2024, 12, 31))


@pytest.mark.parametrize("text", ["", "weekly", "every 0 days", "every fortnight", "every day until soon"])
def test_parse_errors(text):
    with pytest.raises(RuleError):
        Rule.parse(text)


def test_nth_week():
    assert Rule("week", 2).nth(date(2024, 1, 1), 3) == date(2024, 2, 12)


def test_nth_month_over_the_year():
    assert Rule("month").nth(date(2024, 11, 5), 2) == date(2025, 1, 5)


def test_nth_leap_day():
    assert Rule("year").nth(date(2024, 2, 29), 1) is None
    assert Rule("year").nth(date(2024, 2, 29), 4) == date(2028, 2, 29)
