package audit

import (
	"testing"

	"warden/access"
)

func TestLogString(t *testing.T) {
	var l Log
	l.Add(access.Request{User: "ann", Action: "read", Path: "/a"}, access.Decision{Allowed: true, Line: 3})
	if got := l.String(); got != "yes ann read /a (line 3)\n" {
		t.Fatalf("got %q", got)
	}
}

func TestLogMax(t *testing.T) {
	l := Log{Max: 2}
	for _, u := range []string{"a", "b", "c"} {
		l.Add(access.Request{User: u}, access.Decision{})
	}
	r := l.Refused()
	if len(r) != 2 || r["a"] != 0 || r["c"] != 1 {
		t.Fatalf("%v", r)
	}
}
