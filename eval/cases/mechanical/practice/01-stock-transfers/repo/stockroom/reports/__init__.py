from .reorder import reorder_list

__all__ = ["reorder_list"]
