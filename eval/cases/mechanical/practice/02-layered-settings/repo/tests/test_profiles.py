import unittest

from layered import CircularProfile, ProfileSet, SettingsError, UnknownProfile
from layered.merge import merge_into, without


def profiles():
    return (
        ProfileSet({"db": {"host": "localhost", "port": 5432}, "debug": False, "plugins": ["core"]})
        .add("staging", {"db": {"host": "db.staging"}, "debug": True})
        .add("production", {"db": {"host": "db.prod", "pool": {"size": 20}}, "+plugins": ["audit"]})
        .add("canary", {"db": {"pool": {"size": 5}}}, extends="production")
    )


class MergeTest(unittest.TestCase):
    def test_sections_merge(self):
        merged = merge_into({"a": {"x": 1, "y": 2}}, {"a": {"y": 3}})
        self.assertEqual(merged, {"a": {"x": 1, "y": 3}})

    def test_none_removes(self):
        self.assertEqual(merge_into({"a": 1, "b": 2}, {"a": None}), {"b": 2})

    def test_plus_appends(self):
        self.assertEqual(merge_into({"l": [1]}, {"+l": [2]}), {"l": [1, 2]})

    def test_without_leaves_the_original(self):
        data = {"db": {"password": "x", "host": "h"}}
        self.assertEqual(without(data, "db.password"), {"db": {"host": "h"}})
        self.assertIn("password", data["db"])


class ResolveTest(unittest.TestCase):
    def test_profile_over_defaults(self):
        settings = profiles().resolve("staging")
        self.assertEqual(settings.get("db.host"), "db.staging")
        self.assertEqual(settings.get("db.port"), 5432)

    def test_extended_profile(self):
        settings = profiles().resolve("canary")
        self.assertEqual(settings.get("db.host"), "db.prod")
        self.assertEqual(settings.get("db.pool.size"), 5)
        self.assertEqual(settings.get("plugins"), ["core", "audit"])

    def test_environment_wins(self):
        settings = profiles().resolve("staging", environ={"APP_DB__PORT": "6000"})
        self.assertEqual(settings.get("db.port"), 6000)

    def test_profiles_are_independent(self):
        configured = profiles()
        configured.resolve("production")
        staging = configured.resolve("staging")
        self.assertNotIn("db.pool.size", staging)

    def test_unknown_profile(self):
        with self.assertRaises(UnknownProfile):
            profiles().resolve("qa")

    def test_circle(self):
        configured = ProfileSet().add("a", {}, extends="b").add("b", {}, extends="a")
        with self.assertRaises(CircularProfile):
            configured.resolve("a")


class ViewTest(unittest.TestCase):
    def test_missing_setting(self):
        with self.assertRaises(SettingsError):
            profiles().resolve("staging").get("db.user")

    def test_default(self):
        self.assertEqual(profiles().resolve("staging").get("db.user", "app"), "app")

    def test_section(self):
        self.assertEqual(profiles().resolve("canary").section("db.pool").get("size"), 5)

    def test_redacted(self):
        plain = profiles().resolve("staging").redacted("db")
        self.assertEqual(plain, {"debug": True, "plugins": ["core"]})
