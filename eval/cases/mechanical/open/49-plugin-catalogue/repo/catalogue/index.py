"""The published plugins."""

from .version import Version, newest
from .wish import Wish


class UnknownPlugin(KeyError):
    pass


class Index:
    """Versions of plugins and what each of them needs."""

    def __init__(self):
        self._plugins = {}

    @classmethod
    def from_text(cls, text):
        """Lines such as "maps 1.4.0: tiles ^2.0.0, base *"."""
        index = cls()
        for line in text.splitlines():
            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            head, _, tail = line.partition(":")
            name, version = head.split()
            needs = {}
            for need in filter(None, (part.strip() for part in tail.split(","))):
                other, _, wish = need.partition(" ")
                needs[other] = Wish.parse(wish)
            index.publish(name, Version.parse(version), needs)
        return index

    def publish(self, name, version, needs=None):
        versions = self._plugins.setdefault(name, {})
        if version in versions:
            raise ValueError(f"{name} {version} is there already")
        versions[version] = dict(needs or {})

    def names(self):
        return sorted(self._plugins)

    def versions(self, name):
        """All versions of a plugin, the newest first."""
        if name not in self._plugins:
            raise UnknownPlugin(name)
        return sorted(self._plugins[name], reverse=True)

    def needs(self, name, version):
        return self._plugins[name][version]

    def best(self, name, wish):
        return newest(version for version in self.versions(name) if wish.fits(version))
