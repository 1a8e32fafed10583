"""Block tariffs: the first units cost one price, the next ones another."""

from .model import BillLine


class Tariff:
    """`blocks` is a list of (upper bound or None, price in cents)."""

    def __init__(self, blocks, fee=0):
        if not blocks or blocks[-1][0] is not None:
            raise ValueError("the last block must be open")
        bounds = [bound for bound, _ in blocks[:-1]]
        if any(bound is None for bound in bounds) or bounds != sorted(set(bounds)):
            raise ValueError("block bounds must rise")
        self.blocks = list(blocks)
        self.fee = fee

    def lines(self, usage):
        lower = 0
        result = []
        for bound, price in self.blocks:
            upper = usage if bound is None else min(usage, bound)
            if upper > lower:
                result.append(BillLine(_label(lower, bound), upper - lower, price))
            if bound is None or usage <= bound:
                break
            lower = bound
        return result

    def price(self, usage):
        return self.fee + sum(line.cents for line in self.lines(usage))


def _label(lower, bound):
    if bound is None:
        return f"over {lower}" if lower else "all"
    return f"{lower} to {bound}"


HOUSEHOLD = Tariff([(50, 120), (150, 180), (None, 260)], fee=500)
GARDEN = Tariff([(None, 90)], fee=200)
