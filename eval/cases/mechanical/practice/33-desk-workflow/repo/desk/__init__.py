"""A small service desk: tickets, their states and how long things took."""
from .board import Board
from .ticket import Ticket
from .workflow import DEFAULT, TransitionError, Workflow

__all__ = ["Board", "Ticket", "DEFAULT", "TransitionError", "Workflow"]
