"""Applying rules to a table."""

from dataclasses import dataclass, field

from .rules import RuleError


@dataclass(frozen=True)
class Finding:
    line: int
    column: str
    text: str


@dataclass
class Result:
    rows: int = 0
    findings: list = field(default_factory=list)
    filled: dict = field(default_factory=dict)

    @property
    def clean(self):
        return not self.findings

    def bad_lines(self):
        return sorted({finding.line for finding in self.findings})

    def share(self, column):
        """How much of a column is filled, in whole percent."""
        if self.rows == 0:
            return 0
        return self.filled.get(column, 0) * 100 // self.rows


class Checker:
    def __init__(self, rules):
        self.rules = list(rules)

    def check(self, table, only=None):
        """Check the rows of a table, or those for which `only` is true."""
        self._known_columns(table)
        rows = self._chosen(table, only)
        filled = dict.fromkeys(table.columns, 0)
        findings = []
        for rule in self.rules:
            rule.start()
            findings.extend(self._apply(rule, rows))
        findings.sort(key=lambda finding: finding.line)
        count = 0
        for row in rows:
            count += 1
            for column in table.columns:
                filled[column] += 1 if row[column] else 0
        return Result(rows=count, findings=findings, filled=filled)

    def _known_columns(self, table):
        for rule in self.rules:
            if rule.column not in table.columns:
                raise RuleError(f"no column {rule.column}")

    @staticmethod
    def _chosen(table, only):
        if only is None:
            return table.rows
        return [row for row in table.rows if only(row)]

    @staticmethod
    def _apply(rule, rows):
        for row in rows:
            text = rule.problem(row[rule.column])
            if text is not None:
                yield Finding(row.number, rule.column, text)


def where(column, value):
    """A choice of rows for `Checker.check`."""
    return lambda row: row[column] == value
