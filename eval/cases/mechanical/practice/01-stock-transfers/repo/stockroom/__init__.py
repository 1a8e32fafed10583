from .catalog import Catalog, Product
from .errors import InsufficientStock, StockError, UnknownSku, WrongState
from .ledger import Ledger
from .transfers import IN_TRANSIT, LOST, TransferDesk

__all__ = [
    "Catalog",
    "IN_TRANSIT",
    "InsufficientStock",
    "LOST",
    "Ledger",
    "Product",
    "StockError",
    "TransferDesk",
    "UnknownSku",
    "WrongState",
]
