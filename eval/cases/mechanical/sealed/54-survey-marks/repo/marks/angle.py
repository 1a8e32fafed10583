"""Angles in degrees, minutes and seconds."""

import re

_PARTS = re.compile(
    r"""(\d+)°(?:(\d+)'(?:(\d+(?:\.\d+)?)")?)?([NSEW])""",
)


class AngleError(ValueError):
    pass


def split_angle(value, decimals=0):
    """The degrees, minutes and seconds of an angle without its sign.

    The seconds are rounded to a number of decimals.
    """
    degrees = int(abs(value))
    rest = (abs(value) - degrees) * 60
    minutes = int(rest)
    seconds = round((rest - minutes) * 60, decimals)
    return degrees, minutes, seconds


def join_angle(degrees, minutes=0, seconds=0.0):
    if not 0 <= minutes < 60 or not 0 <= seconds < 60:
        raise AngleError("minutes and seconds must be below 60")
    return degrees + minutes / 60 + seconds / 3600


def parse_angle(text, letters):
    """Read an angle; `letters` are those for positive and negative values."""
    text = text.strip()
    found = _PARTS.fullmatch(text)
    if not found:
        try:
            return float(text)
        except ValueError:
            raise AngleError(f"bad angle {text!r}") from None
    degrees, minutes, seconds, letter = found.groups()
    if letter not in letters:
        raise AngleError(f"{letter} is not one of {letters}")
    value = join_angle(int(degrees), int(minutes or 0), float(seconds or 0))
    return value if letter == letters[0] else -value


def format_angle(value, letters, decimals=0):
    degrees, minutes, seconds = split_angle(value, decimals)
    width = 3 + decimals if decimals else 2
    letter = letters[1] if value < 0 else letters[0]
    return f"{degrees}°{minutes:02d}'{seconds:0{width}.{decimals}f}\"{letter}"
