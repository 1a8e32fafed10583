import unittest

from layers import merge, merge_all


class MergeTest(unittest.TestCase):
    def test_over_wins(self):
        self.assertEqual(merge({"a": 1, "b": 2}, {"b": 3}), {"a": 1, "b": 3})

    def test_nested_tables(self):
        got = merge({"db": {"host": "x", "port": 1}}, {"db": {"port": 2}})
        self.assertEqual(got, {"db": {"host": "x", "port": 2}})

    def test_lists_are_replaced(self):
        self.assertEqual(merge({"a": [1, 2]}, {"a": [3]}), {"a": [3]})

    def test_none_removes(self):
        self.assertEqual(merge({"a": 1, "b": {"c": 1, "d": 2}}, {"a": None, "b": {"c": None}}), {"b": {"d": 2}})

    def test_table_replaces_value(self):
        self.assertEqual(merge({"a": 1}, {"a": {"b": 1}}), {"a": {"b": 1}})

    def test_value_replaces_table(self):
        self.assertEqual(merge({"a": {"b": 1}}, {"a": 1}), {"a": 1})

    def test_merge_does_not_touch_arguments(self):
        base, over = {"a": {"b": 1}}, {"a": {"c": 2}}
        merge(base, over)
        self.assertEqual((base, over), ({"a": {"b": 1}}, {"a": {"c": 2}}))

    def test_merge_all(self):
        self.assertEqual(merge_all([{"a": 1}, {"b": 1}, {"a": 2}]), {"a": 2, "b": 1})
        self.assertEqual(merge_all([]), {})
