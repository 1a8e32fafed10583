import unittest

from beds import full


class Beds(unittest.TestCase):
    def test_full(self):
        for guests, beds, want in [(3, 4, False), (4, 4, True), (5, 4, True), (0, 0, True), (0, 1, False), (1, 4, False), (-1, -2, True)]:
            self.assertEqual(full(guests, beds), want)
