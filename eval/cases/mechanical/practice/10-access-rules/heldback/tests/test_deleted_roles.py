import unittest

from gatekeeper import Gatekeeper


class DeletedRolesTest(unittest.TestCase):
    def setUp(self):
        self.gate = Gatekeeper()
        self.gate.roles.define("reader", "allow read docs/**")
        self.gate.roles.define("editor", "allow write docs/*", inherits=["reader"])
        self.gate.users.add("ann", "editor")

    def names(self, *roles):
        return [role.name for role in self.gate.roles.effective(roles)]

    def test_only_role_deleted(self):
        self.gate.roles.delete("editor")
        self.assertFalse(self.gate.may("ann", "write", "docs/a"))
        self.assertEqual(self.gate.decide("ann", "read", "docs/a").reason(), "no rule applies")

    def test_inherited_role_deleted(self):
        self.gate.roles.delete("reader")
        self.assertTrue(self.gate.may("ann", "write", "docs/a"))
        self.assertFalse(self.gate.may("ann", "read", "docs/a"))

    def test_deleted_first_the_rest_still_counts(self):
        self.gate.users.add("ben", "gone", "reader")
        self.assertTrue(self.gate.may("ben", "read", "docs/a"))

    def test_deleted_last(self):
        self.gate.users.add("ben", "reader", "gone")
        self.assertTrue(self.gate.may("ben", "read", "docs/a"))

    def test_several_deleted_between(self):
        self.assertEqual(self.names("gone", "editor", "lost", "gone"), ["editor", "reader"])

    def test_none_at_all(self):
        self.assertEqual(self.names("gone"), [])
        self.assertEqual(self.names(), [])

    def test_effective_holds_no_empty_places(self):
        self.assertNotIn(None, self.gate.roles.effective(["gone", "reader"]))

    def test_defined_again(self):
        self.gate.roles.delete("reader")
        self.assertEqual(self.names("editor"), ["editor"])
        self.gate.roles.define("reader", "allow read docs/**")
        self.assertEqual(self.names("editor"), ["editor", "reader"])

    def test_who_may_with_stale_users(self):
        self.gate.users.add("ben", "gone")
        self.gate.users.add("cat", "gone", "reader")
        self.assertEqual(self.gate.who_may("read", "docs/x"), ["ann", "cat"])
