"""Choosing a version for each plugin."""

from .index import UnknownPlugin
from .wish import Wish


class Conflict(Exception):
    def __init__(self, name, wish):
        super().__init__(f"no version of {name} fits {wish}")
        self.name = name


def resolve(index, wishes):
    """Versions by name for the wished plugins and all that they need.

    Newer versions are tried before older ones. Raises `Conflict` when there is no
    choice that fits all wishes.
    """
    wishes = {name: Wish.parse(text) for name, text in wishes.items()}
    return _solve(index, {}, wishes, list(wishes))


def _solve(index, chosen, wishes, todo):
    todo = [name for name in todo if name not in chosen]
    if not todo:
        return chosen
    name, *rest = todo
    wish = wishes[name]
    failure = Conflict(name, wish)
    for version in index.versions(name):
        if not wish.fits(version):
            continue
        needs = index.needs(name, version)
        joined = dict(wishes)
        for other, need in needs.items():
            joined[other] = joined[other] & need if other in joined else need
        blocked = [
            other for other in needs if other in chosen and not joined[other].fits(chosen[other])
        ]
        if blocked:
            failure = Conflict(blocked[0], joined[blocked[0]])
            continue
        try:
            return _solve(index, {**chosen, name: version}, joined, rest + list(needs))
        except Conflict as conflict:
            failure = conflict
    raise failure


def missing(index, wishes):
    """Wished plugins that nobody has published."""
    result = []
    for name in wishes:
        try:
            index.versions(name)
        except UnknownPlugin:
            result.append(name)
    return sorted(result)
