"""Notes as Markdown or plain text."""


def _line(change, link):
    text = change.text
    if change.issue:
        ref = f"#{change.issue}" if change.issue.isdigit() else change.issue
        if link:
            ref = f"[{ref}]({link}/{change.issue})"
        text = f"{text} ({ref})"
    return text


def render(version, groups, link=None, credits=False):
    rows = [f"## {version}", ""]
    if not groups:
        rows.append("Nothing to report.")
        return "\n".join(rows) + "\n"
    for name, changes in groups.items():
        rows.append(f"### {name}")
        rows.extend(f"- {_line(change, link)}" for change in changes)
        rows.append("")
    if credits:
        names = sorted({c.author for changes in groups.values() for c in changes})
        rows.append("Thanks to " + ", ".join(names) + ".")
        rows.append("")
    return "\n".join(rows)


def render_plain(groups):
    """One line per change, for mails."""
    rows = []
    for name, changes in groups.items():
        rows.extend(f"{name}: {_line(change, None)}" for change in changes)
    return rows
