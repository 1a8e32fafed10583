"""Merging of nested tables."""


def merge(base, over):
    """Return a table with the values of both; `over` wins.

    Tables are merged key by key, lists and plain values are replaced.  The
    value None in `over` removes the key.
    """
    result = {}
    for key, value in base.items():
        result[key] = _copied(value)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merge(result[key], value)
        elif isinstance(value, dict):
            result[key] = merge({}, value)
        else:
            result[key] = _copied(value)
    return result


def merge_all(layers):
    result = {}
    for layer in layers:
        result = merge(result, layer)
    return result


def _copied(value):
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return value
