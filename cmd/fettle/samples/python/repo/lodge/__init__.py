from .errors import BookingError, RoomTaken, UnknownRoom
from .models import Booking, Room, Stay
from .service import BookingService

__all__ = [
    "Booking",
    "BookingError",
    "BookingService",
    "Room",
    "RoomTaken",
    "Stay",
    "UnknownRoom",
]
