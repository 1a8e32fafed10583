"""Positions on the globe."""

import math
from dataclasses import dataclass

from .angle import AngleError, format_angle, parse_angle

EARTH = 6371008.8


@dataclass(frozen=True)
class Position:
    lat: float
    lon: float

    def __post_init__(self):
        if abs(self.lat) > 90 or abs(self.lon) > 180:
            raise AngleError(f"{self.lat}, {self.lon} is not on the globe")

    @classmethod
    def parse(cls, lat, lon):
        return cls(parse_angle(lat, "NS"), parse_angle(lon, "EW"))

    def text(self, decimals=0):
        lat = format_angle(self.lat, "NS", decimals)
        lon = format_angle(self.lon, "EW", decimals)
        return f"{lat} {lon}"

    def distance(self, other):
        """Metres along the surface."""
        a, b = math.radians(self.lat), math.radians(other.lat)
        half_lat = (b - a) / 2
        half_lon = math.radians(other.lon - self.lon) / 2
        h = math.sin(half_lat) ** 2 + math.cos(a) * math.cos(b) * math.sin(half_lon) ** 2
        return 2 * EARTH * math.asin(min(1.0, math.sqrt(h)))

    def bearing(self, other):
        """The direction to another position, in degrees from north."""
        a, b = math.radians(self.lat), math.radians(other.lat)
        turn = math.radians(other.lon - self.lon)
        east = math.sin(turn) * math.cos(b)
        north = math.cos(a) * math.sin(b) - math.sin(a) * math.cos(b) * math.cos(turn)
        return math.degrees(math.atan2(east, north)) % 360


def compass(bearing):
    """The nearest of eight points of the compass."""
    names = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
    return names[round(bearing / 45) % 8]
