class Empty(ValueError):
    pass


def mean(prices):
    return sum(prices) / len(prices)  # at: mean


def first(prices):
    if not prices:
        raise Empty("no prices:\nthe cart is empty")  # at: first
    return prices[0]
