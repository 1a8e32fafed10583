from .book import Agenda, Event
from .expand import between, upcoming
from .rules import Rule, RuleError

__all__ = ["Agenda", "Event", "Rule", "RuleError", "between", "upcoming"]
