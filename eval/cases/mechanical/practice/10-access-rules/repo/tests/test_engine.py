import unittest

from gatekeeper import Gatekeeper, UnknownUser


class EngineTest(unittest.TestCase):
    def setUp(self):
        self.gate = Gatekeeper()
        roles = self.gate.roles
        roles.define("reader", "allow read docs/**")
        roles.define("editor", "allow write docs/*", inherits=["reader"])
        roles.define("auditor", "allow read logs/*", "deny write **")
        roles.define("chief", "allow publish docs/*", inherits=["editor", "reader"])
        self.gate.users.add("ann", "chief")
        self.gate.users.add("ben", "reader")
        self.gate.users.add("cat", "editor", "auditor")

    def test_own_rule(self):
        self.assertTrue(self.gate.may("ben", "read", "docs/a/b"))

    def test_inherited_rule(self):
        decision = self.gate.decide("ann", "read", "docs/a/b")
        self.assertTrue(decision.allowed)
        self.assertEqual(decision.role, "reader")

    def test_default_is_no(self):
        decision = self.gate.decide("ben", "write", "docs/a")
        self.assertFalse(decision.allowed)
        self.assertEqual(decision.reason(), "no rule applies")

    def test_deny_wins(self):
        decision = self.gate.decide("cat", "write", "docs/a")
        self.assertFalse(decision.allowed)
        self.assertEqual(decision.reason(), "deny write ** (role auditor)")

    def test_each_role_once_nearest_first(self):
        names = [role.name for role in self.gate.roles.effective(["chief"])]
        self.assertEqual(names, ["chief", "editor", "reader"])

    def test_roles_may_inherit_in_circles(self):
        self.gate.roles.define("a", inherits=["b"])
        self.gate.roles.define("b", "allow read x", inherits=["a"])
        self.gate.users.add("dan", "a")
        self.assertTrue(self.gate.may("dan", "read", "x"))

    def test_user_without_roles(self):
        self.gate.users.add("eve")
        self.assertFalse(self.gate.may("eve", "read", "docs/a"))

    def test_unknown_user(self):
        with self.assertRaises(UnknownUser):
            self.gate.may("zoe", "read", "docs/a")

    def test_suspended_user(self):
        self.gate.users.suspend("ann")
        self.assertFalse(self.gate.may("ann", "read", "docs/a"))

    def test_grant_and_revoke(self):
        self.gate.users.grant("ben", "editor")
        self.assertTrue(self.gate.may("ben", "write", "docs/a"))
        self.gate.users.revoke("ben", "editor")
        self.assertFalse(self.gate.may("ben", "write", "docs/a"))

    def test_deleted_role(self):
        self.assertTrue(self.gate.roles.delete("auditor"))
        self.assertFalse(self.gate.roles.delete("auditor"))
        self.assertTrue(self.gate.may("cat", "write", "docs/a"))

    def test_who_may(self):
        self.assertEqual(self.gate.who_may("write", "docs/a"), ["ann"])
