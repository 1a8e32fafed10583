"""From merges to changes, sorted into groups."""
from dataclasses import dataclass

from .branch import KINDS, BranchError, describe, issue_of, split_kind

ORDER = ["New", "Fixed", "Documentation", "Other"]


@dataclass(frozen=True)
class Change:
    group: str
    text: str
    issue: str = None
    author: str = "unknown"


def change_of(merge):
    """The change for a merge, or None if it is not worth a line."""
    try:
        kind, rest = split_kind(merge.branch)
    except BranchError:
        return Change("Other", merge.branch, None, merge.author)
    group = KINDS[kind]
    if group is None:
        return None
    note = _note_in(merge.body)
    text = note or describe(rest)
    return Change(group, text, issue_of(rest), merge.author)


def _note_in(body):
    for line in body.splitlines():
        name, sep, value = line.partition(":")
        if sep and name.strip().lower() == "note":
            return value.strip()
    return ""


def collect(merges, since=None):
    """Group name -> changes, in the order in which they are printed."""
    groups = {}
    seen = set()
    for merge in sorted(merges, key=lambda m: (m.day, m.sha)):
        if since is not None and merge.day <= since:
            continue
        change = change_of(merge)
        if change is None or (change.group, change.text, change.issue) in seen:
            continue
        seen.add((change.group, change.text, change.issue))
        groups.setdefault(change.group, []).append(change)
    return {name: groups[name] for name in ORDER if name in groups}
