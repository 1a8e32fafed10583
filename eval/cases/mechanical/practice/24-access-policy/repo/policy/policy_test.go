package policy

import (
	"errors"
	"strings"
	"testing"
)

func pat(t *testing.T, s string) Pattern {
	t.Helper()
	p, err := ParsePattern(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPatternPlain(t *testing.T) {
	p := pat(t, "/docs/a")
	if !p.Match("/docs/a") || !p.Match("/docs/a/") || p.Match("/docs") || p.Match("/docs/a/b") {
		t.Fatal("wrong")
	}
}

func TestPatternStar(t *testing.T) {
	p := pat(t, "/docs/*/draft")
	if !p.Match("/docs/x/draft") || p.Match("/docs/draft") {
		t.Fatal("wrong")
	}
}

func TestPatternOpen(t *testing.T) {
	p := pat(t, "/docs/**")
	if !p.Match("/docs") || !p.Match("/docs/a/b") || p.Match("/doc") {
		t.Fatal("wrong")
	}
}

func TestPatternErrors(t *testing.T) {
	for _, s := range []string{"docs", "/a/**/b"} {
		if _, err := ParsePattern(s); err == nil {
			t.Errorf("%q: no error", s)
		}
	}
}

func TestParseRules(t *testing.T) {
	rules, err := Parse("# top\nallow ann read,write /a until 12\n\ndeny * * /b/**\n", nil)
	if err != nil || len(rules) != 2 {
		t.Fatalf("%v %v", rules, err)
	}
	if rules[0].Until != 12 || !rules[0].Covers("write") || rules[0].Covers("drop") {
		t.Fatalf("%+v", rules[0])
	}
	if rules[1].Effect != Deny || rules[1].Line != 4 || !rules[1].Covers("drop") {
		t.Fatalf("%+v", rules[1])
	}
}

func TestParseErrors(t *testing.T) {
	for _, s := range []string{"permit a b /c", "allow a b", "allow a , /c", "allow a b c", "allow a b /c since 4", "allow a b /c until x", "include x"} {
		if _, err := Parse(s, nil); err == nil || !strings.HasPrefix(err.Error(), "line 1") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestParseInclude(t *testing.T) {
	rules, err := Parse("include base\nallow b read /y", func(name string) (string, error) {
		return "allow a read /" + name, nil
	})
	if err != nil || len(rules) != 2 || rules[0].Subject != "a" {
		t.Fatalf("%v %v", rules, err)
	}
}

func TestParseIncludeFails(t *testing.T) {
	_, err := Parse("include base", func(string) (string, error) { return "", errors.New("gone") })
	if err == nil || err.Error() != "line 1: gone" {
		t.Fatalf("got %v", err)
	}
}

func TestParseEndAtTheEnd(t *testing.T) {
	rules, err := Parse("allow a read /x\nend\n\n# bye\n", nil)
	if err != nil || len(rules) != 1 {
		t.Fatalf("%v %v", rules, err)
	}
}

func TestParseNotesAfterEnd(t *testing.T) {
	rules, err := Parse("allow a read /x\nend\nWritten in spring by the night shift.\n", nil)
	if err != nil || len(rules) != 1 {
		t.Fatalf("%v %v", rules, err)
	}
}

func TestEffectString(t *testing.T) {
	if Allow.String() != "allow" || Deny.String() != "deny" {
		t.Fatal("wrong")
	}
}
