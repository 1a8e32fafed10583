"""Wishes: which versions would do."""

import re

from .version import Version, VersionError

_TERM = re.compile(r"(>=|<=|=|<|>|\^)?(\d\S*)")


class Wish:
    def __init__(self, terms, pre=False):
        self.terms = list(terms)
        self.pre = pre

    @classmethod
    def parse(cls, text):
        """Read a wish such as "^1.2.0 +pre"; "*" is any version."""
        terms, pre = [], False
        for word in text.split():
            if word == "*":
                continue
            if word == "+pre":
                pre = True
                continue
            found = _TERM.fullmatch(word)
            if not found:
                raise VersionError(f"bad wish {word!r}")
            terms.append((found[1] or "=", Version.parse(found[2])))
        return cls(terms, pre)

    def fits(self, version):
        if version.is_pre and not self.pre:
            return any(sign == "=" and wanted == version for sign, wanted in self.terms)
        return all(_fits(sign, wanted, version) for sign, wanted in self.terms)

    def __and__(self, other):
        return Wish(self.terms + other.terms, self.pre or other.pre)

    def __str__(self):
        words = [f"{sign}{version}" for sign, version in self.terms] or ["*"]
        return " ".join(words + (["+pre"] if self.pre else []))


def _fits(sign, wanted, version):
    if sign == "=":
        return version == wanted
    if sign == "^":
        return version >= wanted and version.major == wanted.major
    if sign == ">=":
        return version >= wanted
    if sign == "<=":
        return version <= wanted
    if sign == ">":
        return version > wanted
    return version < wanted
