import pytest


def test_create_counts(board):
    assert len(board) == 2
    assert board[2].title == "no coffee"


def test_title_needed(board):
    with pytest.raises(ValueError):
        board.create("  ", 0)


def test_in_state_and_active(board):
    board.move(1, "closed", 20)
    assert [t.number for t in board.in_state("closed")] == [1]
    assert [t.number for t in board.active()] == [2]


def test_oldest(board):
    assert board.oldest("new").number == 1
    board.move(2, "open", 20)
    board.move(1, "open", 30)
    assert board.oldest("open").number == 2
    assert board.oldest("solved") is None


def test_visited(board):
    assert board[1].visited() == ["new"]
    board.move(1, "open", 5)
    board.move(1, "closed", 6)
    assert board[1].visited() == ["new", "open", "closed"]


def test_running_time(board):
    assert board[1].time_in("new", now=25) == 25
    assert board[1].time_in("open", now=25) == 0
