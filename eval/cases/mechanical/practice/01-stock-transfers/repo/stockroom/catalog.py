from dataclasses import dataclass

from .errors import UnknownSku


def clean_sku(text):
    return text.strip().upper().replace(" ", "-")


@dataclass(frozen=True)
class Product:
    sku: str
    title: str
    reorder_at: int = 0
    pack_size: int = 1


class Catalog:
    def __init__(self, products=()):
        self._products = {}
        for product in products:
            self.add(product)

    def add(self, product):
        self._products[clean_sku(product.sku)] = product

    def get(self, sku):
        try:
            return self._products[clean_sku(sku)]
        except KeyError:
            raise UnknownSku(sku) from None

    def __iter__(self):
        return iter(sorted(self._products.values(), key=lambda product: product.sku))
