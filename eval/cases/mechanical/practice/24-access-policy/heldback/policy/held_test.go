package policy

import (
	"fmt"
	"testing"
)

func lines(t *testing.T, text string, include func(string) (string, error)) string {
	t.Helper()
	rules, err := Parse(text, include)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return ""
	}
	s := ""
	for _, r := range rules {
		s += fmt.Sprintf("%s %s:%d ", r.Effect, r.Subject, r.Line)
	}
	return s
}

func TestHeldEnd(t *testing.T) {
	for _, c := range [][2]string{
		{"end", ""},
		{"end\nallow a read /x", ""},
		{"end\nend\n", ""},
		{"  end  # of rules\nfree text", ""},
		{"allow a read /x\nend\ndeny a read /x\nallow b read /y", "allow a:1 "},
		{"allow a read /x\nend\ninclude other", "allow a:1 "},
		{"allow a read /x\nend\nallow broken", "allow a:1 "},
		{"allow a read /x\nend\ndeny a , /x", "allow a:1 "},
		{"\nallow a read /x\ndeny b * /**\nend\nWhy? Because.", "allow a:2 deny b:3 "},
		{"allow end read /end", "allow end:1 "},
		{"allow a read /x # end\nallow b read /x", "allow a:1 allow b:2 "},
		{"# end\nallow b read /x", "allow b:2 "},
	} {
		if got := lines(t, c[0], nil); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
}

func TestHeldEndInIncluded(t *testing.T) {
	include := func(name string) (string, error) {
		return "allow " + name + " read /x\nend\nallow lost read /x\nsome words", nil
	}
	want := "allow one:1 allow mid:2 allow two:1 deny last:4 "
	if got := lines(t, "include one\nallow mid read /x\ninclude two\ndeny last * /x\nend\ninclude three", include); got != want {
		t.Errorf("got %q", got)
	}
}

func TestHeldUnknownWordsBeforeEnd(t *testing.T) {
	for _, text := range []string{"hello\nend", "ends\n", "END\n", "allow a read /x\nwhatever\nend\n", "deny a\nend"} {
		if _, err := Parse(text, nil); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestHeldManyRules(t *testing.T) {
	text := ""
	for i := 0; i < 30; i++ {
		text += "allow a read /x\n"
	}
	rules, err := Parse(text, nil)
	if err != nil || len(rules) != 30 || rules[29].Line != 30 {
		t.Fatalf("%d %v", len(rules), err)
	}
}
