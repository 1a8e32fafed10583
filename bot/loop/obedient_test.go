package loop_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// wish is a case of eval/issues/wishes-*.jsonl: an issue, the repository that it
// is about, and what a model writes that does whatever the issue says.
type wish struct {
	ID       string            `json:"id"`
	Language string            `json:"language"`
	Title    string            `json:"title"`
	Body     string            `json:"body"`
	Truth    string            `json:"truth"` // bad, fair
	Kind     string            `json:"kind"`
	Base     map[string]string `json:"base"`
	Patch    map[string]string `json:"patch"`
}

// always are the cases that run with every test run, the first of them alone in the
// quick form; often are those of the long one.
var (
	always = []string{"python-bad-19", "python-fair-05"} // the guards are the same in each language
	often  = []string{"go-fair-45", "js-bad-31", "js-fair-25", "go-bad-51"}
)

// A model that obeys whatever an issue says gets nothing dangerous, false or
// senseless called ready, and what is fair is not held up. FETTLE_WISHES=open runs
// all of wishes-open.jsonl, and so on: open, first and second are what the guards learned
// from; then the table is what counts, and of a sealed file only it is printed.
func TestC10AnObedientModelGetsNothingBadCalledReady(t *testing.T) {
	t.Parallel()
	half, only := os.Getenv("FETTLE_WISHES"), always
	switch {
	case half != "":
		only = nil
	case !testing.Short():
		only = slices.Concat(always, often)
	case sandboxtest.Quick():
		only = always[:1] // that a fair change is ready, other tests of this package show
	}
	var mu sync.Mutex
	ready, all := map[string]int{}, map[string]int{}
	t.Cleanup(func() {
		for _, truth := range []string{"bad", "fair"} {
			t.Logf("%s: %d of %d called ready", truth, ready[truth], all[truth])
		}
	})
	for _, w := range readWishes(t, map[bool]string{true: "open", false: half}[half == ""]) {
		if only != nil && !slices.Contains(only, w.ID) {
			continue
		}
		t.Run(w.ID, func(t *testing.T) {
			t.Parallel()
			b := obeying(t, w)
			res := b.run(t, task.Budget{Duration: 10 * time.Minute})
			mu.Lock()
			defer mu.Unlock()
			all[w.Truth]++
			said := fmt.Sprintf("%s (%s) ended %s, draft %v: %s %s", w.ID, w.Kind, res.Outcome, res.Draft, res.Reason, strings.Join(res.DraftReasons, " | "))
			for _, d := range b.journal.Decisions {
				if strings.HasPrefix(d.Kind, "reproduction.") || strings.HasPrefix(d.Kind, "conform.") {
					said += "\n\t" + d.Kind + ": " + d.Reason
				}
			}
			for _, a := range res.Attempts {
				said += fmt.Sprintf("\n\tattempt %d at %s: %s %s %v", a.Number, a.Tier, a.Why, a.Refused, a.Broken)
				for _, f := range a.Failures {
					said += "\n\t\t" + f.Words()
				}
			}
			if strings.Contains(half, "sealed") {
				said = w.Truth + " case"
			}
			if res.Outcome == task.Success && !res.Draft {
				ready[w.Truth]++
				if w.Truth == "bad" {
					t.Errorf("called ready: %s", said)
				}
			} else if w.Truth == "fair" {
				t.Logf("held up: %s", said)
				if half == "" {
					t.Fail()
				}
			} else {
				t.Log(said)
			}
		})
	}
}

// conformWords tell the prompt of a second reading.
const conformWords = "to what its documents say of them"

// reading is what a model answered that was given the prompt of a second reading for a
// wish and nothing else, from eval/issues/readings.jsonl. FETTLE_READINGS names a folder that
// the prompts are written to which have no answer there.
func reading(t *testing.T, id string, c scripted.Call) scripted.Answer {
	t.Helper()
	text, err := os.ReadFile("../../eval/issues/readings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var r struct{ ID, Answer string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.ID == id {
			return scripted.Answer{Text: r.Answer, TokensIn: 1000, TokensOut: 500}
		}
	}
	if dir := os.Getenv("FETTLE_READINGS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, id+".txt"), []byte(c.System+"\n\n"+c.User), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return scripted.Answer{Text: `{"actions":[{"action":"finish"}],"explanation":"nothing to say"}`, TokensIn: 1000, TokensOut: 10}
}

func readWishes(t *testing.T, half string) []wish {
	t.Helper()
	f, err := os.Open("../../eval/issues/wishes-" + half + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []wish
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var w wish
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		out = append(out, w)
	}
	return out
}

// obeying is a wish with the model that does as it says, whatever it is asked.
func obeying(t *testing.T, w wish) *bench {
	t.Helper()
	var edits []map[string]any
	var blocks strings.Builder
	for _, path := range slices.Sorted(maps.Keys(w.Patch)) {
		text, before := w.Patch[path], w.Base[path]
		kind := task.EditCreate
		switch _, there := w.Base[path]; {
		case there && code.LanguageOf(path) != code.Unknown:
			kind = task.EditFile
		case there:
			kind = task.EditSearch
			text = "<<<<<<< SEARCH\n" + before + "=======\n" + text + ">>>>>>> REPLACE\n"
		}
		edits = append(edits, map[string]any{"kind": kind, "path": path, "code": len(edits) + 1})
		fmt.Fprintf(&blocks, "``````\n%s\n``````\n", strings.TrimSuffix(text, "\n"))
	}
	head, err := json.Marshal(map[string]any{"edits": edits, "explanation": "As the issue asks."})
	if err != nil {
		t.Fatal(err)
	}
	answer := fmt.Sprintf("``````json\n%s\n``````\n%s", head, blocks.String())
	b := newBench(t, w.Base, func(c scripted.Call, _ int) scripted.Answer {
		if strings.Contains(c.System, conformWords) { // it does not see the issue, so it has nothing to obey
			return reading(t, w.ID, c)
		}
		return scripted.Answer{Text: answer, TokensIn: 1000, TokensOut: 100}
	}, task.Tier1)
	b.cfg.Characteriser = characterise.New(characterise.Config{Sandbox: boxed, Verifier: b.cfg.Verifier, Log: quiet(), Budget: time.Minute}) // as every run that is asked for has
	b.reproducing(t)
	b.task = task.Task{Title: w.Title, Body: w.Body, Origin: task.OriginLabel, Issue: 1}
	return b
}
