"""Beds of a house."""


def full(guests, beds):
    """Whether no bed is left."""
    return guests > beds
