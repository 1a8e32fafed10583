class GatekeeperError(Exception):
    pass


class UnknownUser(GatekeeperError):
    pass


class BadRule(GatekeeperError):
    pass
