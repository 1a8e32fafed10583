import unittest
from copy import deepcopy

from layered import ProfileSet
from layered.merge import merge_into

DEFAULTS = {"db": {"host": "localhost", "port": 5432}, "plugins": ["core"]}
PRODUCTION = {"db": {"pool": {"size": 20, "tags": ["a"]}}, "hosts": ["h1"]}


class IsolationTest(unittest.TestCase):
    def setUp(self):
        self.defaults = deepcopy(DEFAULTS)
        self.production = deepcopy(PRODUCTION)
        self.set = (
            ProfileSet(self.defaults)
            .add("production", self.production)
            .add("canary", {"db": {"host": "c", "pool": {"size": 5}}}, extends="production")
        )

    def test_resolving_leaves_the_defaults(self):
        self.set.resolve("canary")
        self.assertEqual(self.defaults, DEFAULTS)

    def test_resolving_leaves_the_parent_profile(self):
        self.set.resolve("canary")
        self.assertEqual(self.production, PRODUCTION)
        self.assertEqual(self.set.resolve("production").get("db.pool.size"), 20)

    def test_environment_does_not_stick(self):
        self.set.resolve("production", environ={"APP_DB__PORT": "1", "APP_DB__POOL__SIZE": "99"})
        again = self.set.resolve("production")
        self.assertEqual(again.get("db.port"), 5432)
        self.assertEqual(again.get("db.pool.size"), 20)

    def test_resolved_twice_is_the_same(self):
        first = self.set.resolve("canary").redacted()
        self.set.resolve("production")
        self.assertEqual(self.set.resolve("canary").redacted(), first)

    def test_no_profile_gives_the_defaults(self):
        self.set.resolve("canary")
        self.assertEqual(self.set.resolve().get("db.host"), "localhost")


class MergeCopyTest(unittest.TestCase):
    def test_layer_below_two_levels_is_copied(self):
        layer = {"a": {"b": {"c": 1}}}
        target = merge_into({}, layer)
        merge_into(target, {"a": {"b": {"c": 2, "d": 3}}})
        self.assertEqual(layer, {"a": {"b": {"c": 1}}})
        self.assertEqual(target, {"a": {"b": {"c": 2, "d": 3}}})

    def test_lists_are_copied(self):
        layer = {"l": [1]}
        target = merge_into({}, layer)
        target["l"].append(2)
        self.assertEqual(layer, {"l": [1]})

    def test_target_is_changed_and_returned(self):
        target = {"a": {"x": 1}}
        inner = target["a"]
        self.assertIs(merge_into(target, {"a": {"y": 2}}), target)
        self.assertIs(target["a"], inner)
        self.assertEqual(inner, {"x": 1, "y": 2})

    def test_section_replaces_scalar(self):
        self.assertEqual(merge_into({"a": 1}, {"a": {"x": 1}}), {"a": {"x": 1}})
