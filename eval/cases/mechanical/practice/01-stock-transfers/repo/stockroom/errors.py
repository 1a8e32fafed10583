class StockError(Exception):
    """Base of everything this package raises on purpose."""


class UnknownSku(StockError):
    pass


class InsufficientStock(StockError):
    def __init__(self, site, sku, wanted, available):
        super().__init__(f"{site} has {available} of {sku}, {wanted} wanted")
        self.site = site
        self.sku = sku
        self.wanted = wanted
        self.available = available


class WrongState(StockError):
    pass
