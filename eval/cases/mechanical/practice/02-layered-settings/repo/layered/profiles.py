from .errors import CircularProfile, UnknownProfile
from .merge import merge_into
from .sources.environ import read_environ
from .view import Settings


class ProfileSet:
    """Defaults and the named profiles over them."""

    def __init__(self, defaults=None):
        self._defaults = defaults or {}
        self._profiles = {}
        self._parents = {}

    def add(self, name, layer, extends=None):
        self._profiles[name] = layer
        self._parents[name] = extends
        return self

    def names(self):
        return sorted(self._profiles)

    def chain(self, name):
        """The profile and what it extends, outermost ancestor first."""
        chain = []
        while name is not None:
            if name not in self._profiles:
                raise UnknownProfile(name)
            if name in chain:
                raise CircularProfile(" -> ".join(chain + [name]))
            chain.append(name)
            name = self._parents[name]
        return chain[::-1]

    def resolve(self, name=None, environ=None, prefix="APP"):
        """The settings in force for a profile."""
        merged = merge_into({}, self._defaults)
        for profile in self.chain(name):
            merge_into(merged, self._profiles[profile])
        if environ:
            merge_into(merged, read_environ(environ, prefix))
        return Settings(merged)
