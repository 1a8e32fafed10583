import pytest

from rowcheck.checker import Checker, where
from rowcheck.report import report
from rowcheck.rules import parse_rules
from rowcheck.source import Row, SourceError, Table

TEXT = "name,size,code\nx,1,a\n,50,b\nz,,a\n"
RULES = "name required\nsize integer 1 40\ncode unique"


def check(text, rules, only=None):
    return Checker(parse_rules(rules)).check(Table.from_text(text), only)


def test_every_rule_sees_every_row():
    result = check(TEXT, RULES)
    assert [(f.line, f.column) for f in result.findings] == [(3, "name"), (3, "size"), (4, "code")]
    assert result.rows == 3
    assert result.filled == {"name": 2, "size": 2, "code": 3}


def test_order_of_the_rules_does_not_matter_for_the_lines():
    result = check(TEXT, "code unique\nsize integer 1 40\nname required")
    assert result.bad_lines() == [3, 4]
    assert len(result.findings) == 3


def test_two_rules_for_one_column():
    result = check("a\n\n5\n5\n9\n", "a integer 1 8\na unique\na required")
    assert [(f.line, f.text) for f in result.findings] == [(4, "is there twice: 5"), (5, "is above 8")]


def test_no_rules():
    result = check(TEXT, "")
    assert (result.rows, result.clean, result.filled["size"]) == (3, True, 2)


def test_no_rows():
    result = check("a,b\n", "a required")
    assert (result.rows, result.clean, result.share("a")) == (0, True, 0)


def test_choice_of_rows_counts_only_those():
    text = "name,country\n,DE\nx,FR\n,FR\n"
    result = check(text, "name required\ncountry oneof DE", where("country", "FR"))
    assert (result.rows, result.bad_lines()) == (2, [3, 4])
    assert result.filled == {"name": 1, "country": 2}
    assert result.share("name") == 50


def test_choice_of_rows_from_a_list():
    rows = [Row(2, {"a": "1"}), Row(3, {"a": ""}), Row(4, {"a": ""})]
    table = Table(["a"], rows)
    result = Checker(parse_rules("a required\na unique")).check(table, lambda row: row.number > 2)
    assert (result.rows, result.bad_lines(), result.filled) == (2, [3, 4], {"a": 0})
    assert len(rows) == 3


def test_checker_twice():
    checker = Checker(parse_rules(RULES))
    first = checker.check(Table.from_text(TEXT))
    second = checker.check(Table.from_text(TEXT))
    assert first == second


def test_choice_is_asked_once_for_a_row():
    asked = []
    check(TEXT, RULES, lambda row: asked.append(row.number) or True)
    assert asked == [2, 3, 4]


def test_rows_from_a_generator():
    table = Table(["a", "b"], (Row(n, {"a": "", "b": "x"}) for n in range(2, 6)))
    result = Checker(parse_rules("b required\na required")).check(table)
    assert (result.rows, result.bad_lines()) == (4, [2, 3, 4, 5])


def test_faulty_row_is_still_an_error():
    with pytest.raises(SourceError):
        check("a,b\n1,2\n1,2,3\n", "a required\nb required")


def test_report_with_several_rules():
    assert report(TEXT, RULES, limit=1).splitlines() == [
        "3 rows, 3 findings",
        "line 3: name is empty",
        "... and 2 more",
    ]
