from .listing import month_list

__all__ = ["month_list"]
