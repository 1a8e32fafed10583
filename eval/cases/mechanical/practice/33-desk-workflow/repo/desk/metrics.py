"""Figures about a board."""


def mean_time(tickets, state):
    """Mean minutes in a state, over the tickets that have left it once."""
    values = [t.time_in(state) for t in tickets if state in t.spent]
    if not values:
        return None
    return sum(values) / len(values)


def overdue(tickets, limits, now):
    """Numbers of the tickets which are longer in their state than allowed."""
    late = []
    for ticket in tickets:
        limit = limits.get(ticket.state)
        if limit is not None and now - ticket.since > limit:
            late.append(ticket.number)
    return sorted(late)


def lead_time(ticket):
    """Minutes from the creation to the last step."""
    if not ticket.steps:
        return None
    return sum(ticket.spent.values())


def reopened(tickets):
    return [t.number for t in tickets if any(s.source == "closed" for s in t.steps)]


def format_minutes(minutes):
    days, rest = divmod(int(minutes), 24 * 60)
    hours, rest = divmod(rest, 60)
    parts = [f"{n}{unit}" for n, unit in ((days, "d"), (hours, "h"), (rest, "m")) if n]
    return " ".join(parts) or "0m"


def summary(board):
    """Lines of state, number of tickets and mean time in it."""
    tickets = [board[n] for n in range(1, len(board) + 1)]
    rows = []
    for state in board.workflow.states():
        mean = mean_time(tickets, state)
        text = "-" if mean is None else format_minutes(mean)
        rows.append(f"{state:<8} {len(board.in_state(state)):>3}  {text}")
    return rows
