import pytest

from parcel.tariff import Tariff, TariffError, load_tariff


def test_zones(tariff):
    assert tariff.zones() == ["far", "home", "near"]


def test_price_inside_steps(tariff):
    assert tariff.price("home", 300) == 499
    assert tariff.price("home", 1500) == 649
    assert tariff.price("near", 4200) == 1499


def test_price_just_over_a_limit(tariff):
    assert tariff.price("home", 2001) == 799


def test_price_at_a_limit(tariff):
    assert tariff.price("home", 2000) == 649


def test_too_heavy(tariff):
    assert tariff.price("far", 2500) is None


def test_max_weight(tariff):
    assert tariff.max_weight("near") == 5000


def test_weightless(tariff):
    with pytest.raises(ValueError):
        tariff.price("home", 0)


def test_unknown_zone(tariff):
    with pytest.raises(TariffError):
        tariff.price("moon", 10)


def test_limits_must_rise():
    with pytest.raises(TariffError):
        Tariff().add_zone("x", [(100, 1), (100, 2)])


def test_load_reports_line():
    with pytest.raises(TariffError, match="line 2"):
        load_tariff("home: 1kg=5\nnear 1kg=4")
