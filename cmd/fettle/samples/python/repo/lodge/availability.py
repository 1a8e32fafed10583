"""Which rooms are free when."""


class Calendar:
    def __init__(self):
        self._stays = {}

    def add(self, room_number, stay):
        self._stays.setdefault(room_number, []).append(stay)

    def remove(self, room_number, stay):
        self._stays[room_number].remove(stay)

    def is_free(self, room_number, stay):
        return not any(stay.overlaps(s) for s in self._stays.get(room_number, []))

    def occupied_nights(self, room_number, stay):
        """How many nights of the stay the room is taken."""
        taken = set()
        for other in self._stays.get(room_number, []):
            taken.update(other.dates())
        return sum(1 for day in stay.dates() if day in taken)
