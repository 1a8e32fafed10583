"""Moving stock from one site to another, by way of a truck."""

from dataclasses import dataclass
from itertools import count

from .catalog import clean_sku
from .errors import InsufficientStock, StockError, WrongState

IN_TRANSIT = "in-transit"
LOST = "lost"


@dataclass
class Transfer:
    id: int
    sku: str
    quantity: int
    source: str
    target: str
    state: str = "requested"


class TransferDesk:
    def __init__(self, ledger):
        self._ledger = ledger
        self._transfers = {}
        self._ids = count(1)

    def get(self, transfer_id):
        try:
            return self._transfers[transfer_id]
        except KeyError:
            raise StockError(f"no transfer {transfer_id}") from None

    def available(self, site, sku):
        """Stock of the site that no open request has a claim on."""
        sku = clean_sku(sku)
        claimed = sum(
            t.quantity
            for t in self._transfers.values()
            if t.state == "requested" and t.source == site and t.sku == sku
        )
        return self._ledger.on_hand(site, sku) - claimed

    def request(self, sku, quantity, source, target):
        sku = clean_sku(sku)
        if quantity <= 0:
            raise StockError("quantity must be positive")
        if source == target:
            raise StockError("source and target are the same site")
        available = self.available(source, sku)
        if quantity > available:
            raise InsufficientStock(source, sku, quantity, available)
        transfer = Transfer(next(self._ids), sku, quantity, source, target)
        self._transfers[transfer.id] = transfer
        return transfer

    def ship(self, transfer_id):
        transfer = self._expect(transfer_id, "requested")
        self._ledger.move(
            transfer.sku, transfer.quantity, transfer.source, IN_TRANSIT, f"ship {transfer.id}"
        )
        transfer.state = "shipped"

    def receive(self, transfer_id, accepted=None):
        """Books the goods in at the target; what is short is booked as lost."""
        transfer = self._expect(transfer_id, "shipped")
        if accepted is None:
            accepted = transfer.quantity
        if not 0 <= accepted <= transfer.quantity:
            raise StockError(f"cannot accept {accepted} of {transfer.quantity}")
        reason = f"receive {transfer.id}"
        if accepted:
            self._ledger.move(transfer.sku, accepted, IN_TRANSIT, transfer.target, reason)
        if accepted < transfer.quantity:
            short = transfer.quantity - accepted
            self._ledger.move(transfer.sku, short, IN_TRANSIT, LOST, reason)
        transfer.state = "received"

    def recall(self, transfer_id):
        """Calls a transfer off, whether or not the truck has left."""
        transfer = self.get(transfer_id)
        if transfer.state == "shipped":
            self._ledger.move(
                transfer.sku, transfer.quantity, transfer.source, IN_TRANSIT, f"recall {transfer.id}"
            )
        elif transfer.state != "requested":
            raise WrongState(f"transfer {transfer_id} is {transfer.state}")
        transfer.state = "recalled"

    def open_transfers(self):
        return [t for t in self._transfers.values() if t.state in ("requested", "shipped")]

    def _expect(self, transfer_id, state):
        transfer = self.get(transfer_id)
        if transfer.state != state:
            raise WrongState(f"transfer {transfer_id} is {transfer.state}, not {state}")
        return transfer
