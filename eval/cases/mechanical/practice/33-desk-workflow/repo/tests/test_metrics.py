from desk.metrics import format_minutes, lead_time, mean_time, overdue, reopened, summary


def test_format_minutes():
    assert format_minutes(0) == "0m"
    assert format_minutes(61) == "1h 1m"
    assert format_minutes(2 * 1440 + 5) == "2d 5m"


def test_overdue(board):
    assert overdue([board[1], board[2]], {"new": 30}, 35) == [1]
    assert overdue([board[1]], {"open": 1}, 99) == []


def test_mean_time_without_tickets(board):
    assert mean_time([board[1]], "new") is None


def test_mean_time(board):
    board.move(1, "open", 30)
    board.move(2, "open", 20)
    assert mean_time([board[1], board[2]], "new") == 20


def test_lead_time_over_two_steps(board):
    board.move(1, "open", 30)
    board.move(1, "closed", 45)
    assert lead_time(board[1]) == 45


def test_lead_time_of_untouched(board):
    assert lead_time(board[1]) is None


def test_reopened(board):
    board.move(1, "closed", 1)
    board.move(1, "open", 2)
    assert reopened([board[1], board[2]]) == [1]


def test_summary_rows(board):
    rows = summary(board)
    assert len(rows) == 6
    assert rows[1] == "new        2  -"
