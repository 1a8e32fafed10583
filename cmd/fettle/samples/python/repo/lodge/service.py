from itertools import count

from .availability import Calendar
from .errors import BookingError, RoomTaken, UnknownRoom
from .models import Booking
from .pricing import quote

MAX_EXTRA_GUESTS = 1


class BookingService:
    def __init__(self, rooms):
        self._rooms = {room.number: room for room in rooms}
        self._calendar = Calendar()
        self._bookings = {}
        self._numbers = count(1)

    def room(self, number):
        try:
            return self._rooms[number]
        except KeyError:
            raise UnknownRoom(number) from None

    def free_rooms(self, stay, guests=1):
        """Rooms that fit the party, cheapest first."""
        fitting = [
            room
            for room in self._rooms.values()
            if room.beds + MAX_EXTRA_GUESTS >= guests
            and self._calendar.is_free(room.number, stay)
        ]
        return sorted(fitting, key=lambda room: (quote(room, stay, guests), room.number))

    def book(self, number, stay, guest, guests=1):
        room = self.room(number)
        if guests < 1 or guests > room.beds + MAX_EXTRA_GUESTS:
            raise BookingError(f"room {number} does not take {guests} guests")
        if not self._calendar.is_free(number, stay):
            raise RoomTaken(number)
        booking = Booking(
            reference=f"B{next(self._numbers):04d}",
            room=room,
            stay=stay,
            guest=guest,
            guests=guests,
            total_cents=quote(room, stay, guests),
        )
        self._calendar.add(number, stay)
        self._bookings[booking.reference] = booking
        return booking

    def cancel(self, reference):
        booking = self._bookings.pop(reference, None)
        if booking is None:
            raise BookingError(f"no booking {reference}")
        self._calendar.remove(booking.room.number, booking.stay)
        return booking
