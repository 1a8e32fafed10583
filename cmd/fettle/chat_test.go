package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// What is typed in words is told from a question, which costs less and changes nothing.
func TestChatTellsQuestionsFromTasks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"where is the discount computed":                true,
		"why does total round down?":                    true,
		"is the cache shared?":                          true,
		"What's median for?":                            true,
		"can you mend median?":                          false,
		"please mend median, will you?":                 false,
		"median is wrong for even lists":                false,
		"when the list is empty, median raises":         false,
		"median([1, 2]) gives 2, expected 1.5":          false,
		"why is this red?\nTraceback (most recent call": false,
		"where is the\nmedian computed?":                true,
		"whereabouts are lost":                          false,
	} {
		if got := asksOf(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// S6: in turns, with a model: a plan is shown and revised with words, what is said next
// goes on from the change that is not written, and the model is told what was said.
func TestChatGoesOnFromWhatWasSaid(t *testing.T) {
	endToEnd(t)
	right := rightWeave(t)
	plans := 0
	double, tiers := models(t, func(c scripted.Call, _ int) scripted.Answer {
		switch {
		case strings.Contains(c.System, "plan") && strings.Contains(c.User, "take turns"):
			plans++
		}
		return scripted.Answer{Text: right}
	}, task.Tier1)
	dir, config := village(t), operator(t, tiers)
	say := func(want int, lines ...string) called {
		t.Helper()
		var out, errs strings.Builder
		code := run([]string{"--config", config, "chat", "--repo", dir}, strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, &errs)
		got := called{code, out.String(), errs.String()}
		if code != want {
			t.Fatalf("%q: exit status %d, want %d\n%s%s", lines, code, want, got.out, got.errors)
		}
		return got
	}
	got := say(4, weaveTitle+`\`, weaveBody)
	if !strings.Contains(got.out, "Yes to the plan?") || !strings.Contains(got.errors, "then tier1 (model-tier1)") {
		t.Fatalf("%+v", got)
	}
	got = say(0, "/cost", "y", "/plan off", "/diff")
	if !strings.Contains(got.errors, "waits for your answer") || !strings.Contains(got.out, "next          /approve writes the change") || strings.Count(got.out, "diff --git a/weave.py") != 2 {
		t.Fatalf("%+v", got)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "weave.py")); err != nil || string(raw) != weave {
		t.Fatalf("it was written without a yes: %v\n%s", err, raw)
	}
	say(0, "/run", "/approve")
	if raw, err := os.ReadFile(filepath.Join(dir, "weave.py")); err != nil || string(raw) == weave {
		t.Fatalf("it was not written: %v", err)
	}
	say(0, "/undo")
	if raw, err := os.ReadFile(filepath.Join(dir, "weave.py")); err != nil || string(raw) != weave {
		t.Fatalf("it was not taken back: %v\n%s", err, raw)
	}
	if len(double.Calls()) == 0 {
		t.Error("no model was asked")
	}
}

// S6, S7: a person chats: says what is wrong, looks, takes it, takes it back; ctrl-c stops a
// task and not the chat, and what is pasted is one message.
func TestChatAsAPersonDoesIt(t *testing.T) {
	endToEnd(t) // testdata/script/chat.txt
	dir := redMedians(t)
	x := newTerminal(t, dir, 80, 24)
	x.types(`fettle chat; echo "ended with $?"`, "Enter")
	x.shows("ctrl-d ends.\nfettle>")
	x.types("/fix", "Enter")
	x.shows("ctrl-c: stop", "left)")
	x.shows("next          /approve writes the change", "fettle>")
	x.types("C-l", "/approve", "Enter")
	x.shows("wrote calc.py; /undo takes it back\nfettle>")
	x.types("/undo", "Enter")
	x.shows("took back calc.py")
	if raw, err := os.ReadFile(filepath.Join(dir, "calc.py")); err != nil || string(raw) != wrongMedian {
		t.Errorf("%v\n%s", err, raw)
	}

	test := filepath.Join(dir, "test_calc.py")
	raw, err := os.ReadFile(test)
	if err != nil {
		t.Fatal(err)
	}
	save(t, test, strings.Replace(string(raw), "def test_odd(self):", "def test_odd(self):\n        import time; time.sleep(8)", 1))
	x.types("clear", "C-u", "/fix", "Enter")
	x.shows("what is red", "ctrl-c: stop")
	x.types("C-c")
	x.shows("ctrl-c again ends at once", "stopped\n  next  say what to do next", "fettle>")
	x.run("set-buffer", "where is the\nmedian computed?")
	x.run("paste-buffer")
	x.types("Enter")
	x.shows("calc.py:1-")
	x.types("C-c")
	x.shows("ctrl-c again ends the chat, as ctrl-d does")
	x.types("/history", "Enter")
	x.shows("where is the median computed?\nfettle>")
	x.types("C-c")
	x.shows("where is the median computed?\nfettle> ^C\nctrl-c again ends the chat") // two at once may arrive as one
	x.types("C-c")
	x.shows("ended with 130")
	x.types("clear", "Enter")
	x.types(`fettle chat; echo "ended with $?"`, "Enter")
	x.shows("It goes on after")
	x.types("C-d")
	x.shows("fettle> \nended with 0")
}

// S7: words are not broken at the edge, in whatever window.
func TestWordsAreNotBrokenAtTheEdge(t *testing.T) {
	t.Parallel()
	const text = "a plan of two steps, with 名前 in it, waits for an answer of yours since yesterday"
	for _, wide := range []int{200, 80, 40, 20} {
		for _, indent := range []int{0, 8, labelled, 24} {
			got := hang(text, wide, indent)
			if strings.Join(strings.Fields(got), " ") != text {
				t.Errorf("%d, %d: words are broken:\n%s", wide, indent, got)
			}
			for i, l := range strings.Split(got, "\n") {
				if i == 0 {
					l = strings.Repeat(" ", indent) + l
				}
				if n := ansi.StringWidth(strings.TrimRight(l, " ")); n > wide {
					t.Errorf("%d, %d: a line is %d wide: %q", wide, indent, n, l)
				}
			}
		}
		if got := questionIn("Check what is pushed before it leaves, with a Git hook?", "[y/N]", wide); !strings.HasSuffix(got, "hook? [y/N] ") {
			t.Errorf("%d: %q", wide, got)
		}
	}
}
