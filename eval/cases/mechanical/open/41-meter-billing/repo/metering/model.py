"""Plain records used all over the package."""

from dataclasses import dataclass, field

READ = "read"
ESTIMATE = "estimate"
EXCHANGE = "exchange"
KINDS = (READ, ESTIMATE, EXCHANGE)


@dataclass(frozen=True)
class Reading:
    meter: str
    day: int
    kind: str
    value: int
    start: int = 0

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind of reading: {self.kind!r}")
        if self.value < 0 or self.start < 0:
            raise ValueError("a register is never negative")


@dataclass(frozen=True)
class Period:
    """Usage between two days; `firm` is False where a guess was involved."""

    first: int
    last: int
    amount: int
    firm: bool = True

    @property
    def days(self):
        return self.last - self.first


@dataclass
class Bill:
    meter: str
    usage: int
    lines: list = field(default_factory=list)
    fee: int = 0
    provisional: bool = False

    @property
    def total(self):
        return self.fee + sum(line.cents for line in self.lines)


@dataclass(frozen=True)
class BillLine:
    label: str
    amount: int
    price: int

    @property
    def cents(self):
        return self.amount * self.price
