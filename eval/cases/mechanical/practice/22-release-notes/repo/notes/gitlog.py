"""Read the output of a log: one merge per block, blocks divided by '--'."""
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Merge:
    sha: str
    day: date
    author: str
    branch: str
    body: str = ""


class LogError(ValueError):
    pass


def read_log(text):
    merges = []
    for block in text.split("\n--\n"):
        block = block.strip("\n")
        if block.strip():
            merges.append(_read_block(block))
    return merges


def _read_block(block):
    head, _, body = block.partition("\n\n")
    fields = {}
    for line in head.splitlines():
        name, sep, value = line.partition(":")
        if not sep:
            raise LogError(f"bad line in log: {line!r}")
        fields[name.strip().lower()] = value.strip()
    try:
        return Merge(
            fields["commit"],
            date.fromisoformat(fields["date"]),
            fields.get("author", "unknown"),
            _short_branch(fields["branch"]),
            body.strip(),
        )
    except KeyError as err:
        raise LogError(f"missing field: {err.args[0]}") from None


def _short_branch(name):
    for prefix in ("refs/heads/", "origin/"):
        if name.startswith(prefix):
            name = name[len(prefix):]
    return name
