"""Tracks: the positions that a walk has left behind."""

from dataclasses import dataclass, field


@dataclass
class Track:
    positions: list = field(default_factory=list)

    def __len__(self):
        return len(self.positions)

    def length(self):
        """Metres from the first position to the last one, along the track."""
        pairs = zip(self.positions, self.positions[1:])
        return sum(here.distance(there) for here, there in pairs)

    def thinned(self, metres):
        """Without the positions that are closer than that to the one before.

        The first and last positions are always kept.
        """
        kept = []
        for position in self.positions:
            if not kept or kept[-1].distance(position) >= metres:
                kept.append(position)
        if kept and kept[-1] != self.positions[-1]:
            kept.append(self.positions[-1])
        return Track(kept)

    def passes(self, mark, metres=50):
        """Whether the track comes close to a mark."""
        return any(position.distance(mark.position) <= metres for position in self.positions)
