import pytest

from catalogue.index import Index, UnknownPlugin
from catalogue.resolve import Conflict, missing, resolve
from catalogue.update import breaking, describe, updates
from catalogue.version import Version, VersionError, newest
from catalogue.wish import Wish

V = Version.parse

INDEX = Index.from_text("""
base 1.0.0
base 1.2.0
base 2.0.0-beta.1
base 2.0.0-beta.2
tiles 1.0.0: base *
tiles 2.0.0: base ^1.1.0
maps 1.4.0: tiles ^2.0.0, base *
maps 1.5.0: tiles ^3.0.0
""")


def test_parse_and_print():
    for text in ("1.2.3", "10.0.0-beta.2", "1.0.0-1"):
        assert str(V(text)) == text


def test_bad_versions():
    for text in ("1.2", "1.2.x", "1.2.3-", "1.2.3-a..b"):
        with pytest.raises(VersionError):
            V(text)


def test_numbers_are_compared_as_numbers():
    assert V("1.9.0") < V("1.10.0")


def test_prerelease_is_older():
    assert V("0.9.9") < V("1.0.0-beta") < V("1.0.0")


def test_prerelease_words():
    assert V("1.0.0-alpha") < V("1.0.0-beta") < V("1.0.0-rc")
    assert V("1.0.0-alpha") < V("1.0.0-alpha.1")


def test_tenth_prerelease():
    assert V("1.0.0-beta.9") < V("1.0.0-beta.10")


def test_newest():
    assert newest([V("1.0.0"), V("1.2.0"), V("1.1.0")]) == V("1.2.0")
    assert newest([]) is None


def test_wish():
    wish = Wish.parse(">=1.2.0 <2.0.0")
    assert [wish.fits(V(v)) for v in ("1.1.9", "1.2.0", "2.0.0")] == [False, True, False]


def test_wish_for_a_major_number():
    assert [Wish.parse("^1.2.0").fits(V(v)) for v in ("1.9.0", "2.0.0")] == [True, False]


def test_prereleases_must_be_asked_for():
    assert not Wish.parse("*").fits(V("1.0.0-beta"))
    assert Wish.parse("* +pre").fits(V("1.0.0-beta"))
    assert Wish.parse("1.0.0-beta").fits(V("1.0.0-beta"))


def test_wish_as_text():
    assert str(Wish.parse("^1.0.0 +pre") & Wish.parse("<1.5.0")) == "^1.0.0 <1.5.0 +pre"


def test_versions_of_a_plugin():
    assert [str(v) for v in INDEX.versions("base")] == ["2.0.0-beta.2", "2.0.0-beta.1", "1.2.0", "1.0.0"]
    with pytest.raises(UnknownPlugin):
        INDEX.versions("nope")


def test_resolve():
    chosen = resolve(INDEX, {"maps": "^1.0.0"})
    assert {name: str(v) for name, v in chosen.items()} == {"maps": "1.4.0", "tiles": "2.0.0", "base": "1.2.0"}


def test_conflict():
    with pytest.raises(Conflict):
        resolve(INDEX, {"maps": "*", "base": "=1.0.0"})


def test_missing():
    assert missing(INDEX, ["base", "x"]) == ["x"]


def test_updates():
    changes = updates(INDEX, {"base": "1.0.0", "tiles": "2.0.0", "maps": "0.9.0"})
    assert changes == [("base", "1.0.0", "1.2.0"), ("maps", "0.9.0", "1.5.0")]
    assert describe(changes) == "base  1.0.0 -> 1.2.0\nmaps  0.9.0 -> 1.5.0"
    assert breaking(changes) == ["maps"]


def test_update_to_the_tenth_beta():
    index = Index.from_text("app 2.0.0-beta.9\napp 2.0.0-beta.10")
    assert updates(index, {"app": "2.0.0-beta.9"}, pre=True) == [("app", "2.0.0-beta.9", "2.0.0-beta.10")]
