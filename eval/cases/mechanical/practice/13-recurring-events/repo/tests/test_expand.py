from datetime import date

from agenda import Rule, between, upcoming


def test_upcoming_days():
    assert upcoming(Rule("day"), date(2024, 2, 28), 3) == [
        date(2024, 2, 28),
        date(2024, 2, 29),
        date(2024, 3, 1),
    ]


def test_upcoming_stops_at_until():
    rule = Rule("week", until=date(2024, 1, 15))
    assert upcoming(rule, date(2024, 1, 1), 10) == [date(2024, 1, 1), date(2024, 1, 8), date(2024, 1, 15)]


def test_upcoming_none_wanted():
    assert upcoming(Rule("week"), date(2024, 1, 1), 0) == []


def test_upcoming_without_a_date():
    dates = upcoming(Rule("week"), date(2024, 1, 1), 3, {date(2024, 1, 8)})
    assert dates == [date(2024, 1, 1), date(2024, 1, 15), date(2024, 1, 22)]


def test_between():
    dates = between(Rule("week"), date(2024, 1, 1), date(2024, 1, 8), date(2024, 1, 22))
    assert dates == [date(2024, 1, 8), date(2024, 1, 15), date(2024, 1, 22)]


def test_between_short_months():
    dates = between(Rule("month"), date(2024, 1, 31), date(2024, 1, 1), date(2024, 5, 31))
    assert dates == [date(2024, 1, 31), date(2024, 3, 31), date(2024, 5, 31)]


def test_between_without_a_date():
    dates = between(Rule("day"), date(2024, 1, 1), date(2024, 1, 1), date(2024, 1, 3), {date(2024, 1, 2)})
    assert dates == [date(2024, 1, 1), date(2024, 1, 3)]
