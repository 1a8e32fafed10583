def test_levels_are_sums(ledger):
    ledger.post("north", "TEA-01", -3, "sale")
    assert ledger.on_hand("north", "TEA-01") == 37


def test_unknown_level_is_zero(ledger):
    assert ledger.on_hand("west", "TEA-01") == 0


def test_move_keeps_the_total(ledger):
    ledger.move("TEA-01", 10, "north", "south", "test")
    assert ledger.on_hand("south", "TEA-01") == 15
    assert ledger.total("TEA-01") == 45


def test_history_by_site(ledger):
    ledger.post("south", "TEA-01", -1, "sale")
    assert [entry.delta for entry in ledger.history(site="south")] == [5, -1]


def test_entries_are_numbered(ledger):
    assert [entry.number for entry in ledger.history()] == [1, 2]
