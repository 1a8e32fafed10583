from .errors import CircularProfile, SettingsError, UnknownProfile
from .profiles import ProfileSet
from .view import Settings

__all__ = ["CircularProfile", "ProfileSet", "Settings", "SettingsError", "UnknownProfile"]
