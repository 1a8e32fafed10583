from datetime import date

import pytest

from lodge import BookingError, BookingService, Room, RoomTaken, Stay, UnknownRoom

MAY = Stay(date(2024, 5, 6), date(2024, 5, 9))


@pytest.fixture
def service():
    return BookingService([
        Room("1", beds=1, cents_per_night=6000),
        Room("2", beds=2, cents_per_night=9000),
        Room("3", beds=4, cents_per_night=15000),
    ])


def test_book_gives_reference_and_total(service):
    booking = service.book("2", MAY, "Ada", guests=2)
    assert booking.reference == "B0001"
    assert booking.total_cents == 27000


def test_a_room_is_booked_once(service):
    service.book("2", MAY, "Ada")
    with pytest.raises(RoomTaken):
        service.book("2", Stay(date(2024, 5, 8), date(2024, 5, 10)), "Grace")


def test_cancelled_room_is_free_again(service):
    booking = service.book("2", MAY, "Ada")
    service.cancel(booking.reference)
    assert service.book("2", MAY, "Grace").reference == "B0002"


def test_cancel_of_unknown_reference(service):
    with pytest.raises(BookingError):
        service.cancel("B0099")


def test_unknown_room(service):
    with pytest.raises(UnknownRoom):
        service.book("9", MAY, "Ada")


def test_too_many_guests(service):
    with pytest.raises(BookingError):
        service.book("1", MAY, "Ada", guests=3)


def test_free_rooms_cheapest_first(service):
    service.book("1", MAY, "Ada")
    assert [room.number for room in service.free_rooms(MAY, guests=2)] == ["2", "3"]


def test_free_rooms_fit_the_party(service):
    assert [room.number for room in service.free_rooms(MAY, guests=4)] == ["3"]
