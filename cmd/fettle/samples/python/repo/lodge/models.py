from dataclasses import dataclass
from datetime import date, timedelta

from .errors import BookingError


@dataclass(frozen=True)
class Room:
    number: str
    beds: int
    cents_per_night: int


@dataclass(frozen=True)
class Stay:
    check_in: date
    check_out: date

    def __post_init__(self):
        if self.check_out <= self.check_in:
            raise BookingError("check-out must be after check-in")

    @property
    def nights(self):
        return (self.check_out - self.check_in).days

    def dates(self):
        day = self.check_in
        while day < self.check_out:
            yield day
            day += timedelta(days=1)

    def overlaps(self, other):
        return self.check_in < other.check_out and other.check_in < self.check_out


@dataclass(frozen=True)
class Booking:
    reference: str
    room: Room
    stay: Stay
    guest: str
    guests: int
    total_cents: int
