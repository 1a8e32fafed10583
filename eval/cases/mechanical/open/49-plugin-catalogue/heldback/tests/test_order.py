from itertools import combinations, permutations

import pytest

from catalogue.index import Index
from catalogue.resolve import resolve
from catalogue.update import updates
from catalogue.version import Version, newest
from catalogue.wish import Wish

V = Version.parse

RISING = [
    "0.9.10",
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-2.a",
    "1.0.0-10",
    "1.0.0-10.9",
    "1.0.0-10.10",
    "1.0.0-10.alpha",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.9",
    "1.0.0-alpha.10",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-beta.11.3",
    "1.0.0-beta.11.20",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1-9",
    "1.0.1-10",
]


@pytest.mark.parametrize("low, high", combinations(RISING, 2))
def test_order_of_two(low, high):
    assert V(low) < V(high)
    assert not V(high) < V(low)
    assert V(low) != V(high)


def test_sorting():
    assert [str(v) for v in sorted(map(V, reversed(RISING)))] == RISING


def test_words_with_digits_are_words():
    assert V("1.0.0-rc10") < V("1.0.0-rc9")
    assert V("1.0.0-999") < V("1.0.0-1a")


def test_long_numbers():
    assert V("1.0.0-20240131") < V("1.0.0-120240131")


def test_equal_versions():
    assert V("1.0.0-beta.2") == V("1.0.0-beta.2")
    assert len({V("1.0.0-beta.2"), V("1.0.0-beta.2"), V("1.0.0-beta.02.x")}) == 2
    assert V("1.0.0-a") != "1.0.0-a"


def test_printing_keeps_the_parts():
    for text in RISING:
        assert str(V(text)) == text


def test_newest_in_any_order():
    for order in permutations(["1.0.0-beta.9", "1.0.0-beta.10", "1.0.0-beta.x", "1.0.0-7"]):
        assert str(newest(map(V, order))) == "1.0.0-beta.x"


def test_wish_with_prereleases():
    wish = Wish.parse(">=1.0.0-beta.9 <1.0.0-beta.100 +pre")
    fits = [wish.fits(V(f"1.0.0-beta.{n}")) for n in (2, 9, 10, 99, 100, 1000)]
    assert fits == [False, True, True, True, False, False]


def test_index_and_updates():
    index = Index.from_text("\n".join(f"app 2.0.0-{pre}" for pre in ("3", "beta.2", "beta.12", "beta", "20")))
    assert [str(v) for v in index.versions("app")] == [
        "2.0.0-beta.12", "2.0.0-beta.2", "2.0.0-beta", "2.0.0-20", "2.0.0-3",
    ]
    assert updates(index, {"app": "2.0.0-beta.12"}, pre=True) == []
    assert updates(index, {"app": "2.0.0-20"}, pre=True) == [("app", "2.0.0-20", "2.0.0-beta.12")]


def test_resolve_takes_the_newest_prerelease():
    index = Index.from_text("app 1.0.0: lib >=1.0.0-9 +pre\nlib 1.0.0-9\nlib 1.0.0-11\nlib 1.0.0-10")
    assert str(resolve(index, {"app": "*"})["lib"]) == "1.0.0-11"
