import pytest

from desk import DEFAULT, Ticket, TransitionError, Workflow


def make():
    return Workflow("new", DEFAULT, final=["closed"], owned=["working"])


def test_states():
    assert make().states() == ["closed", "new", "open", "solved", "waiting", "working"]


def test_targets():
    assert make().targets("solved") == ["closed", "open"]
    assert make().targets("nowhere") == []


def test_path():
    assert make().path("new", "solved") == ["new", "open", "working", "solved"]
    assert make().path("open", "new") is None


def test_move_changes_state():
    t = Ticket(1, "x", "new", 0)
    make().move(t, "open", 5, "ann")
    assert (t.state, t.since) == ("open", 5)


def test_move_not_possible():
    t = Ticket(1, "x", "new", 0)
    with pytest.raises(TransitionError, match="not possible"):
        make().move(t, "solved", 5, "ann")
    assert t.state == "new" and t.steps == []


def test_move_needs_owner():
    t = Ticket(1, "x", "open", 0)
    with pytest.raises(TransitionError, match="owner"):
        make().move(t, "working", 5, "ann")


def test_move_back_in_time():
    t = Ticket(1, "x", "new", 10)
    with pytest.raises(TransitionError, match="backwards"):
        make().move(t, "open", 9, "ann")


def test_step_is_recorded():
    t = Ticket(1, "x", "new", 0)
    step = make().move(t, "open", 5, "ann")
    assert (step.source, step.target, step.who) == ("new", "open", "ann")
    assert t.steps == [step]


def test_listener_sees_new_state():
    flow, seen = make(), []
    flow.listen(lambda ticket, step: seen.append((ticket.state, step.source)))
    flow.move(Ticket(1, "x", "new", 0), "open", 5, "ann")
    assert seen == [("open", "new")]
