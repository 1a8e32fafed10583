package detect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
)

func change(lines ...string) string {
	return "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@ def f():\n-    return first + second\n+" + strings.Join(lines, "\n+") + "\n"
}

// try is an attempt whose tests ran and whose change differs from all others.
func try(n int, tier task.Tier, message string, red ...string) Try {
	words := fmt.Sprintf("    one%d(two%d) / three%d %% four%d", n, n, n, n)
	return Try{Number: n, Tier: tier, Judged: true, Errors: []string{message}, Red: red, Diff: change(words)}
}

func with(t Try, diff string) Try { t.Diff = diff; return t }

func TestL4EachPatternHasItsConfidence(t *testing.T) {
	t.Parallel()
	look := Action{"read_region", "a.py", "def f()"}
	for name, c := range map[string]struct {
		tries      []Try
		kind       Kind
		confidence float64
	}{
		"nothing yet":               {[]Try{try(1, task.Tier1, "a", "t1")}, "", 0},
		"other errors each time":    {[]Try{try(1, task.Tier1, "a", "t1", "t2"), try(2, task.Tier1, "b", "t1"), try(3, task.Tier1, "c", "t2")}, "", 0},
		"same diff":                 {[]Try{with(try(1, task.Tier1, "a", "t"), change("x")), try(2, task.Tier1, "b", "u"), with(try(3, task.Tier1, "c", "v"), change("x"))}, SameDiff, 1},
		"same diff, other tier":     {[]Try{with(try(1, task.Tier1, "a", "t"), change("x")), with(try(2, task.Tier2, "c", "v"), change("x"))}, SameDiff, 1},
		"same diff elsewhere":       {[]Try{with(try(1, task.Tier1, "a", "t"), change("x")), with(try(2, task.Tier1, "b", "t"), strings.ReplaceAll(change("x"), "@@ -1,2 +1,2 @@", "@@ -9,2 +9,2 @@"))}, SameDiff, 1},
		"same error thrice":         {[]Try{try(1, task.Tier1, "assert 3 == 4 at /tmp/a/t.py:9", "t"), try(2, task.Tier1, "assert 5 == 4 at /tmp/b/t.py:12", "t"), try(3, task.Tier1, "assert 7 == 4 at /tmp/c/t.py:1", "t")}, SameError, 0.95},
		"twice only":                {[]Try{try(1, task.Tier1, "a", "t"), try(2, task.Tier1, "a", "t")}, "", 0},
		"not in a row":              {[]Try{try(1, task.Tier1, "a", "t", "u"), try(2, task.Tier1, "b", "t"), try(3, task.Tier1, "a", "t", "u")}, "", 0},
		"a stronger tier fails too": {[]Try{try(1, task.Tier1, "a", "t"), try(2, task.Tier1, "a", "t"), try(3, task.Tier2, "a", "t")}, "", 0},
		"back and forth":            {[]Try{try(1, task.Tier1, "a", "t"), try(2, task.Tier1, "b", "u"), try(3, task.Tier1, "a", "t"), try(4, task.Tier1, "b", "u")}, Oscillation, 0.90},
		"same action":               {[]Try{{Number: 1, Tier: task.Tier1, Actions: []Action{look}}, {Number: 2, Tier: task.Tier1, Actions: []Action{look, {"list", "", "a"}, look}}}, SameAction, 0.85},
		"same action, other answer": {[]Try{{Number: 1, Tier: task.Tier1, Actions: []Action{look, {"read_region", "a.py", "def g()"}, look}}}, "", 0},
		"no progress":               {[]Try{try(1, task.Tier1, "a", "t"), try(2, task.Tier1, "b", "t"), try(3, task.Tier1, "c", "u")}, NoProgress, 0.80},
		"progress":                  {[]Try{try(1, task.Tier1, "a", "t", "u"), try(2, task.Tier1, "b", "t", "u"), try(3, task.Tier1, "c", "u")}, "", 0},
		"refused the same way":      {[]Try{{Number: 1, Tier: task.Tier1, Errors: []string{"no JSON"}}, {Number: 2, Tier: task.Tier1, Errors: []string{"no JSON"}}, {Number: 3, Tier: task.Tier1, Errors: []string{"no JSON"}}}, SameError, 0.95},
		"foreseen": {[]Try{with(try(1, task.Tier1, "a", "t"), change("a b c d e f g h i j k l m n 1")),
			with(try(2, task.Tier1, "a", "t"), change("a b c d e f g h i j k l m n 2 3"))}, Prediction, 0.75},
	} {
		got := Config{}.Look(c.tries)
		if c.kind == "" {
			if len(got) != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if len(got) == 0 || got[0].Kind != c.kind || got[0].Confidence != c.confidence || got[0].Words == "" {
			t.Errorf("%s: %+v, want %s at %.2f", name, got, c.kind, c.confidence)
		}
	}
}

func TestL4NearlyTheSameChangeThatFailsAlikeIsALoop(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("    out += first[i:i + 1] + second[i:i + 1]\n+", 20)
	a, b := with(try(1, task.Tier1, "boom", "t"), change(long+"x = 1")), with(try(2, task.Tier1, "boom", "t"), change(long+"x = 2"))
	got := Config{}.Look([]Try{a, b})
	if len(got) != 1 || got[0].Kind != NearDiff || got[0].Confidence < 0.75 || got[0].Confidence >= 0.85 {
		t.Fatalf("%+v", got)
	}
	b.Errors = []string{"another"}
	if got := (Config{}).Look([]Try{a, b}); len(got) != 0 {
		t.Errorf("a small change that changes the failure is no loop: %+v", got)
	}
	other := Config{Meaning: func(string, string) float64 { return 0.95 }}
	if got := other.Look([]Try{try(1, task.Tier1, "boom", "t"), try(2, task.Tier1, "boom", "t")}); len(got) != 1 || got[0].Kind != NearDiff {
		t.Errorf("meaning is not asked: %+v", got)
	}
}

func TestC8APlateauIsSeenOneTryBeforeTheImpasse(t *testing.T) {
	t.Parallel()
	row := []Try{try(1, task.Tier2, "a", "t"), try(2, task.Tier2, "b", "t"), try(3, task.Tier2, "c", "t")}
	if Plateau(row[:1]) || !Plateau(row[:2]) || !Plateau(row) {
		t.Error("plateau at the wrong time")
	}
	if got := (Config{}).Look(row); len(got) != 1 || !got[0].Impasse() {
		t.Errorf("%+v", got)
	}
}

func TestL4ErrorsAreComparedWithoutWhatChanges(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"ZeroDivisionError at /tmp/x1/app/a.py:12", "ZeroDivisionError at /var/y/app/a.py:340"},
		{"<obj at 0x7f3a2c>", "<obj at 0xdeadbeef>"},
		{"run 6f1c2d9e-1111-4222-8333-123456789abc failed", "run 0a0b0c0d-9999-4888-8777-ffffffffffff failed"},
		{"took 0.12s at 2026-01-02T03:04:05Z", "took 14 ms at 2025-11-30 23:59:59.123"},
		{"commit 3f2a91c0 is not here", "commit 9b81cc72ee is not here"},
		{"\x1b[31mgot 5\x1b[0m", "got   -7.25"},
		{`C:\work\a\b.py line 3`, `C:\home\b.py line 4`},
	} {
		if a, b := Normalise(pair[0]), Normalise(pair[1]); a != b {
			t.Errorf("%q and %q", a, b)
		}
	}
	for _, pair := range [][2]string{{"KeyError: 'a'", "KeyError: 'b'"}, {"a.py: bad", "b.py: bad"}, {"facade", "decade"}} {
		if Normalise(pair[0]) == Normalise(pair[1]) {
			t.Errorf("%q and %q are not the same error", pair[0], pair[1])
		}
	}
}

