import os  # at: unused


def mean(prices: list[int]) -> int:
    return "two"  # at: types


def far():
    return undefined_name  # at: undefined
