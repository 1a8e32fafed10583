from .environ import read_environ
from .text import read_text

__all__ = ["read_environ", "read_text"]
