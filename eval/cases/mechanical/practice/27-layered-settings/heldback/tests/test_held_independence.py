import copy
import unittest

from layers import ProfileBook, Settings, merge, merge_all


def scribble(node):
    """Change everything that can be changed in place."""
    if isinstance(node, dict):
        for key in list(node):
            scribble(node[key])
        node["scribble"] = 1
    elif isinstance(node, list):
        for item in node:
            scribble(item)
        node.append("scribble")


CASES = [
    ({"a": [1]}, {}),
    ({}, {"a": [1]}),
    ({"a": [1]}, {"b": [2]}),
    ({"a": {"b": [1]}}, {}),
    ({"a": {"b": [1]}}, {"a": {"c": [2]}}),
    ({}, {"a": {"b": {"c": [1]}}}),
    ({"a": 1}, {"a": {"b": [1]}}),
    ({"a": [{"n": 1}, [2]]}, {}),
    ({}, {"a": [{"n": [1]}, [2, [3]]]}),
    ({"a": {"x": {"y": 1}}}, {"a": {"x": [1, {"z": []}]}}),
    ({"a": [[1]]}, {"a": None, "b": {}}),
]


class IndependenceTest(unittest.TestCase):
    def test_result_shares_nothing(self):
        for base, over in CASES:
            with self.subTest(base=base, over=over):
                b, o = copy.deepcopy(base), copy.deepcopy(over)
                scribble(merge(b, o))
                self.assertEqual((b, o), (base, over))

    def test_merge_all_shares_nothing(self):
        for base, over in CASES:
            for layers in ([base], [over], [base, over], [over, base], [base, over, {}]):
                with self.subTest(layers=layers):
                    given = copy.deepcopy(layers)
                    scribble(merge_all(given))
                    self.assertEqual(given, layers)

    def test_overrides_share_nothing(self):
        table = {"a": [1], "b": {"c": [2]}}
        extra = {"d": [3], "b": {"e": [4]}}
        s = Settings(table)
        t = s.with_overrides(extra)
        for path in ("a", "b.c", "d", "b.e"):
            t.append(path, 9)
        self.assertEqual(table, {"a": [1], "b": {"c": [2]}})
        self.assertEqual(extra, {"d": [3], "b": {"e": [4]}})

    def test_profiles_do_not_leak(self):
        book = ProfileBook({"x": {"list": []}})
        book.define("one", {"y": ["p"], "n": {"deep": {"k": ["q"]}}})
        book.define("two", {"z": 1}, parent="one")
        s = book.build("two")
        s.append("x.list", 1)
        s.append("y", 1)
        s.append("n.deep.k", 1)
        s.set("n.deep.new", 1)
        for name in ("one", "two"):
            fresh = book.build(name)
            self.assertEqual(fresh.get("x.list"), [])
            self.assertEqual(fresh.get("y"), ["p"])
            self.assertEqual(fresh.get("n.deep"), {"k": ["q"]})

    def test_two_builds_differ(self):
        book = ProfileBook({"t": [{"a": 1}]})
        book.define("p", {})
        a, b = book.build("p"), book.build("p")
        a.get("t")[0]["a"] = 2
        self.assertEqual(b.get("t"), [{"a": 1}])

    def test_kinds_stay(self):
        got = merge({"l": [], "d": {}, "s": "x", "t": (1, 2)}, {"e": {}, "f": [], "n": 0, "g": False})
        self.assertEqual(got, {"l": [], "d": {}, "s": "x", "t": (1, 2), "e": {}, "f": [], "n": 0, "g": False})
        self.assertIs(got["g"], False)

    def test_removal_in_new_table(self):
        self.assertEqual(merge({}, {"a": {"b": None, "c": 1}}), {"a": {"c": 1}})
        self.assertEqual(merge({"a": {"b": 1}}, {"a": {"b": None}}), {"a": {}})

    def test_unknown_objects_are_kept(self):
        marker = object()
        self.assertIs(merge({"m": marker}, {})["m"], marker)
        self.assertIs(merge({}, {"m": marker})["m"], marker)

    def test_none_in_base_is_kept(self):
        self.assertEqual(merge({"a": None}, {"b": 1}), {"a": None, "b": 1})
