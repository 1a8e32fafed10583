from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """One change of state in the life of a ticket."""

    time: int
    source: str
    target: str
    who: str


@dataclass
class Ticket:
    number: int
    title: str
    state: str
    since: int
    owner: str = None
    steps: list = field(default_factory=list)
    spent: dict = field(default_factory=dict)

    def time_in(self, state, now=None):
        """Minutes in a state; with `now` the running period counts too."""
        minutes = self.spent.get(state, 0)
        if now is not None and state == self.state:
            minutes += now - self.since
        return minutes

    def visited(self):
        """All states so far, the first one in front."""
        if not self.steps:
            return [self.state]
        return [self.steps[0].source] + [step.target for step in self.steps]
