from dataclasses import dataclass
from typing import Optional

from .rules import ALLOW, DENY, Rule
from .stores import RoleStore, UserStore


@dataclass(frozen=True)
class Decision:
    allowed: bool
    rule: Optional[Rule] = None
    role: Optional[str] = None

    def reason(self):
        if self.rule is None:
            return "no rule applies"
        return f"{self.rule} (role {self.role})"


class Gatekeeper:
    def __init__(self):
        self.roles = RoleStore()
        self.users = UserStore()

    def decide(self, user_name, action, resource):
        user = self.users.get(user_name)
        if not user.active:
            return Decision(False)
        first = None
        for role in self.roles.effective(user.roles):
            for rule in role.rules:
                if not rule.covers(action, resource):
                    continue
                if rule.effect == DENY:
                    return Decision(False, rule, role.name)
                if rule.effect == ALLOW and first is None:
                    first = Decision(True, rule, role.name)
        return first or Decision(False)

    def may(self, user_name, action, resource):
        return self.decide(user_name, action, resource).allowed

    def who_may(self, action, resource):
        return [user.name for user in self.users if self.may(user.name, action, resource)]