// Whatever the attempts are: findings are sure to a degree, point at attempts
// that there are, end with the last one, and do not depend on the order of
// lists within an attempt or on when it is asked.
func TestL4FindingsAreSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "attempts")
		var tries []Try
		for i := range n {
			x := Try{Number: i + 1, Tier: task.Ladder[min(i/4+1, 3)], Judged: rapid.Bool().Draw(t, "judged")}
			x.Diff = rapid.SampledFrom([]string{"", change("a b c d"), change("a b c e"), change("z")}).Draw(t, "diff")
			x.Errors = rapid.SliceOfN(rapid.SampledFrom([]string{"a 1", "a 2", "b", ""}), 0, 3).Draw(t, "errors")
			x.Red = rapid.SliceOfN(rapid.SampledFrom([]string{"t", "u", "v"}), 0, 3).Draw(t, "red")
			tries = append(tries, x)
		}
		got := Config{}.Look(tries)
		for i, f := range got {
			if f.Confidence < 0.5 || f.Confidence > 1 || f.Words == "" || i > 0 && f.Confidence > got[i-1].Confidence {
				t.Fatalf("%+v", got)
			}
			if f.Attempts[len(f.Attempts)-1] != n || f.Attempts[0] < 1 || !slices.IsSorted(f.Attempts) {
				t.Fatalf("%s points at %v of %d", f.Kind, f.Attempts, n)
			}
		}
		for i := range tries {
			slices.Reverse(tries[i].Errors)
			slices.Reverse(tries[i].Red)
		}
		again := Config{}.Look(tries)
		if len(again) != len(got) {
			t.Fatalf("%+v, then %+v", got, again)
		}
		last := tries[n-1]
		if last.Diff != "" { // the same once more is always seen, with full confidence
			last.Number++
			if f := (Config{}).Look(append(tries, last)); len(f) == 0 || f[0].Kind != SameDiff || f[0].Confidence != 1 {
				t.Fatalf("a repeated change: %+v", f)
			}
		}
	})
}

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"a/b/c 12 0x1f", "1/2/3 // \\ //", "2026-01-02 03:04", "a1b2/ c\x1b[0m/d", "9 s/s s", "0.1.2,3e4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Normalise(s)
		if Normalise(once) != once {
			t.Fatalf("%q, then %q", once, Normalise(once))
		}
		if strings.ContainsAny(once, "0123456789\n\t") {
			t.Fatalf("%q", once)
		}
	})
}

func FuzzSimilarity(f *testing.F) {
	f.Add(change("a"), change("b"))
	f.Add("", "+x")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := Similarity(a, b)
		if s < 0 || s > 1 || s != Similarity(b, a) {
			t.Fatalf("%v and %v", s, Similarity(b, a))
		}
		if len(shingles(a)) > 0 && Similarity(a, a) != 1 {
			t.Fatal("not like itself")
		}
	})
}
