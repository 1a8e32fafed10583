import pytest

from rowcheck.checker import Checker, where
from rowcheck.report import render, report
from rowcheck.rules import RuleError, parse_rules
from rowcheck.source import Row, SourceError, Table, split_line


def check(text, rules, only=None):
    return Checker(parse_rules(rules)).check(Table.from_text(text), only)


def test_split_line():
    assert split_line('a, "b, c" ,"say ""x"""') == ["a", "b, c", 'say "x"']
    with pytest.raises(SourceError):
        split_line('a,"b')


def test_rows_of_a_table():
    table = Table.from_text("name,size\nx,1\n\n# no\ny\n")
    assert [(row.number, row["name"], row["size"]) for row in table.rows] == [(2, "x", "1"), (5, "y", "")]


def test_bad_tables():
    with pytest.raises(SourceError):
        Table.from_text("\n")
    with pytest.raises(SourceError):
        Table.from_text("a,a\n")


def test_too_many_cells():
    with pytest.raises(SourceError):
        list(Table.from_text("a\n1,2\n").rows)


def test_required():
    result = check("name,size\nx,1\n,2\n", "name required")
    assert [finding.line for finding in result.findings] == [3]


def test_integer():
    result = check("size\n0\nx\n41\n40\n", "size integer 1 40")
    assert [finding.text for finding in result.findings] == [
        "is below 1",
        "is not a whole number: x",
        "is above 40",
    ]


def test_unique():
    assert check("code\na\nb\na\n", "code unique").bad_lines() == [4]


def test_one_of():
    assert check("country\nDE\nXX\n", "country oneof DE FR").bad_lines() == [3]


def test_two_rules():
    result = check("name,size\n,1\nx,y\n", "name required\nsize integer")
    assert result.bad_lines() == [2, 3]


def test_rows_that_are_given_as_a_list():
    table = Table(["a", "b"], [Row(2, {"a": "1", "b": ""}), Row(3, {"a": "", "b": "2"})])
    result = Checker(parse_rules("a required")).check(table)
    assert (result.rows, result.bad_lines()) == (2, [3])


def test_choice_of_rows():
    text = "name,country\n,DE\n,FR\n"
    assert check(text, "name required", where("country", "FR")).bad_lines() == [3]


def test_bad_rules():
    for text in ("name", "name nice", "size integer x", "country oneof"):
        with pytest.raises(RuleError):
            parse_rules(text)


def test_rule_for_an_unknown_column():
    with pytest.raises(RuleError):
        check("a\n1\n", "b required")


def test_report():
    text = "name,note\nx,\n,\nz,hello\n"
    assert report(text, "name required").splitlines() == [
        "3 rows, 1 findings",
        "line 3: name is empty",
        "mostly empty: note",
    ]


def test_limit_of_a_report():
    lines = render(check("a,b\n,1\n,1\n,1\n", "a required"), limit=2).splitlines()
    assert lines[1:4] == ["line 2: a is empty", "line 3: a is empty", "... and 1 more"]
