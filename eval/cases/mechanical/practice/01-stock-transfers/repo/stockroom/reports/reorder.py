from ..catalog import clean_sku


def packs(quantity, pack_size):
    return -(-quantity // pack_size)


def reorder_list(catalog, ledger, site):
    """(sku, quantity) of everything at or below its reorder point.

    The quantity brings the site to twice the reorder point, in whole packs.
    """
    lines = []
    for product in catalog:
        level = ledger.on_hand(site, clean_sku(product.sku))
        if product.reorder_at and level <= product.reorder_at:
            missing = 2 * product.reorder_at - level
            lines.append((product.sku, packs(missing, product.pack_size) * product.pack_size))
    return lines
