"""Numbers for headings."""


class Numbering:
    """Hands out 1, 1.1, 1.2, 2, ... as headings of some depth come by."""

    def __init__(self):
        self._counters = []

    def next(self, depth):
        while len(self._counters) < depth:
            self._counters.append(0)
        self._counters[depth - 1] += 1
        return ".".join(str(count) for count in self._counters[:depth])
