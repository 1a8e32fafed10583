from datetime import date

import pytest

from notes.gitlog import LogError, read_log

LOG = """commit: a1
date: 2024-05-01
author: Ann
branch: origin/fix/typo
--
commit: b2
date: 2024-05-02
branch: refs/heads/feature/3-search

Longer text.
Note: Search in all folders
"""


def test_read_log():
    first, second = read_log(LOG)
    assert first.branch == "fix/typo"
    assert second.branch == "feature/3-search"
    assert second.day == date(2024, 5, 2)
    assert second.author == "unknown"
    assert second.body.startswith("Longer")


def test_empty_log():
    assert read_log("\n\n") == []


def test_missing_field():
    with pytest.raises(LogError, match="branch"):
        read_log("commit: a\ndate: 2024-01-01")


def test_bad_line():
    with pytest.raises(LogError):
        read_log("commit a")
