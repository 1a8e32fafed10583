import pytest

from shop.cart import first, mean


@pytest.fixture
def broken():
    raise RuntimeError("no database at 0x7f3a2b1c")  # at: setup


@pytest.fixture
def late():
    yield 1
    raise OSError("cannot close")  # at: teardown


def test_mean():
    assert mean([1, 3]) == 2


def test_wrong():
    print("FAILED tests/test_cart.py::test_mean - not true")
    print("E   AssertionError: nor is this")
    assert mean([1, 2]) == 2  # at: wrong


def test_deep():
    mean([])


def test_two_lines():
    first([])


@pytest.mark.parametrize("n", [1, 2, "a - b", "x y]"])
def test_each(n):
    assert n == 1  # at: each


class TestCart:
    def test_in_class(self):
        with pytest.raises(KeyError):  # at: raises
            first([1])  # at: raises2

    def test_fails_plainly(self):
        pytest.fail("by hand")  # at: plainly


@pytest.mark.skip(reason="not on Mondays")
def test_skipped():
    assert False


@pytest.mark.xfail
def test_expected():
    assert False


@pytest.mark.xfail(strict=True)
def test_unexpected():
    assert True


def test_setup(broken):
    pass


def test_teardown(late):
    assert late == 1


def test_long_diff():
    assert {"a": 1, "b": [1, 2, 3], "c": "x" * 60} == {"a": 1, "b": [1, 2, 4], "c": "x" * 60}  # at: diff


def test_chain():
    try:
        first([])
    except ValueError as e:
        raise KeyError("wrapped") from e  # at: chain
