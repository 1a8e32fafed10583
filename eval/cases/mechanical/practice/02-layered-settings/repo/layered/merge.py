from copy import deepcopy


def merge_into(target, layer):
    """Lays a nested layer of settings over target, which is changed.

    A key that starts with ``+`` adds to the list below instead of replacing
    it; ``None`` removes what is below.
    """
    for key, value in layer.items():
        if key.startswith("+"):
            target[key[1:]] = list(target.get(key[1:], [])) + list(value)
        elif value is None:
            target.pop(key, None)
        elif isinstance(value, dict) and isinstance(target.get(key), dict):
            merge_into(target[key], value)
        else:
            target[key] = value
    return target


def without(settings, dotted):
    """A copy of the settings that lacks one key."""
    result = deepcopy(settings)
    *path, last = dotted.split(".")
    section = result
    for name in path:
        section = section.get(name)
        if not isinstance(section, dict):
            return result
    section.pop(last, None)
    return result
