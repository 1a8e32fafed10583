"""The report that goes with an export."""

from .checker import Checker
from .rules import parse_rules
from .source import Table


def render(result, limit=20):
    lines = [f"{result.rows} rows, {len(result.findings)} findings"]
    for finding in result.findings[:limit]:
        lines.append(f"line {finding.line}: {finding.column} {finding.text}")
    hidden = len(result.findings) - limit
    if hidden > 0:
        lines.append(f"... and {hidden} more")
    sparse = [column for column in result.filled if result.share(column) < 50]
    if result.rows and sparse:
        lines.append(f"mostly empty: {', '.join(sparse)}")
    return "\n".join(lines)


def report(text, rule_text, delimiter=",", limit=20):
    table = Table.from_text(text, delimiter)
    return render(Checker(parse_rules(rule_text)).check(table), limit)
