class SettingsError(Exception):
    pass


class UnknownProfile(SettingsError):
    pass


class CircularProfile(SettingsError):
    pass
