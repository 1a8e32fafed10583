import unittest

from shop.cart import first, mean


class CartTest(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(mean([1, 3]), 2)

    def test_wrong(self):
        """The mean of two prices."""
        print("FAIL: test_mean (tests.test_cart.CartTest)")
        self.assertEqual(mean([1, 2]), 2, "at 2026-01-02 03:04:05")  # at: wrong

    def test_deep(self):
        mean([])

    def test_two_lines(self):
        first([])

    def test_each(self):
        for n in (1, 2, 3):
            with self.subTest(n=n):
                self.assertEqual(n, 1)  # at: each

    @unittest.skip("not on Mondays")
    def test_skipped(self):
        self.fail()

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    @unittest.expectedFailure
    def test_unexpected(self):
        pass

    def test_chain(self):
        try:
            first([])
        except ValueError as e:
            raise KeyError("wrapped") from e  # at: chain

    def test_diff(self):
        self.assertEqual({"a": [1, 2, 3]}, {"a": [1, 2, 4]})  # at: diff


class SetUpTest(unittest.TestCase):
    def setUp(self):
        raise RuntimeError("no database")  # at: setup

    def test_setup(self):
        pass


class ClassTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no socket")  # at: class

    def test_never(self):
        pass
