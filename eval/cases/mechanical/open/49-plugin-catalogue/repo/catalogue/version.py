"""Versions and their order."""

import re
from functools import total_ordering

_FORM = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*))?")


class VersionError(ValueError):
    pass


@total_ordering
class Version:
    __slots__ = ("release", "pre")

    def __init__(self, release, pre=()):
        self.release = tuple(release)
        self.pre = tuple(pre)

    @classmethod
    def parse(cls, text):
        found = _FORM.fullmatch(text.strip())
        if not found:
            raise VersionError(f"bad version {text!r}")
        major, minor, patch, pre = found.groups()
        parts = pre.split(".") if pre else ()
        return cls((int(major), int(minor), int(patch)), parts)

    @property
    def major(self):
        return self.release[0]

    @property
    def is_pre(self):
        return bool(self.pre)

    def _key(self):
        return (self.release, not self.is_pre, tuple(_part_key(part) for part in self.pre))

    def __eq__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self._key() == other._key()

    def __lt__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self._key() < other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        text = ".".join(str(number) for number in self.release)
        return f"{text}-{'.'.join(self.pre)}" if self.pre else text

    def __repr__(self):
        return f"Version({str(self)!r})"


def _part_key(part):
    return (0 if part.isdigit() else 1, part)


def newest(versions):
    """The newest of some versions, None if there are none."""
    return max(versions, default=None)
