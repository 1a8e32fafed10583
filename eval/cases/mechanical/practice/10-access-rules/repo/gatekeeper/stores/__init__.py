from .roles import Role, RoleStore
from .users import User, UserStore

__all__ = ["Role", "RoleStore", "User", "UserStore"]
