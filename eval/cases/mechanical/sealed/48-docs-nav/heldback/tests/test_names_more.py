import pytest

from docnav.links import broken_links
from docnav.names import Name, parse_name, split_path
from docnav.nav import addresses, outline
from docnav.tree import build_tree


@pytest.mark.parametrize(
    "slug",
    ["ideas", "plan", "road-map", "draft", "drafting-table", "trade", "after", "fat-cats",
     "-dash", "data", "tar", "raft", "draft-of-a-draft", "d", "feed", "a-f-t", "graft"],
)
def test_slug_of_a_draft_is_what_follows(slug):
    assert parse_name("draft-" + slug) == Name(slug, None, True)
    assert parse_name("07-draft-" + slug) == Name(slug, 7, True)


@pytest.mark.parametrize("slug", ["drafts", "draft", "draught-beer", "my-draft-", "raft-draft-", "-draft-x", "Draft-x"])
def test_names_that_are_no_drafts(slug):
    assert parse_name(slug) == Name(slug)
    assert parse_name("3-" + slug) == Name(slug, 3)


@pytest.mark.parametrize("stem", ["command", "md", "m", "readme.", "dmd", "a.md", "d.m"])
def test_suffix_is_cut_once(stem):
    assert split_path(f"x/{stem}.md") == ([Name("x")], Name(stem))


def test_drafts_that_differ_in_their_first_letters():
    files = {"draft-trade.md": "", "draft-ade.md": "", "draft-fade.md": ""}
    assert addresses(files, drafts=True) == ["ade/", "fade/", "trade/"]
    assert addresses(files) == []


def test_draft_folder():
    files = {"draft-area/010-data.md": "", "draft-area/index.md": ""}
    assert addresses(files) == []
    assert addresses(files, drafts=True) == ["area/", "area/data/"]
    assert outline(build_tree(files, drafts=True)) == ["- Area (area/)", "  - Data (area/data/)"]


def test_titles_of_drafts():
    assert parse_name("draft-table-of-rates").title == "Table of rates"
    assert parse_name("draft-after").title == "After"


def test_number_in_a_draft():
    assert parse_name("draft-010-a") == Name("010-a", None, True)
    assert parse_name("010-020-a") == Name("020-a", 10)


def test_links_to_drafts():
    files = {"a.md": "[x](draft-data.md)", "draft-data.md": "[a](a.md)"}
    assert broken_links(files) == [("a.md", "draft-data.md")]
    assert broken_links(files, drafts=True) == []


def test_draft_index():
    files = {"guide/draft-index.md": "# Soon", "guide/a.md": ""}
    assert addresses(files, drafts=True) == ["guide/", "guide/a/"]
    assert addresses(files) == ["guide/a/"]
