"""Named profiles which build on one another."""
from .errors import SettingsError, UnknownProfile
from .merge import merge_all
from .reader import read
from .settings import Settings


class ProfileBook:
    def __init__(self, defaults=None):
        self.defaults = defaults or {}
        self._profiles = {}
        self._parents = {}

    def define(self, name, source, parent=None):
        """source: a table or a settings text."""
        if parent is not None and parent not in self._profiles:
            raise UnknownProfile(parent)
        self._profiles[name] = read(source) if isinstance(source, str) else source
        self._parents[name] = parent

    def names(self):
        return sorted(self._profiles)

    def chain(self, name):
        """From the root ancestor down to the profile itself."""
        if name not in self._profiles:
            raise UnknownProfile(name)
        line = []
        while name is not None:
            if name in line:
                raise SettingsError(f"profile {name!r} builds on itself")
            line.append(name)
            name = self._parents[name]
        return line[::-1]

    def build(self, name):
        tables = [self.defaults]
        tables.extend(self._profiles[part] for part in self.chain(name))
        return Settings(merge_all(tables))
