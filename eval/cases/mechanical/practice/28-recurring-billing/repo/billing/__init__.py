"""Recurring invoices: plans, periods and what is due."""
from .ledger import Ledger
from .plan import Plan, PlanError
from .subscription import Subscription

__all__ = ["Ledger", "Plan", "PlanError", "Subscription"]
