"""Names of branches: 'feature/GH-12-faster-start', 'fix/typo_in_menu'."""
import re

KINDS = {
    "feature": "New",
    "feat": "New",
    "fix": "Fixed",
    "bugfix": "Fixed",
    "docs": "Documentation",
    "chore": None,
}

_ISSUE = re.compile(r"^([A-Z]+-\d+|\d+)(?:[-_]|$)")
_SPLIT = re.compile(r"[-_]+")

SPECIAL = {"api": "API", "url": "URL", "css": "CSS", "json": "JSON", "id": "ID"}


class BranchError(ValueError):
    pass


def split_kind(name):
    """Return (kind, rest) of a branch name."""
    kind, sep, rest = name.partition("/")
    if not sep or not rest:
        raise BranchError(f"no kind in branch name {name!r}")
    if kind not in KINDS:
        raise BranchError(f"unknown kind {kind!r} in {name!r}")
    return kind, rest


def issue_of(rest):
    match = _ISSUE.match(rest)
    return match.group(1) if match else None


def describe(rest):
    """The words behind the issue number as a sentence."""
    issue = issue_of(rest)
    if issue is not None:
        rest = rest.lstrip(issue)
    words = [SPECIAL.get(w.lower(), w) for w in _SPLIT.split(rest) if w]
    if not words:
        return ""
    text = " ".join(words)
    return text[0].upper() + text[1:]
