from .values import parse_value


def read_environ(environ, prefix):
    """APP_DB__HOST=x becomes {"db": {"host": "x"}}."""
    layer = {}
    start = prefix.upper() + "_"
    for name in sorted(environ):
        if not name.startswith(start):
            continue
        *path, last = name[len(start):].lower().split("__")
        section = layer
        for part in path:
            section = section.setdefault(part, {})
        section[last] = parse_value(environ[name])
    return layer
