import pytest

from stockroom import Catalog, Product, UnknownSku
from stockroom.reports import reorder_list


@pytest.fixture
def catalog():
    return Catalog([
        Product("TEA-01", "Black tea", reorder_at=10, pack_size=6),
        Product("MUG-07", "Mug", reorder_at=0),
    ])


def test_reorder_in_whole_packs(catalog, ledger):
    assert reorder_list(catalog, ledger, "south") == [("TEA-01", 18)]


def test_nothing_to_reorder(catalog, ledger):
    assert reorder_list(catalog, ledger, "north") == []


def test_catalog_lookup_is_lenient(catalog):
    assert catalog.get(" tea 01 ").title == "Black tea"


def test_unknown_sku(catalog):
    with pytest.raises(UnknownSku):
        catalog.get("HAT-01")
