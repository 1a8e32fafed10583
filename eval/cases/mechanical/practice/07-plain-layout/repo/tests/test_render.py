from galley import contents, render
from galley.layout.columns import align

MANUAL = """
# Install
## Linux
## Windows
# Use
## First steps
### Login
## Reports
"""


def test_numbers_of_flat_headings():
    assert contents("# A\n# B\n# C") == [("1", "A"), ("2", "B"), ("3", "C")]


def test_numbers_of_nested_headings():
    assert contents("# A\n## B\n## C\n### D") == [("1", "A"), ("1.1", "B"), ("1.2", "C"), ("1.2.1", "D")]


def test_contents_of_a_manual():
    assert contents(MANUAL, depth=2) == [
        ("1", "Install"),
        ("1.1", "Linux"),
        ("1.2", "Windows"),
        ("2", "Use"),
        ("2.1", "First steps"),
        ("2.2", "Reports"),
    ]


def test_each_text_is_numbered_afresh():
    assert contents("# A") == contents("# A")


def test_render_heading():
    assert render("# Tea") == "1 Tea\n=====\n"


def test_render_list_without_gaps():
    assert render("Buy:\n- tea\n  - green\n- milk") == "Buy:\n\n* tea\n  - green\n* milk\n"


def test_render_wraps_items():
    assert render("- one two three", width=9) == "* one two\n  three\n"


def test_render_empty():
    assert render("\n\n") == ""


def test_align_numbers_right():
    assert align([["item", "cents"], ["tea", "5"], ["cake", "120"]]) == [
        "item  cents",
        "----  -----",
        "tea       5",
        "cake    120",
    ]


def test_align_short_rows():
    assert align([["a", "b"], ["long"]]) == ["a     b", "----  -", "long"]
