from galley.blocks import Heading, Item, Paragraph, Table, parse


def test_lines_join_to_a_paragraph():
    assert parse("one\ntwo\n\nthree") == [Paragraph("one two"), Paragraph("three")]


def test_heading_ends_a_paragraph():
    assert parse("one\n## Two\nthree") == [Paragraph("one"), Heading(2, "Two"), Paragraph("three")]


def test_items_have_levels():
    assert parse("- a\n  - b") == [Item(0, "a"), Item(1, "b")]


def test_table_rows_stay_together():
    assert parse("| a | b |\n| 1 | 2 |") == [Table([["a", "b"], ["1", "2"]])]


def test_hash_without_blank_is_text():
    assert parse("#1 in the charts") == [Paragraph("#1 in the charts")]
