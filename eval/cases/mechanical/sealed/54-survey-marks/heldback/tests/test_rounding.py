import pytest

from marks.angle import format_angle, parse_angle, split_angle
from marks.book import Book
from marks.position import Position
from marks.sheet import sheet


def angle(degrees, minutes, seconds):
    return degrees + minutes / 60 + seconds / 3600


@pytest.mark.parametrize(
    "value, decimals, expected",
    [
        (angle(10, 20, 59.4), 0, (10, 20, 59)),
        (angle(10, 20, 59.6), 0, (10, 21, 0)),
        (angle(10, 59, 59.4), 0, (10, 59, 59)),
        (angle(10, 59, 59.6), 0, (11, 0, 0)),
        (angle(0, 59, 59.9), 0, (1, 0, 0)),
        (angle(0, 0, 59.9), 0, (0, 1, 0)),
        (angle(89, 59, 59.9), 0, (90, 0, 0)),
        (angle(10, 20, 59.94), 1, (10, 20, 59.9)),
        (angle(10, 20, 59.96), 1, (10, 21, 0)),
        (angle(10, 59, 59.96), 1, (11, 0, 0)),
        (angle(10, 59, 59.9996), 3, (11, 0, 0)),
        (angle(10, 59, 59.9994), 3, (10, 59, 59.999)),
        (angle(10, 59, 59.6), 2, (10, 59, 59.6)),
    ],
)
def test_rounding(value, decimals, expected):
    assert split_angle(value, decimals) == expected
    assert split_angle(-value, decimals) == expected


def test_whole_parts_are_whole_numbers():
    for value in (12.5166, 10.99999, 0.2, 7):
        degrees, minutes, _ = split_angle(value, 1)
        assert isinstance(degrees, int) and isinstance(minutes, int)


def test_every_minute():
    for minute in range(0, 120 * 60 + 1):
        expected = (*divmod(minute, 60), 0)
        assert split_angle(minute / 60) == expected
        assert split_angle(minute / 60, 1) == expected


def test_every_second_of_a_degree():
    for second in range(3600):
        assert split_angle(20 + second / 3600) == (20, second // 60, second % 60)
        assert split_angle(20 + second / 3600, 2) == (20, second // 60, second % 60)


def test_no_sixty_and_never_far_off():
    for step in range(0, 100000, 7):
        value = step / 9973
        for decimals in (0, 1, 2):
            degrees, minutes, seconds = split_angle(value, decimals)
            assert 0 <= minutes < 60 and 0 <= seconds < 60
            off = abs(degrees * 3600 + minutes * 60 + seconds - value * 3600)
            assert off <= 0.5 / 10 ** decimals + 1e-6


def test_format():
    assert format_angle(angle(10, 59, 59.6), "NS") == "11°00'00\"N"
    assert format_angle(-angle(10, 59, 59.6), "EW") == "11°00'00\"W"
    assert format_angle(angle(10, 59, 59.6), "EW", 1) == "10°59'59.6\"E"
    assert format_angle(angle(10, 59, 59.97), "EW", 1) == "11°00'00.0\"E"
    assert format_angle(angle(10, 20, 59.97), "EW", 1) == "10°21'00.0\"E"
    assert format_angle(angle(10, 20, 5.25), "EW", 2) == "10°20'05.25\"E"


def test_format_and_parse():
    for step in range(0, 18000, 11):
        value = step / 101
        again = parse_angle(format_angle(value, "EW", 1), "EW")
        assert again == pytest.approx(value, abs=0.06 / 3600)


def test_corner_of_the_globe():
    position = Position(-89.99999, 179.99999)
    assert position.text() == "90°00'00\"S 180°00'00\"E"
    text = Book.from_text("A  -89.99999  179.99999\n").to_text()
    assert text == "A  90°00'00.0\"S  180°00'00.0\"E\n"
    assert len(Book.from_text(text)) == 1


def test_sheet():
    book = Book.from_text("B  45.99999  7.98333\nA  45.5  7\n")
    assert sheet(book) == ["A  45°30'00\"N 7°00'00\"E", "B  46°00'00\"N 7°59'00\"E"]
