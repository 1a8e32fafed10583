import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture
def board():
    from desk import Board

    b = Board()
    b.create("printer on fire", 0)
    b.create("no coffee", 10)
    return b
