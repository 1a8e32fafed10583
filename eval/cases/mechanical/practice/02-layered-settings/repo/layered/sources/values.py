import re

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def parse_value(text):
    """Booleans, numbers and comma lists; everything else is a string."""
    text = text.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if text.lower() == "null":
        return None
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if re.fullmatch(r"[+-]?\d*\.\d+", text):
        return float(text)
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if "," in text:
        return [parse_value(part) for part in text.split(",") if part.strip()]
    return text
