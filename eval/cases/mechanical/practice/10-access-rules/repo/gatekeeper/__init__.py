from .engine import Decision, Gatekeeper
from .errors import GatekeeperError, UnknownUser
from .rules import Rule

__all__ = ["Decision", "Gatekeeper", "GatekeeperError", "Rule", "UnknownUser"]
