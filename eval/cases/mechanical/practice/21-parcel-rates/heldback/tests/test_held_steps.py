import pytest

from parcel import Parcel, QuoteError, Tariff, load_tariff, quote, quote_many

STEPS = [(1, 10), (2, 20), (50, 30), (51, 40), (1000, 50)]


@pytest.fixture
def fine():
    t = Tariff()
    t.add_zone("home", STEPS)
    return t


@pytest.mark.parametrize("grams", list(range(1, 60)) + [500, 999, 1000])
def test_first_step_that_carries(fine, grams):
    want = next(c for limit, c in STEPS if grams <= limit)
    assert fine.price("home", grams) == want


@pytest.mark.parametrize("grams", [1001, 1002, 5000])
def test_above_last(fine, grams):
    assert fine.price("home", grams) is None


@pytest.mark.parametrize(
    "zone,grams,cents",
    [
        ("home", 1000, 499), ("home", 1001, 649), ("home", 999, 499),
        ("home", 5000, 799), ("home", 5001, 1049), ("home", 10000, 1049),
        ("near", 1000, 899), ("near", 1001, 1499), ("near", 5000, 1499),
        ("far", 500, 1299), ("far", 501, 2199), ("far", 2000, 2199),
    ],
)
def test_edges(tariff, zone, grams, cents):
    assert tariff.price(zone, grams) == cents


@pytest.mark.parametrize("zone,grams", [("home", 10001), ("near", 5001), ("far", 2001)])
def test_over(tariff, zone, grams):
    assert tariff.price(zone, grams) is None


def test_single_step():
    t = load_tariff("home: 3kg=100")
    assert t.price("home", 3000) == 100
    assert t.price("home", 3001) is None
    assert t.max_weight("home") == 3000


def test_volume_on_the_edge(tariff):
    assert quote(tariff, Parcel(100, size=(500, 100, 100)), "AT").total == 899
    assert quote(tariff, Parcel(100, size=(500, 250, 80)), "US").total == 2199


def test_quote_error_only_above(tariff):
    quote(tariff, Parcel(10000), "DE")
    with pytest.raises(QuoteError):
        quote(tariff, Parcel(10001), "DE")


def test_many(tariff):
    parcels = [Parcel(g, size=(10, 10, 10)) for g in (500, 501, 2000, 2001)]
    assert quote_many(tariff, parcels, "JP") == (1299 + 2199 * 2, [3])


@pytest.mark.parametrize("grams", [0, -1])
def test_still_rejects(tariff, grams):
    with pytest.raises(ValueError):
        tariff.price("home", grams)


def test_bisect_state_not_changed(tariff):
    for _ in range(3):
        assert tariff.price("home", 2000) == 649
    assert tariff.max_weight("home") == 10000
