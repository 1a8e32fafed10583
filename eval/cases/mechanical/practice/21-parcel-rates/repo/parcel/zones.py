"""Which tariff zone a country belongs to."""

HOME = "home"
NEAR = "near"
FAR = "far"

_NEAR = frozenset({"AT", "BE", "CH", "CZ", "DK", "FR", "LU", "NL", "PL"})


def zone_of(country, home="DE"):
    code = country.strip().upper()
    if len(code) != 2 or not code.isalpha():
        raise ValueError(f"not a country code: {country!r}")
    if code == home:
        return HOME
    if code in _NEAR:
        return NEAR
    return FAR
