"""Release notes from merged branches."""
from .collect import Change, collect
from .render import render

__all__ = ["Change", "collect", "render"]
