"""Rules for columns."""


class RuleError(ValueError):
    pass


class Rule:
    """Checks the values of one column; `problem` gives a text or None."""

    def __init__(self, column):
        self.column = column

    def start(self):
        """Called before a table is checked."""

    def problem(self, value):
        raise NotImplementedError


class Required(Rule):
    def problem(self, value):
        return None if value else "is empty"


class Integer(Rule):
    def __init__(self, column, low=None, high=None):
        super().__init__(column)
        self.low = None if low is None else int(low)
        self.high = None if high is None else int(high)

    def problem(self, value):
        if not value:
            return None
        try:
            number = int(value)
        except ValueError:
            return f"is not a whole number: {value}"
        if self.low is not None and number < self.low:
            return f"is below {self.low}"
        if self.high is not None and number > self.high:
            return f"is above {self.high}"
        return None


class OneOf(Rule):
    def __init__(self, column, *choices):
        super().__init__(column)
        if not choices:
            raise RuleError(f"{column}: no choices")
        self.choices = choices

    def problem(self, value):
        if not value or value in self.choices:
            return None
        return f"is none of {', '.join(self.choices)}"


class Unique(Rule):
    def __init__(self, column):
        super().__init__(column)
        self.seen = set()

    def start(self):
        self.seen = set()

    def problem(self, value):
        if not value:
            return None
        if value in self.seen:
            return f"is there twice: {value}"
        self.seen.add(value)
        return None


KINDS = {"required": Required, "integer": Integer, "oneof": OneOf, "unique": Unique}


def parse_rules(text):
    """The rules of a rule file, one in a line: column, kind, arguments."""
    rules = []
    for line in text.splitlines():
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) < 2 or words[1] not in KINDS:
            raise RuleError(f"bad rule: {line.strip()}")
        column, kind, *arguments = words
        try:
            rules.append(KINDS[kind](column, *arguments))
        except (TypeError, ValueError) as error:
            raise RuleError(f"bad rule: {line.strip()}") from error
    return rules
