"""Quote parcel prices from weight, size and destination."""
from .quote import Parcel, Quote, QuoteError, quote, quote_many
from .tariff import Tariff, load_tariff

__all__ = ["Parcel", "Quote", "QuoteError", "quote", "quote_many", "Tariff", "load_tariff"]
