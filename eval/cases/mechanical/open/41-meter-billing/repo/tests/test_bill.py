import pytest

from metering.bill import bills, unusual
from metering.loader import SheetError, parse_sheet
from metering.report import money, render
from metering.tariff import GARDEN, HOUSEHOLD, Tariff

SHEET = """
# spring round
A1;1;read;1000
A1;91;read;1060
B2;1;read;99980
B2;91;estimate;10
C3;5;read;12
"""


def test_bills_of_a_sheet():
    first, second = bills(SHEET)
    assert (first.meter, first.usage, first.total) == ("A1", 60, 500 + 50 * 120 + 10 * 180)
    assert (second.meter, second.usage, second.provisional) == ("B2", 30, True)


def test_bill_after_an_exchange():
    sheet = "A1;1;read;4210\nA1;40;exchange;4230;0\nA1;91;read;25\n"
    (bill,) = bills(sheet)
    assert bill.usage == 45
    assert bill.total == 500 + 45 * 120


def test_tariff_of_a_meter():
    (bill,) = bills("G;1;read;0\nG;2;read;10\n", {"G": GARDEN})
    assert bill.total == 200 + 900


def test_blocks():
    assert [line.amount for line in HOUSEHOLD.lines(200)] == [50, 100, 50]
    assert [line.amount for line in HOUSEHOLD.lines(50)] == [50]
    assert HOUSEHOLD.price(0) == 500


def test_blocks_must_rise():
    with pytest.raises(ValueError):
        Tariff([(50, 1), (20, 1), (None, 1)])


def test_sheet_errors_name_the_line():
    with pytest.raises(SheetError) as caught:
        list(parse_sheet("A;1;read;1\nA;2;look;3\n"))
    assert caught.value.number == 2


def test_unusual():
    sheet = "".join(f"M{i};1;read;0\nM{i};2;read;{v}\n" for i, v in enumerate([10, 12, 90]))
    assert unusual(bills(sheet)) == ["M2"]


def test_money():
    assert [money(5), money(-250)] == ["0.05", "-2.50"]


def test_render():
    (bill,) = bills("G;1;read;0\nG;2;read;10\n", {"G": GARDEN})
    assert render(bill).splitlines()[0] == "Meter G"
    assert render(bill).splitlines()[-1].endswith("10 units  11.00")
