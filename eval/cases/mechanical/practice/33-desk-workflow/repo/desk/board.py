"""All tickets of a desk."""
from .ticket import Ticket
from .workflow import DEFAULT, Workflow


class Board:
    def __init__(self, workflow=None):
        self.workflow = workflow or Workflow(
            "new", DEFAULT, final=["closed"], owned=["working"]
        )
        self._tickets = {}
        self._next = 1

    def create(self, title, now):
        if not title.strip():
            raise ValueError("a ticket needs a title")
        ticket = Ticket(self._next, title.strip(), self.workflow.start, now)
        self._tickets[ticket.number] = ticket
        self._next += 1
        return ticket

    def __getitem__(self, number):
        return self._tickets[number]

    def __len__(self):
        return len(self._tickets)

    def assign(self, number, owner):
        self._tickets[number].owner = owner

    def move(self, number, target, now, who="system"):
        return self.workflow.move(self._tickets[number], target, now, who)

    def in_state(self, state):
        return [t for t in self._tickets.values() if t.state == state]

    def active(self):
        return [t for t in self._tickets.values() if t.state not in self.workflow.final]

    def oldest(self, state):
        """The ticket which has been in the state for the longest time."""
        found = self.in_state(state)
        return min(found, key=lambda t: (t.since, t.number)) if found else None
