"""Settings in layers: defaults, site, user; later layers win."""
from .merge import merge, merge_all
from .profile import ProfileBook
from .settings import Settings

__all__ = ["merge", "merge_all", "ProfileBook", "Settings"]
