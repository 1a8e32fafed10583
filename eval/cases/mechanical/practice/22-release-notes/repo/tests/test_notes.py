from datetime import date

from notes import Change, collect, render
from notes.gitlog import Merge
from notes.render import render_plain


def merge(branch, day=1, sha="a", author="Ann", body=""):
    return Merge(sha, date(2024, 5, day), author, branch, body)


def test_groups_in_order():
    got = collect([merge("fix/b"), merge("feature/a"), merge("hotfix")])
    assert list(got) == ["New", "Fixed", "Other"]


def test_chores_are_left_out():
    assert collect([merge("chore/bump")]) == {}


def test_since():
    got = collect([merge("fix/a", 1), merge("fix/b", 2)], since=date(2024, 5, 1))
    assert [c.text for c in got["Fixed"]] == ["B"]


def test_note_wins():
    got = collect([merge("fix/5-x", body="bla\nNote: All fine now")])
    assert got["Fixed"] == [Change("Fixed", "All fine now", "5", "Ann")]


def test_doubles_once():
    assert len(collect([merge("fix/5-x", 1), merge("bugfix/5-x", 2)])["Fixed"]) == 1


def test_render():
    text = render("1.2", {"New": [Change("New", "Search", "7")]}, link="http://t")
    assert text == "## 1.2\n\n### New\n- Search ([#7](http://t/7))\n"


def test_render_empty():
    assert "Nothing to report." in render("1.2", {})


def test_credits():
    groups = collect([merge("fix/a", author="Bob"), merge("fix/b", author="Ann")])
    assert "Thanks to Ann, Bob." in render("1", groups, credits=True)


def test_plain_lines():
    groups = collect([merge("feature/GH-31-GH-login-page"), merge("fix/GH-7-wrong-url", 2)])
    assert render_plain(groups) == ["New: GH login page (GH-31)", "Fixed: Wrong URL (GH-7)"]
