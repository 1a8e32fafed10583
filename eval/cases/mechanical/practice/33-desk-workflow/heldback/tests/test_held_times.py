import random

import pytest

from desk import Board, DEFAULT, Ticket, TransitionError, Workflow
from desk.metrics import lead_time, mean_time, summary


def walk(seed):
    """A random life of a ticket, and the times added up independently."""
    rng = random.Random(seed)
    board = Board()
    now = rng.randrange(50)
    t = board.create("x", now)
    t.owner = "eve"
    begin, want = now, {}
    for _ in range(rng.randrange(1, 12)):
        wait = rng.choice([0, 1, 7, 60])
        state = t.state
        now += wait
        want[state] = want.get(state, 0) + wait
        board.move(1, rng.choice(board.workflow.targets(state)), now)
    return t, begin, now, want


@pytest.mark.parametrize("seed", range(25))
def test_times_of_random_lives(seed):
    t, begin, now, want = walk(seed)
    assert t.spent == want
    assert lead_time(t) == now - begin
    assert t.since == now
    for state in want:
        assert t.time_in(state) == want[state]
    assert t.time_in(t.state, now + 9) == want.get(t.state, 0) + 9


@pytest.mark.parametrize("seed", range(8))
def test_steps_chain(seed):
    t, *_ = walk(seed)
    for before, after in zip(t.steps, t.steps[1:]):
        assert before.target == after.source
        assert before.time <= after.time
    assert t.steps[-1].target == t.state
    assert t.steps[0].source == "new"


def test_times_go_to_the_state_that_was_left():
    board = Board()
    board.create("x", 100)
    board.move(1, "open", 130)
    assert board[1].spent == {"new": 30}
    board.move(1, "closed", 200)
    board.move(1, "open", 205)
    board.move(1, "closed", 305)
    assert board[1].spent == {"new": 30, "open": 170, "closed": 5}


def test_listener_sees_finished_ticket():
    flow = Workflow("a", [("a", "b")])
    t = Ticket(1, "x", "a", 3)
    seen = []
    flow.listen(lambda tk, st: seen.append((tk.state, tk.since, dict(tk.spent), st.time, len(tk.steps))))
    flow.move(t, "b", 10, "me")
    assert seen == [("b", 10, {"a": 7}, 10, 1)]


def test_failed_move_changes_nothing():
    flow = Workflow("new", DEFAULT, owned=["working"])
    t = Ticket(1, "x", "open", 10)
    for target, now in (("solved", 20), ("working", 20), ("closed", 9)):
        with pytest.raises(TransitionError):
            flow.move(t, target, now, "me")
    assert (t.state, t.since, t.spent, t.steps) == ("open", 10, {}, [])


def test_move_in_the_same_minute():
    flow = Workflow("new", DEFAULT)
    t = Ticket(1, "x", "new", 10)
    flow.move(t, "open", 10, "me")
    assert t.spent == {"new": 0}
    assert mean_time([t], "new") == 0


def test_loop_to_itself():
    flow = Workflow("a", [("a", "a")])
    t = Ticket(1, "x", "a", 0)
    flow.move(t, "a", 4, "me")
    flow.move(t, "a", 10, "me")
    assert t.spent == {"a": 10}
    assert t.time_in("a", 12) == 12


def test_summary_with_times():
    board = Board()
    board.create("a", 0)
    board.create("b", 0)
    board.move(1, "open", 60)
    board.move(2, "open", 120)
    board.move(2, "closed", 125)
    assert summary(board)[1] == "new        0  1h 30m"
    assert summary(board)[2] == "open       1  5m"
