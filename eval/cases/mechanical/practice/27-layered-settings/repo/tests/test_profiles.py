import unittest

from layers import ProfileBook, Settings
from layers.errors import UnknownProfile

DEFAULTS = """
log.level = info
log.targets = [stderr]
"""


class SettingsTest(unittest.TestCase):
    def test_get(self):
        s = Settings({"a": {"b": 5}})
        self.assertEqual(s.get("a.b"), 5)
        self.assertEqual(s.get("a.x", 9), 9)
        with self.assertRaises(KeyError):
            s.get("a.b.c")

    def test_set_makes_tables(self):
        s = Settings({})
        s.set("a.b.c", 1)
        self.assertEqual(s.flat(), [("a.b.c", 1)])

    def test_append(self):
        s = Settings({"x": [1]})
        s.append("x", 2)
        s.append("y.z", 3)
        self.assertEqual(s.get("x"), [1, 2])
        self.assertEqual(s.get("y.z"), [3])

    def test_overrides(self):
        s = Settings({"a": {"b": 1}})
        t = s.with_overrides({"a": {"b": 2}})
        self.assertEqual((s.get("a.b"), t.get("a.b")), (1, 2))


class ProfileTest(unittest.TestCase):
    def setUp(self):
        self.book = ProfileBook({"log": {"level": "info", "targets": ["stderr"]}, "mail": {"cc": []}})
        self.book.define("site", "db.host = main\ndb.port = 5432")
        self.book.define("dev", "db.host = localhost", parent="site")

    def test_names(self):
        self.assertEqual(self.book.names(), ["dev", "site"])

    def test_chain(self):
        self.assertEqual(self.book.chain("dev"), ["site", "dev"])

    def test_build(self):
        s = self.book.build("dev")
        self.assertEqual(s.get("db.host"), "localhost")
        self.assertEqual(s.get("db.port"), 5432)
        self.assertEqual(s.get("log.level"), "info")

    def test_unknown(self):
        with self.assertRaises(UnknownProfile):
            self.book.build("prod")
        with self.assertRaises(UnknownProfile):
            self.book.define("x", {}, parent="nope")

    def test_changed_value_stays_in_its_profile(self):
        first = self.book.build("dev")
        first.set("db.host", "elsewhere")
        self.assertEqual(self.book.build("dev").get("db.host"), "localhost")

    def test_second_build_starts_fresh(self):
        first = self.book.build("dev")
        first.append("log.targets", "file")
        self.assertEqual(self.book.build("dev").get("log.targets"), ["stderr"])
