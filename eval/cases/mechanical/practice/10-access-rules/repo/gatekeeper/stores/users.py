from dataclasses import dataclass

from ..errors import UnknownUser


@dataclass
class User:
    name: str
    roles: tuple = ()
    active: bool = True


class UserStore:
    def __init__(self):
        self._users = {}

    def add(self, name, *roles):
        self._users[name] = User(name, tuple(roles))
        return self._users[name]

    def get(self, name):
        try:
            return self._users[name]
        except KeyError:
            raise UnknownUser(name) from None

    def grant(self, name, role):
        user = self.get(name)
        if role not in user.roles:
            user.roles += (role,)

    def revoke(self, name, role):
        user = self.get(name)
        user.roles = tuple(held for held in user.roles if held != role)

    def suspend(self, name):
        self.get(name).active = False

    def __iter__(self):
        return iter(sorted(self._users.values(), key=lambda user: user.name))
