import pytest

from galley import contents, render
from galley.outline import Numbering


def numbers(*depths):
    numbering = Numbering()
    return [numbering.next(depth) for depth in depths]


@pytest.mark.parametrize(
    "depths, expected",
    [
        ((1, 1, 1), "1 2 3"),
        ((1, 2, 1, 2), "1 1.1 2 2.1"),
        ((1, 2, 2, 3, 3, 2, 3), "1 1.1 1.2 1.2.1 1.2.2 1.3 1.3.1"),
        ((1, 2, 3, 1, 2, 3), "1 1.1 1.1.1 2 2.1 2.1.1"),
        ((1, 2, 3, 4, 2, 3, 4), "1 1.1 1.1.1 1.1.1.1 1.2 1.2.1 1.2.1.1"),
        ((1, 2, 3, 3, 1, 1, 2, 2), "1 1.1 1.1.1 1.1.2 2 3 3.1 3.2"),
    ],
)
def test_numbers(depths, expected):
    assert numbers(*depths) == expected.split()


def test_deep_headings_count_although_not_listed():
    text = "# A\n## B\n### C\n### D\n## E\n### F"
    assert contents(text, depth=2) == [("1", "A"), ("1.1", "B"), ("1.2", "E")]
    assert contents(text)[-1] == ("1.2.1", "F")


def test_rendered_headings_agree_with_the_contents():
    text = "# A\n## B\n## C\n# D\n## E"
    lines = render(text).splitlines()
    for number, title in contents(text):
        assert f"{number} {title}" in lines
    assert "2.1 E" in lines
