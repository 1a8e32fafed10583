import pytest

from stockroom import IN_TRANSIT, WrongState


@pytest.mark.parametrize("quantity", [1, 12, 40])
def test_recall_undoes_the_shipment(desk, ledger, quantity):
    transfer = desk.request("TEA-01", quantity, "north", "south")
    desk.ship(transfer.id)
    desk.recall(transfer.id)
    assert ledger.on_hand("north", "TEA-01") == 40
    assert ledger.on_hand("south", "TEA-01") == 5
    assert ledger.on_hand(IN_TRANSIT, "TEA-01") == 0
    assert ledger.total("TEA-01") == 45
    assert transfer.state == "recalled"


def test_recall_posts_out_of_the_truck_first(desk, ledger):
    transfer = desk.request("TEA-01", 7, "north", "south")
    desk.ship(transfer.id)
    desk.recall(transfer.id)
    last = ledger.history()[-2:]
    assert [(e.site, e.delta) for e in last] == [(IN_TRANSIT, -7), ("north", 7)]
    assert last[0].reason == f"recall {transfer.id}"


def test_recall_of_one_leaves_the_other_on_the_road(desk, ledger):
    first = desk.request("TEA-01", 10, "north", "south")
    second = desk.request("TEA-01", 4, "north", "south")
    desk.ship(first.id)
    desk.ship(second.id)
    desk.recall(first.id)
    assert ledger.on_hand(IN_TRANSIT, "TEA-01") == 4
    assert desk.available("north", "TEA-01") == 36


def test_recall_before_shipping_posts_nothing(desk, ledger):
    transfer = desk.request("TEA-01", 12, "north", "south")
    desk.recall(transfer.id)
    assert len(ledger.history()) == 2


def test_recall_twice(desk):
    transfer = desk.request("TEA-01", 12, "north", "south")
    desk.ship(transfer.id)
    desk.recall(transfer.id)
    with pytest.raises(WrongState):
        desk.recall(transfer.id)
