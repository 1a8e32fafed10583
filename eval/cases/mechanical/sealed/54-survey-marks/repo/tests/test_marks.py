import pytest

from marks.angle import AngleError, format_angle, join_angle, parse_angle, split_angle
from marks.book import Book, BookError, Mark
from marks.position import Position, compass
from marks.sheet import distance, extent, sheet, way
from marks.track import Track

TEXT = """
# upper valley
Chapel  46°30'15"N  7°05'59.5"E  spire
Ford    46.25       -7.5         stone
Pass    46°0'0"N    7°E
"""


def test_split():
    assert split_angle(46.504166667) == (46, 30, 15)
    assert split_angle(-7.5) == (7, 30, 0)


def test_split_with_decimals():
    assert split_angle(7.0998611, 1) == (7, 5, 59.5)


def test_join():
    assert join_angle(7, 30, 36) == pytest.approx(7.51)
    with pytest.raises(AngleError):
        join_angle(7, 60)


def test_parse():
    assert parse_angle("46°30'N", "NS") == 46.5
    assert parse_angle("46°30'36\"S", "NS") == pytest.approx(-46.51)
    assert parse_angle("-7.25", "EW") == -7.25


def test_parse_errors():
    for text in ("46°30'E", "x", "46°60'N", "46°3'60\"N"):
        with pytest.raises(AngleError):
            parse_angle(text, "NS")


def test_format():
    assert format_angle(46.504166667, "NS") == "46°30'15\"N"
    assert format_angle(-7.0840278, "EW", 1) == "7°05'02.5\"W"


def test_format_rounds_up_to_a_minute():
    assert format_angle(12.5166, "NS") == "12°31'00\"N"


def test_position():
    assert Position(46.5, -7.25).text() == "46°30'00\"N 7°15'00\"W"
    with pytest.raises(AngleError):
        Position(91, 0)


def test_distance_and_bearing():
    here, there = Position(0, 0), Position(0, 1)
    assert here.distance(there) == pytest.approx(111195, abs=1)
    assert here.bearing(there) == pytest.approx(90)
    assert [compass(b) for b in (0, 44, 350, 200)] == ["N", "NE", "N", "S"]


def test_book():
    book = Book.from_text(TEXT)
    assert (len(book), [mark.name for mark in book.of_kind("stone")]) == (3, ["Ford"])
    assert book["Chapel"].position.lat == pytest.approx(46.5041667)


def test_book_errors():
    for text in ("A  1", "A  1  2\nA  1  2", "A  95  2", "A  1°E  2"):
        with pytest.raises(BookError):
            Book.from_text(text)


def test_nearest():
    assert Book.from_text(TEXT).nearest(Position(46, 7.1))[0].name == "Pass"


def test_book_is_written_and_read():
    text = "A  1°00'00.0\"N  2°30'00.0\"W  stone\n"
    assert Book.from_text(text).to_text() == text


def test_written_book_can_be_read():
    book = Book.from_text("A  1.53333  2.25  stone\n")
    again = Book.from_text(book.to_text())
    assert again["A"].position.lat == pytest.approx(1.53333, abs=0.0001)


def test_sheet():
    assert sheet(Book.from_text(TEXT))[1:] == [
        "Ford    46°15'00\"N 7°30'00\"W  stone",
        "Pass    46°00'00\"N 7°00'00\"E",
    ]


def test_way():
    book = Book.from_text("A  0  0\nB  0  0.001\nC  0  0.1\n")
    assert way(["A", "B", "C"], book) == ["A to B: E, 111 m", "B to C: E, 11.0 km", "total 11.1 km"]


def test_extent():
    assert extent(Book.from_text("A  1  5\nB  2  -4\n")) == ((1, -4), (2, 5))
    assert (extent(Book()), distance(999.4)) == (None, "999 m")


def test_track():
    track = Track([Position(0, lon) for lon in (0, 0.0001, 0.001, 0.0011)])
    assert track.length() == pytest.approx(122, abs=1)
    assert [p.lon for p in track.thinned(50).positions] == [0, 0.001, 0.0011]
    assert track.passes(Mark("A", Position(0, 0.0012)))
    assert not track.passes(Mark("A", Position(0.1, 0)))
