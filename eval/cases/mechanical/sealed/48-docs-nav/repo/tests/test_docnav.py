import pytest

from docnav.links import Linker, broken_links
from docnav.names import Name, is_page, parse_name, split_path
from docnav.nav import addresses, breadcrumb, neighbours, outline, redirects
from docnav.sitemap import depth_of, sitemap
from docnav.tree import DuplicatePage, build_tree, heading

FILES = {
    "index.md": "# Welcome\n",
    "guide/020-sharing.md": "see [first](010-first-steps.md#top)",
    "guide/010-first-steps.md": "\n# First things\n",
    "guide/index.md": "",
    "about.md": "[x](nope.md) [y](https://example.org/y.md)",
    "draft-ideas.md": "",
    "guide/picture.png": "",
}


def test_name_with_number():
    assert parse_name("010-first-steps") == Name("first-steps", 10)


def test_name_that_is_a_number():
    assert parse_name("404") == Name("404")
    assert parse_name("2024-") == Name("2024-")


def test_title():
    assert parse_name("010-first_steps-here").title == "First steps here"


def test_is_page():
    assert [is_page(p) for p in ("a.md", "a/_part.md", "a.txt")] == [True, False, False]


def test_split_path():
    assert split_path("010-guide/020-sharing.md") == ([Name("guide", 10)], Name("sharing", 20))


def test_draft_page():
    assert parse_name("draft-ideas") == Name("ideas", None, True)


def test_addresses():
    assert addresses(FILES) == ["", "about/", "guide/", "guide/first-steps/", "guide/sharing/"]


def test_addresses_with_drafts():
    files = {"draft-plan.md": "", "010-draft-road-map.md": "", "b.md": ""}
    assert addresses(files) == ["b/"]
    assert addresses(files, drafts=True) == ["road-map/", "b/", "plan/"]


def test_same_page_twice():
    with pytest.raises(DuplicatePage):
        build_tree({"010-a.md": "", "020-a.md": ""})


def test_heading():
    assert heading("\n# A b \n") == "A b"
    assert heading("text\n# A") is None
    assert heading("") is None


def test_outline():
    assert outline(build_tree(FILES)) == [
        "- About (about/)",
        "- Guide (guide/)",
        "  - First things (guide/first-steps/)",
        "  - Sharing (guide/sharing/)",
    ]
    assert len(outline(build_tree(FILES), depth=1)) == 2


def test_neighbours():
    before, after = neighbours(build_tree(FILES), "guide/")
    assert (before.address, after.address) == ("about/", "guide/first-steps/")
    assert neighbours(build_tree(FILES), "")[0] is None


def test_breadcrumb():
    *_, last = build_tree(FILES).walk()
    assert breadcrumb(last) == "Welcome / Guide / Sharing"


def test_links():
    root = build_tree(FILES)
    page = neighbours(root, "guide/first-steps/")[1]
    assert Linker(root).rewrite(page, FILES[page.path]) == "see [first](/guide/first-steps/#top)"


def test_broken_links():
    assert broken_links(FILES) == [("about.md", "nope.md")]


def test_redirects():
    assert redirects({"a.md": "# A"}, {"b/010-a.md": "# A"}) == {"a/": "b/a/"}


def test_sitemap():
    lines = sitemap({"a.md": "", "draft-b.md": ""}, "https://example.org").splitlines()
    assert lines[2:-1] == ["  <url><loc>https://example.org/a/</loc></url>"]
    assert [depth_of(address) for address in ("", "guide/", "guide/a/")] == [0, 1, 2]
