import pytest

from parcel.units import format_cents, parse_size, parse_weight


@pytest.mark.parametrize("text,grams", [("2.5 kg", 2500), ("750g", 750), (" 1KG ", 1000)])
def test_parse_weight(text, grams):
    assert parse_weight(text) == grams


def test_parse_weight_rejects():
    with pytest.raises(ValueError):
        parse_weight("heavy")


def test_parse_size_sorts_sides():
    assert parse_size("10x30x20cm") == (300, 200, 100)


def test_format_cents():
    assert format_cents(1205) == "12.05"
    assert format_cents(-5) == "-0.05"
