import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TEXT = """
# zone: limit=cents
home: 1kg=499, 2kg=649, 5kg=799, 10kg=1049
near: 1kg=899, 5kg=1499   # neighbours
far: 500g=1299, 2kg=2199
"""


@pytest.fixture
def tariff():
    from parcel import load_tariff

    return load_tariff(TEXT)
