"""Read the text form: 'a.b.c = value', one per line."""
from .errors import BadLine

_WORDS = {"true": True, "false": False, "none": None}


def parse_value(text):
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [parse_value(part) for part in inner.split(",")] if inner else []
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def read(text):
    """Return the nested table for a settings text."""
    root = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, sep, value = stripped.partition("=")
        if not sep:
            raise BadLine(number, line, "missing '='")
        keys = [key.strip() for key in name.split(".")]
        if not all(keys):
            raise BadLine(number, line, "empty key")
        table = root
        for key in keys[:-1]:
            table = table.setdefault(key, {})
            if not isinstance(table, dict):
                raise BadLine(number, line, f"{key} is not a table")
        table[keys[-1]] = parse_value(value)
    return root
