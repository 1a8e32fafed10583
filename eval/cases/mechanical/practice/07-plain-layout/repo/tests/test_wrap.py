from galley.wrap import fill


def test_fill_breaks_at_width():
    assert fill("aa bb cc", 5) == ["aa bb", "cc"]


def test_fill_long_word():
    assert fill("a incomprehensible b", 5) == ["a", "incomprehensible", "b"]


def test_fill_hanging_indent():
    assert fill("aa bb cc", 7, first="* ") == ["* aa bb", "  cc"]


def test_fill_nothing():
    assert fill("", 10) == []
