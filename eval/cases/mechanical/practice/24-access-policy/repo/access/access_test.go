package access

import (
	"strings"
	"testing"

	"warden/policy"
)

func checker(t *testing.T, text string) *Checker {
	t.Helper()
	rules, err := policy.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGroups()
	g.Join("ann", "editors")
	g.Join("editors", "staff")
	return &Checker{rules, g}
}

func TestSubjects(t *testing.T) {
	g := NewGroups()
	g.Join("a", "b")
	g.Join("b", "c")
	g.Join("c", "b")
	if got := strings.Join(g.Subjects("a"), " "); got != "a b c" {
		t.Fatalf("got %q", got)
	}
}

func TestNoRule(t *testing.T) {
	if d := checker(t, "").Check(Request{"ann", "read", "/a", 1}); d.Allowed || d.Line != 0 {
		t.Fatalf("%v", d)
	}
}

func TestAllowThroughGroups(t *testing.T) {
	if d := checker(t, "\nallow staff read /a").Check(Request{"ann", "read", "/a", 1}); !d.Allowed || d.Line != 2 {
		t.Fatalf("%v", d)
	}
}

func TestDenyWins(t *testing.T) {
	c := checker(t, "allow staff * /a/**\ndeny ann read /a/b\nallow ann read /a/b")
	if d := c.Check(Request{"ann", "read", "/a/b", 1}); d.Allowed || d.Line != 2 {
		t.Fatalf("%v", d)
	}
}

func TestUntil(t *testing.T) {
	c := checker(t, "allow ann read /a until 5")
	if !c.Check(Request{"ann", "read", "/a", 5}).Allowed || c.Check(Request{"ann", "read", "/a", 6}).Allowed {
		t.Fatal("wrong")
	}
}

func TestFilter(t *testing.T) {
	c := checker(t, "allow ann read /a/**\ndeny * * /a/x")
	if got := strings.Join(c.Filter("ann", "read", 1, []string{"/a/x", "/a/y", "/b"}), " "); got != "/a/y" {
		t.Fatalf("got %q", got)
	}
}

func TestDraftBelowEndIsNotInForce(t *testing.T) {
	c := checker(t, "allow ann read /a\nend\nallow ann write /a\n")
	if c.Check(Request{"ann", "write", "/a", 1}).Allowed {
		t.Fatal("rule below end is used")
	}
}
