import unittest

from layered import SettingsError
from layered.sources import read_environ, read_text
from layered.sources.values import parse_value


class ValueTest(unittest.TestCase):
    def test_booleans(self):
        self.assertIs(parse_value(" Yes "), True)
        self.assertIs(parse_value("off"), False)

    def test_numbers(self):
        self.assertEqual(parse_value("-12"), -12)
        self.assertEqual(parse_value(".5"), 0.5)

    def test_quotes_keep_text(self):
        self.assertEqual(parse_value('"12"'), "12")

    def test_lists(self):
        self.assertEqual(parse_value("a, 2,"), ["a", 2])


class EnvironTest(unittest.TestCase):
    def test_nested_names(self):
        environ = {"APP_DB__HOST": "db1", "APP_DEBUG": "on", "OTHER_X": "1"}
        self.assertEqual(read_environ(environ, "app"), {"db": {"host": "db1"}, "debug": True})


class TextTest(unittest.TestCase):
    def test_sections(self):
        text = "debug = no\n# comment\n[db.pool]\nsize = 4\n"
        self.assertEqual(read_text(text), {"debug": False, "db": {"pool": {"size": 4}}})

    def test_bad_line_is_named(self):
        with self.assertRaisesRegex(SettingsError, "line 2"):
            read_text("a = 1\nnonsense\n")
