class SettingsError(Exception):
    """Base of all errors here."""


class BadLine(SettingsError):
    def __init__(self, number, text, why):
        super().__init__(f"line {number}: {why}: {text!r}")
        self.number = number


class UnknownProfile(SettingsError, KeyError):
    def __str__(self):
        return f"unknown profile {self.args[0]!r}"
