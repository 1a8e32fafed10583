"""Weights in grams, sizes in millimetres, money in cents."""
import re

_WEIGHT = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*(kg|g)\s*$", re.IGNORECASE)
_SIZE = re.compile(r"^\s*(\d+)\s*x\s*(\d+)\s*x\s*(\d+)\s*(mm|cm)\s*$", re.IGNORECASE)


def parse_weight(text):
    """Return grams for a text such as '2.5 kg' or '750g'."""
    match = _WEIGHT.match(text)
    if match is None:
        raise ValueError(f"not a weight: {text!r}")
    number = float(match.group(1))
    if match.group(2).lower() == "kg":
        number *= 1000
    return int(round(number))


def parse_size(text):
    """Return (length, width, height) in millimetres, longest side first."""
    match = _SIZE.match(text)
    if match is None:
        raise ValueError(f"not a size: {text!r}")
    factor = 10 if match.group(4).lower() == "cm" else 1
    sides = [int(match.group(i)) * factor for i in (1, 2, 3)]
    return tuple(sorted(sides, reverse=True))


def format_cents(cents):
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02d}"
