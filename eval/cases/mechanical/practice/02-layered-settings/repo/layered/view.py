from .errors import SettingsError
from .merge import without

_MISSING = object()


class Settings:
    """Read access to merged settings by dotted names."""

    def __init__(self, data):
        self._data = data

    def get(self, dotted, default=_MISSING):
        value = self._data
        for name in dotted.split("."):
            if not isinstance(value, dict) or name not in value:
                if default is _MISSING:
                    raise SettingsError(f"no setting {dotted}")
                return default
            value = value[name]
        return value

    def section(self, dotted):
        value = self.get(dotted)
        if not isinstance(value, dict):
            raise SettingsError(f"{dotted} is not a section")
        return Settings(value)

    def redacted(self, *secret):
        """The settings as a plain dict, with the secret keys left out."""
        data = self._data
        for dotted in secret:
            data = without(data, dotted)
        return data

    def __contains__(self, dotted):
        return self.get(dotted, None) is not None
