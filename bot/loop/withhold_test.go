package loop

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

var vaultFS = fstest.MapFS{
	"vault.py": {Data: []byte("KEY = 'canary-one'\nOTHER = \"canary \\\"two\\\" here\"\ndef go():\n    return 1\n")},
	".env":     {Data: []byte("PASSWORD=canary-three\nHOST: canary-four.example\n\nPORT=80\n")},
	"open.py":  {Data: []byte("WORD = 'canary-of-all'\n")},
}

func TestX6WhatTestsPrintOfNeverSentFilesIsWithheld(t *testing.T) {
	t.Parallel()
	w := newWithholder(vaultFS, []string{"vault.py", ".env", "open.py", "gone.py"}, []string{"vault.py", ".env", "gone.py"})
	for said, want := range map[string]string{
		"assert 'canary-one' == 'x'":              "assert '(withheld)' == 'x'",
		"KEY = 'canary-one'\\nOTHER":              "(withheld)\\nOTHER",
		`the host canary-four.example:80 is away`: "the host (withheld):80 is away",
		"PASSWORD=canary-three":                   "(withheld)",
		"canary-of-all may be seen":               "canary-of-all may be seen",
		"return 1 in def go():":                   "return 1 in def go():",
	} {
		if got := w.text(said); got != want {
			t.Errorf("%q became %q, want %q", said, got, want)
		}
	}
	f := task.Failure{Exception: "canary-one", Message: "canary-one", Cause: "canary-one", Missing: []string{"canary-one"}, Excerpt: "E canary-three"}
	rep := verify.Report{Tests: []verify.TestResult{{Failure: &f}, {}}, Broken: []task.Failure{{Message: "canary-one"}}, Checks: []task.Check{{Detail: "canary-one"}}}
	w.report(&rep)
	v := verify.Verdict{Failures: []task.Failure{{Message: "canary-one"}}, Reasons: []string{"canary-one"}, Checks: []task.Check{{Detail: "canary-one"}}}
	w.verdict(&v)
	for _, got := range []string{f.Exception, f.Message, f.Cause, f.Missing[0], f.Excerpt, rep.Broken[0].Message, rep.Checks[0].Detail, v.Failures[0].Message, v.Reasons[0], v.Checks[0].Detail} {
		if strings.Contains(got, "canary") {
			t.Errorf("it says %q", got)
		}
	}
	if none := newWithholder(vaultFS, []string{"open.py"}, []string{"vault.py"}); none != nil || none.text("canary-one") != "canary-one" {
		t.Error("something is withheld of a repository that hides nothing")
	}
}

// Whatever a file that is never sent holds, none of its pieces stands in a
// text afterwards, and nothing panics.
func FuzzX6NoPieceIsLeft(f *testing.F) {
	f.Add("KEY = 'canary-one'\n", "before ", " after")
	f.Add("a: \"\xff\xfe\x00 long enough\"\n`x y z 1 2 3`", "(with", "held)")
	f.Fuzz(func(t *testing.T, src, before, after string) {
		w := newWithholder(fstest.MapFS{"v": {Data: []byte(src)}}, []string{"v"}, []string{"v"})
		pieces := map[string]bool{}
		piecesOf(src, pieces)
		for p := range pieces {
			if got := w.text("\x01" + p + "\x01"); strings.Contains(got, p) && !strings.Contains(withheld, p) {
				t.Fatalf("%q is left in %q", p, got)
			}
		}
		_ = w.text(before + src + after)
	})
}
