from datetime import date

import pytest

from agenda import Agenda, Rule, upcoming


def test_first_date_left_out():
    assert upcoming(Rule("day"), date(2024, 1, 1), 2, {date(2024, 1, 1)}) == [date(2024, 1, 2), date(2024, 1, 3)]


def test_neighbours_left_out():
    left_out = {date(2024, 1, 8), date(2024, 1, 15)}
    assert upcoming(Rule("week"), date(2024, 1, 1), 2, left_out) == [date(2024, 1, 1), date(2024, 1, 22)]


def test_left_out_after_the_last():
    assert upcoming(Rule("day"), date(2024, 1, 1), 1, {date(2024, 1, 2)}) == [date(2024, 1, 1)]


def test_last_before_until_left_out():
    rule = Rule("day", until=date(2024, 1, 3))
    assert upcoming(rule, date(2024, 1, 1), 5, {date(2024, 1, 3)}) == [date(2024, 1, 1), date(2024, 1, 2)]


def test_everything_left_out():
    rule = Rule("day", until=date(2024, 1, 2))
    assert upcoming(rule, date(2024, 1, 1), 5, {date(2024, 1, 1), date(2024, 1, 2)}) == []


def test_short_months():
    assert upcoming(Rule("month"), date(2024, 1, 31), 4) == [
        date(2024, 1, 31),
        date(2024, 3, 31),
        date(2024, 5, 31),
        date(2024, 7, 31),
    ]


def test_leap_days():
    assert upcoming(Rule("year"), date(2024, 2, 29), 2) == [date(2024, 2, 29), date(2028, 2, 29)]


def test_until_between_repetitions():
    rule = Rule("week", 2, until=date(2024, 1, 20))
    assert upcoming(rule, date(2024, 1, 1), 9) == [date(2024, 1, 1), date(2024, 1, 15)]


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_limit(limit):
    assert len(upcoming(Rule("month"), date(2024, 1, 31), limit, {date(2024, 3, 31)})) == limit


def test_event_with_a_cancelled_date():
    agenda = Agenda()
    event = agenda.add("choir", date(2024, 3, 4), "every week")
    agenda.leave_out("choir", date(2024, 3, 11))
    assert event.next_dates(2) == [date(2024, 3, 4), date(2024, 3, 18)]
