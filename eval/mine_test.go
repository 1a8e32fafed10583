package eval

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/bot/checkout"
)

func TestK1WhatIsAskedIsTheMessageWithoutWhoMergedAndSigned(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][2]string{
		"Fix a crash (#12)\n\nIt fell over.\n\nSigned-off-by: A <a@b>\nCo-authored-by: B <b@c>\n":            {"Fix a crash", "It fell over."},
		"Merge pull request #9 from a/fix\n\nTokens are lost\n\nTokens are lost\n\nwhen the file is empty\n": {"Tokens are lost", "when the file is empty"},
		"Merge branch 'x' into y\n": {"", ""},
	} {
		if title, body := asked(message); title != want[0] || body != want[1] {
			t.Errorf("%q: %q, %q", message, title, body)
		}
	}
	for text, want := range map[string]bool{
		"fix tests": false, "Fixes #12": false, "Fix bug in the tests, closes #3": false, "Merge": false, "": false,
		"Fix crash of parse() on empty input": true, "walk_values loses the order of keys": true,
	} {
		if says(text) != want {
			t.Errorf("%q says something: %t", text, !want)
		}
	}
	if got := called("0123456789", "Fix `a/../b` — über alles, and then some more words that nobody reads"); got != "0123456789-fix-a-b-ber-alles-and-then-some-more" {
		t.Error(got)
	}
}

func TestK1OnlySmallChangesOfCodeWithTheirTestsAreMined(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []checkout.Touched
		want  string
	}{
		"a fix":            {[]checkout.Touched{{Path: "a.py", Added: 3}, {Path: "tests/test_a.py", Added: 9}}, ""},
		"no test":          {[]checkout.Touched{{Path: "a.py", Added: 3}}, "untested"},
		"tests taken away": {[]checkout.Touched{{Path: "a.py", Added: 3}, {Path: "tests/test_a.py", Removed: 9}}, "untested"},
		"no code":          {[]checkout.Touched{{Path: "README.md", Added: 3}, {Path: "tests/test_a.py", Added: 9}}, "untested"},
		"settings":         {[]checkout.Touched{{Path: "a.py", Added: 3}, {Path: "setup.py", Added: 3}, {Path: "tests/test_a.py", Added: 9}}, dropSettings},
		"many lines":       {[]checkout.Touched{{Path: "a.py", Added: 31, Removed: 30}, {Path: "tests/test_a.py", Added: 9}}, dropLarge},
		"many files":       {[]checkout.Touched{{Path: "a.py"}, {Path: "b.py"}, {Path: "c.py"}, {Path: "d.py"}, {Path: "tests/test_a.py", Added: 9}}, dropLarge},
	} {
		got, _ := Small(checkout.Landed{Files: c.files}, 60)
		if !Tested(checkout.Landed{Files: c.files}) {
			got = "untested"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestK1NoCaseIsWrittenOutsideOfItsFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var no *dropped
	for _, name := range []string{"../a", "/etc/a", "b/../../a"} {
		if err := putBelow(filepath.Join(dir, "case"), name, nil); !errors.As(err, &no) || no.class != dropText {
			t.Errorf("%s: %v", name, err)
		}
	}
}
