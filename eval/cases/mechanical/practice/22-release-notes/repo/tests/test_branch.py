import pytest

from notes.branch import BranchError, describe, issue_of, split_kind


def test_split_kind():
    assert split_kind("fix/typo") == ("fix", "typo")
    assert split_kind("docs/a/b") == ("docs", "a/b")


@pytest.mark.parametrize("name", ["main", "fix/", "odd/thing"])
def test_split_kind_rejects(name):
    with pytest.raises(BranchError):
        split_kind(name)


def test_issue_of():
    assert issue_of("GH-12-faster") == "GH-12"
    assert issue_of("77_menu") == "77"
    assert issue_of("typo-3") is None


def test_describe_without_issue():
    assert describe("typo_in-menu") == "Typo in menu"


def test_describe_special_words():
    assert describe("return-json-from-api") == "Return JSON from API"


def test_describe_with_issue():
    assert describe("GH-12-faster-start") == "Faster start"
    assert describe("77-menu-colours") == "Menu colours"


def test_describe_number_after_issue():
    assert describe("GH-27-2-columns-in-print") == "2 columns in print"


def test_describe_only_issue():
    assert describe("GH-12") == ""
