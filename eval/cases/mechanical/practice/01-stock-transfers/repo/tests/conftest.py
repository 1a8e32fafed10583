import pytest

from stockroom import Ledger, TransferDesk


@pytest.fixture
def ledger():
    book = Ledger()
    book.post("north", "TEA-01", 40, "count")
    book.post("south", "TEA-01", 5, "count")
    return book


@pytest.fixture
def desk(ledger):
    return TransferDesk(ledger)
