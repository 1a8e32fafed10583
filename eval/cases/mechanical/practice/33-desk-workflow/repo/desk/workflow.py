"""Which changes of state there are, and making them."""
from .ticket import Step


class TransitionError(Exception):
    def __init__(self, ticket, target, why):
        super().__init__(f"ticket {ticket.number}: {ticket.state} -> {target}: {why}")
        self.target = target


class Workflow:
    def __init__(self, start, arrows, final=(), owned=()):
        self.start = start
        self.arrows = {}
        for source, target in arrows:
            self.arrows.setdefault(source, []).append(target)
        self.final = frozenset(final)
        self.owned = frozenset(owned)
        self._listeners = []

    def states(self):
        names = {self.start}
        for source, targets in self.arrows.items():
            names.add(source)
            names.update(targets)
        return sorted(names)

    def targets(self, state):
        return list(self.arrows.get(state, ()))

    def listen(self, function):
        """function(ticket, step) is called after every change."""
        self._listeners.append(function)

    def move(self, ticket, target, now, who):
        if target not in self.targets(ticket.state):
            raise TransitionError(ticket, target, "not possible")
        if target in self.owned and ticket.owner is None:
            raise TransitionError(ticket, target, "needs an owner")
        if now < ticket.since:
            raise TransitionError(ticket, target, "time runs backwards")
        step = Step(now, ticket.state, target, who)
        ticket.since = now
        minutes = now - ticket.since
        ticket.spent[ticket.state] = ticket.spent.get(ticket.state, 0) + minutes
        ticket.steps.append(step)
        ticket.state = target
        for function in self._listeners:
            function(ticket, step)
        return step

    def path(self, source, target):
        """Shortest list of states from source to target, or None."""
        queue = [[source]]
        seen = {source}
        while queue:
            line = queue.pop(0)
            if line[-1] == target:
                return line
            for name in self.targets(line[-1]):
                if name not in seen:
                    seen.add(name)
                    queue.append(line + [name])
        return None


DEFAULT = [
    ("new", "open"),
    ("new", "closed"),
    ("open", "working"),
    ("open", "closed"),
    ("working", "waiting"),
    ("working", "solved"),
    ("waiting", "working"),
    ("solved", "closed"),
    ("solved", "open"),
    ("closed", "open"),
]
