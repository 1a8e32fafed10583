import pytest

from stockroom import IN_TRANSIT, LOST, InsufficientStock, StockError, WrongState


def test_request_claims_stock(desk, ledger):
    desk.request("tea 01", 30, "north", "south")
    assert desk.available("north", "TEA-01") == 10
    assert ledger.on_hand("north", "TEA-01") == 40


def test_request_beyond_available(desk):
    desk.request("TEA-01", 30, "north", "south")
    with pytest.raises(InsufficientStock) as caught:
        desk.request("TEA-01", 11, "north", "south")
    assert caught.value.available == 10


def test_request_to_the_same_site(desk):
    with pytest.raises(StockError):
        desk.request("TEA-01", 1, "north", "north")


def test_shipped_goods_are_in_transit(desk, ledger):
    transfer = desk.request("TEA-01", 12, "north", "south")
    desk.ship(transfer.id)
    assert ledger.on_hand("north", "TEA-01") == 28
    assert ledger.on_hand(IN_TRANSIT, "TEA-01") == 12


def test_receive_everything(desk, ledger):
    transfer = desk.request("TEA-01", 12, "north", "south")
    desk.ship(transfer.id)
    desk.receive(transfer.id)
    assert ledger.on_hand("south", "TEA-01") == 17
    assert ledger.on_hand(IN_TRANSIT, "TEA-01") == 0


def test_receive_short(desk, ledger):
    transfer = desk.request("TEA-01", 12, "north", "south")
    desk.ship(transfer.id)
    desk.receive(transfer.id, accepted=9)
    assert ledger.on_hand("south", "TEA-01") == 14
    assert ledger.on_hand(LOST, "TEA-01") == 3


def test_receive_needs_a_shipment(desk):
    transfer = desk.request("TEA-01", 12, "north", "south")
    with pytest.raises(WrongState):
        desk.receive(transfer.id)


def test_recall_before_shipping_frees_the_claim(desk):
    transfer = desk.request("TEA-01", 12, "north", "south")
    desk.recall(transfer.id)
    assert desk.available("north", "TEA-01") == 40


def test_recall_of_a_shipment(desk, ledger):
    transfer = desk.request("TEA-01", 12, "north", "south")
    desk.ship(transfer.id)
    desk.recall(transfer.id)
    assert ledger.on_hand("north", "TEA-01") == 40


def test_received_transfers_cannot_be_recalled(desk):
    transfer = desk.request("TEA-01", 12, "north", "south")
    desk.ship(transfer.id)
    desk.receive(transfer.id)
    with pytest.raises(WrongState):
        desk.recall(transfer.id)


def test_open_transfers(desk):
    first = desk.request("TEA-01", 1, "north", "south")
    second = desk.request("TEA-01", 2, "north", "south")
    desk.recall(first.id)
    assert desk.open_transfers() == [second]
