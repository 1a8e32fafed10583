from .blocks import parse
from .layout.plain import contents, render

__all__ = ["contents", "parse", "render"]
