from datetime import date

from agenda import Agenda
from agenda.export import month_list


def club():
    agenda = Agenda()
    agenda.add("choir", date(2024, 3, 4), "every week")
    agenda.add("board", date(2024, 1, 18), "every 2 months until 2024-12-31")
    agenda.add("fair", date(2024, 3, 23))
    return agenda


def test_single_event():
    event = Agenda().add("fair", date(2024, 3, 23))
    assert event.next_dates(5) == [date(2024, 3, 23)]
    assert event.dates(date(2024, 4, 1), date(2024, 4, 30)) == []


def test_entries_in_order():
    entries = club().entries(date(2024, 3, 16), date(2024, 3, 25))
    assert entries == [
        (date(2024, 3, 18), "board"),
        (date(2024, 3, 18), "choir"),
        (date(2024, 3, 23), "fair"),
        (date(2024, 3, 25), "choir"),
    ]


def test_leave_out():
    agenda = club()
    assert agenda.leave_out("choir", date(2024, 3, 18)) == 1
    assert (date(2024, 3, 18), "choir") not in agenda.entries(date(2024, 3, 1), date(2024, 3, 31))


def test_leave_out_unknown():
    assert club().leave_out("yoga", date(2024, 3, 18)) == 0


def test_month_list():
    assert month_list(club(), 2024, 3) == [
        "Mon  4  choir",
        "Mon 11  choir",
        "Mon 18  board, choir",
        "Sat 23  fair",
        "Mon 25  choir",
    ]
