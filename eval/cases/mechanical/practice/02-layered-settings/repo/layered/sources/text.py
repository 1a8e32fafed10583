from ..errors import SettingsError
from .values import parse_value


def read_text(text):
    """Reads ``[section.sub]`` headers and ``key = value`` lines."""
    layer = {}
    section = layer
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("[") and line.endswith("]"):
            section = layer
            for part in line[1:-1].strip().split("."):
                section = section.setdefault(part, {})
            continue
        key, equals, value = line.partition("=")
        if not equals or not key.strip():
            raise SettingsError(f"line {number}: expected key = value")
        section[key.strip()] = parse_value(value)
    return layer
