class BookingError(Exception):
    """Something about the request cannot be honoured."""


class UnknownRoom(BookingError):
    pass


class RoomTaken(BookingError):
    pass
