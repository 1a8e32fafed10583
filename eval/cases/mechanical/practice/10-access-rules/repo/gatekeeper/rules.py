"""Rules such as ``allow read documents/**``."""

import re
from dataclasses import dataclass

from .errors import BadRule

ALLOW, DENY = "allow", "deny"


def _pattern(glob):
    parts = []
    for piece in re.split(r"(\*\*|\*)", glob):
        if piece == "**":
            parts.append(".*")
        elif piece == "*":
            parts.append("[^/]*")
        else:
            parts.append(re.escape(piece))
    return re.compile("".join(parts))


@dataclass(frozen=True)
class Rule:
    effect: str
    action: str
    resource: str

    @classmethod
    def parse(cls, text):
        words = text.split()
        if len(words) != 3 or words[0] not in (ALLOW, DENY):
            raise BadRule(text)
        return cls(*words)

    def covers(self, action, resource):
        if self.action not in ("*", action):
            return False
        return _pattern(self.resource).fullmatch(resource) is not None

    def __str__(self):
        return f"{self.effect} {self.action} {self.resource}"
