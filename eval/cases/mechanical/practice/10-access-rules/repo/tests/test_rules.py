import unittest

from gatekeeper import Rule
from gatekeeper.errors import BadRule


class RuleTest(unittest.TestCase):
    def test_star_stays_in_its_segment(self):
        rule = Rule.parse("allow read docs/*")
        self.assertTrue(rule.covers("read", "docs/a"))
        self.assertFalse(rule.covers("read", "docs/a/b"))

    def test_two_stars_cross_segments(self):
        self.assertTrue(Rule.parse("allow read docs/**").covers("read", "docs/a/b"))

    def test_any_action(self):
        self.assertTrue(Rule.parse("deny * secret").covers("write", "secret"))

    def test_other_action(self):
        self.assertFalse(Rule.parse("allow read docs/*").covers("write", "docs/a"))

    def test_dots_are_literal(self):
        self.assertFalse(Rule.parse("allow read a.txt").covers("read", "abtxt"))

    def test_bad_rules(self):
        for text in ("allow read", "permit read x", "allow read x y"):
            with self.subTest(text), self.assertRaises(BadRule):
                Rule.parse(text)
