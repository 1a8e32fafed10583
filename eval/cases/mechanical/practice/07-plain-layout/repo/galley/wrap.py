"""Filling of paragraphs."""


def fill(text, width, first="", rest=None):
    """Lines of at most width characters; longer words stand alone.

    ``first`` is put before the first line and ``rest`` before the others.
    """
    if rest is None:
        rest = " " * len(first)
    lines = []
    line = first
    empty = True
    for word in text.split():
        if empty:
            line += word
            empty = False
        elif len(line) + 1 + len(word) <= width:
            line += " " + word
        else:
            lines.append(line)
            line = rest + word
    if not empty or first:
        lines.append(line.rstrip())
    return lines
