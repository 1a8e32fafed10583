import pytest

from parcel import Parcel, QuoteError, quote, quote_many
from parcel.surcharge import insurance, is_bulky, volume_weight


def test_home_quote(tariff):
    q = quote(tariff, Parcel(800), "de")
    assert q.zone == "home"
    assert q.total == 499


def test_volume_counts_abroad(tariff):
    parcel = Parcel(400, size=(300, 200, 100))
    assert volume_weight(parcel.size) == 1200
    assert quote(tariff, parcel, "FR").total == 1499
    assert quote(tariff, parcel, "DE").total == 499


def test_bulky_line(tariff):
    q = quote(tariff, Parcel(3000, size=(1300, 100, 100)), "DE")
    assert q.lines == [("postage", 799), ("bulky", 1500)]


def test_bulky_edges():
    assert not is_bulky((1200, 100, 100))
    assert is_bulky((1201, 100, 100))


def test_insurance_steps():
    assert insurance(50_000) == 0
    assert insurance(50_001) == 350
    assert insurance(100_000) == 350
    assert insurance(100_001) == 700


def test_over_the_limit(tariff):
    with pytest.raises(QuoteError, match="10500 g"):
        quote(tariff, Parcel(10500), "DE")


def test_many_with_full_parcel(tariff):
    parcels = [Parcel(900), Parcel(10_000), Parcel(12_000)]
    assert quote_many(tariff, parcels, "DE") == (499 + 1049, [2])


def test_render(tariff):
    q = quote(tariff, Parcel(700, value_cents=60_000), "DE")
    assert q.render().splitlines()[-1] == "total          8.49"
