from datetime import date

import pytest

from notes import collect
from notes.branch import describe, issue_of
from notes.gitlog import Merge
from notes.render import render_plain


@pytest.mark.parametrize(
    "rest,text",
    [
        ("27-2-columns", "2 columns"),
        ("2-22-lines", "22 lines"),
        ("404-404-page", "404 page"),
        ("100-10-times-faster", "10 times faster"),
        ("12_21_days", "21 days"),
        ("GH-12-Get-help", "Get help"),
        ("GH-12-HGH-table", "HGH table"),
        ("GH-31-GH-login-page", "GH login page"),
        ("AB-1-BA-swap", "BA swap"),
        ("AB-10-01-first", "01 first"),
        ("UI-7-UI-7-again", "UI 7 again"),
        ("API-5-API-keys", "API keys"),
        ("X-1-1X-zoom", "1X zoom"),
        ("CI-3--CI--cache", "CI cache"),
        ("5-555", "555"),
        ("5", ""),
        ("5-", ""),
        ("GH-12_", ""),
        ("12a-b", "12a b"),
        ("GH-12a-b", "GH 12a b"),
        ("menu-5-5", "Menu 5 5"),
        ("gh-12-lower", "Gh 12 lower"),
        ("8-id-of-css", "ID of CSS"),
        ("DB-90-0-rows-after-09", "0 rows after 09"),
        ("DB-90-D-drive", "D drive"),
    ],
)
def test_describe(rest, text):
    assert describe(rest) == text


@pytest.mark.parametrize("number", ["1", "12", "121", "909"])
@pytest.mark.parametrize("word", ["1-way", "2-ways", "21st-day", "9-to-5", "0-is-valid", "121-talks"])
def test_words_stay_whole(number, word):
    assert issue_of(f"{number}-{word}") == number
    want = word.replace("-", " ")
    assert describe(f"{number}-{word}") == want
    assert describe(f"K-{number}_{word}") == want


@pytest.mark.parametrize("word", ["GHz-shown", "Happy-path", "Gone-files", "-H-key", "G-8"])
def test_letters_of_the_issue(word):
    want = " ".join(p for p in word.split("-") if p)
    assert describe(f"GH-44-{word}") == want


def test_through_collect():
    merges = [
        Merge("a", date(2024, 1, 1), "Ann", "fix/33-3-dots-in-menu"),
        Merge("b", date(2024, 1, 2), "Ann", "fix/33-dots-in-menu"),
        Merge("c", date(2024, 1, 3), "Ann", "feat/H-2-H2-titles"),
    ]
    assert render_plain(collect(merges)) == [
        "New: H2 titles (H-2)",
        "Fixed: 3 dots in menu (#33)",
        "Fixed: Dots in menu (#33)",
    ]
