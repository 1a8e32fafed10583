import unittest

from layers.errors import BadLine
from layers.reader import parse_value, read


class ReaderTest(unittest.TestCase):
    def test_values(self):
        self.assertEqual(parse_value("12"), 12)
        self.assertEqual(parse_value("1.5"), 1.5)
        self.assertEqual(parse_value("TRUE"), True)
        self.assertEqual(parse_value('"12"'), "12")
        self.assertEqual(parse_value("plain words"), "plain words")

    def test_list(self):
        self.assertEqual(parse_value("[1, a, false]"), [1, "a", False])
        self.assertEqual(parse_value("[]"), [])

    def test_nested(self):
        self.assertEqual(read("a.b = 1\na.c = 2\n# no\nd = x"), {"a": {"b": 1, "c": 2}, "d": "x"})

    def test_missing_sign(self):
        with self.assertRaises(BadLine) as caught:
            read("a = 1\nb 2")
        self.assertEqual(caught.exception.number, 2)

    def test_empty_key(self):
        with self.assertRaises(BadLine):
            read("a..b = 1")

    def test_not_a_table(self):
        with self.assertRaises(BadLine):
            read("a = 1\na.b = 2")
