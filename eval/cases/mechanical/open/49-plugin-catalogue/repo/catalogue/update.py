"""What an update would change."""

from .version import Version
from .wish import Wish


def updates(index, installed, pre=False):
    """Tuples (name, old, new) for plugins with a newer version."""
    wish = Wish([], pre)
    result = []
    for name, text in sorted(installed.items()):
        old = Version.parse(text)
        best = index.best(name, wish)
        if best is not None and best > old:
            result.append((name, str(old), str(best)))
    return result


def describe(changes):
    width = max((len(name) for name, _, _ in changes), default=0)
    return "\n".join(f"{name.ljust(width)}  {old} -> {new}" for name, old, new in changes)


def breaking(changes):
    """Names of the plugins whose major number changes."""
    return [
        name for name, old, new in changes if Version.parse(old).major != Version.parse(new).major
    ]
