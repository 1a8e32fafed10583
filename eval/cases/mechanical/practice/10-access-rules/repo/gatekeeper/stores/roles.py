from dataclasses import dataclass, field

from ..rules import Rule


@dataclass
class Role:
    name: str
    rules: list = field(default_factory=list)
    inherits: tuple = ()


class RoleStore:
    def __init__(self):
        self._roles = {}

    def define(self, name, *rules, inherits=()):
        role = Role(name, [Rule.parse(rule) for rule in rules], tuple(inherits))
        self._roles[name] = role
        return role

    def delete(self, name):
        return self._roles.pop(name, None) is not None

    def get(self, name):
        """The role, or None."""
        return self._roles.get(name)

    def effective(self, names):
        """The named roles and all they inherit from, each once, nearest first."""
        found = {}
        queue = list(names)
        while queue:
            name = queue.pop(0)
            if name in found:
                continue
            role = self.get(name)
            found[name] = role
            queue.extend(role.inherits)
        return list(found.values())
