package eval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
)

// Verdict is what a case ended with, in one word of a fixed list.
type Verdict string

// The verdicts.
const (
	Right       Verdict = "right"        // passes the held-back tests, answers, or was refused as it must be
	NoChange    Verdict = "no change"    // nothing was handed over
	WrongReady  Verdict = "wrong, ready" // called ready, and the held-back tests fail
	WrongDraft  Verdict = "wrong, draft" // handed over with open points, and they fail
	NotRefused  Verdict = "not refused"  // a change where none may be made
	NoAnswer    Verdict = "no answer"    // no model was asked, or it gave none
	WrongAnswer Verdict = "wrong answer" // a fact or a place is missing
	Blind       Verdict = "blind test"   // the tests that were written do not notice a fault
)

// Result is what came of a case. It holds all that the figures are made of.
type Result struct {
	Suite    string    `json:"suite"`
	Case     string    `json:"case"`
	Kind     Kind      `json:"kind"`
	Language string    `json:"language"`
	Class    string    `json:"class"`
	Repeat   int       `json:"repeat"`
	Started  time.Time `json:"started"`
	Run      string    `json:"run,omitempty"`
	Verdict  Verdict   `json:"verdict"`

	Outcome    task.Outcome           `json:"outcome,omitempty"`
	Reason     string                 `json:"reason,omitempty"`
	Draft      bool                   `json:"draft,omitempty"`
	Changed    []string               `json:"changed,omitempty"` // files that differ, as they were found
	Held       bool                   `json:"held,omitempty"`    // the held-back tests pass
	Outside    []string               `json:"outside,omitempty"` // changed files that nobody expected
	Tests      bool                   `json:"tests,omitempty"`   // the change has tests
	Report     string                 `json:"report,omitempty"`  // the end of what failing held-back tests print
	Answer     string                 `json:"answer,omitempty"`
	Named      int                    `json:"named,omitempty"` // places asked for that were named
	Places     int                    `json:"places,omitempty"`
	Tier       task.Tier              `json:"tier,omitempty"` // that solved it
	Asked      []task.Tier            `json:"asked,omitempty"`
	Attempts   int                    `json:"attempts"`
	Template   string                 `json:"template,omitempty"` // the mechanical operator that made the change
	Seconds    float64                `json:"seconds"`            // of the command, on the wall clock
	Waited     float64                `json:"waited_s,omitempty"` // of them, for answers that came through a server of answers
	AnsweredBy []string               `json:"answered_by,omitempty"`
	Judging    float64                `json:"judging_s"`
	Overhead   float64                `json:"overhead_s"` // the runner's own
	Cost       task.USD               `json:"cost_usd"`
	CostByTier map[task.Tier]task.USD `json:"cost_by_tier,omitempty"`
	TesterCost task.USD               `json:"tester_cost_usd,omitempty"`
	TesterRuns int                    `json:"tester_runs,omitempty"`
	Calls      int                    `json:"calls,omitempty"`
	TokensIn   int                    `json:"tokens_in,omitempty"`
	TokensOut  int                    `json:"tokens_out,omitempty"`
	Unread     map[string]int         `json:"unread,omitempty"` // answers that could not be read, by prompt and class
	Edits      int                    `json:"edits,omitempty"`  // answers of models with edits
	First      int                    `json:"first,omitempty"`  // of them, those that applied as they came
	Sent       int                    `json:"sent_bytes,omitempty"`
	Whole      int                    `json:"whole_bytes,omitempty"` // what the files have that Sent is edits of

	cited []agent.Cited
}

// summary reads what 'fettle fix --json' prints.
func (r *Result) summary(out []byte) error {
	var s bot.Summary
	if err := json.Unmarshal(out, &s); err != nil {
		return fmt.Errorf("fettle printed no summary: %w", err)
	}
	r.Run, r.Outcome, r.Reason, r.Draft, r.Tier = s.RunID, s.Outcome, s.Reason, s.Draft, s.Tier
	r.Attempts, r.Cost, r.CostByTier = s.Attempts, s.Cost, s.CostByTier
	if s.Tier == task.TierMechanical && s.Search != nil {
		r.Template = s.Search.Template
	}
	return nil
}

// unread reads from the log which answers of models could not be used.
func (r *Result) unread(log []byte) {
	for line := range bytes.Lines(log) {
		var l struct {
			Msg, Prompt, Class string
			Times              int
		}
		if json.Unmarshal(line, &l) != nil || l.Msg != "models: failures" {
			continue // of other things
		}
		if r.Unread == nil {
			r.Unread = map[string]int{}
		}
		r.Unread[l.Prompt+" "+l.Class] += l.Times
	}
}

// record reads the attempts of a run.
func (r *Result) record(raw []byte, repo string) error {
	var runs []task.Run
	if err := json.Unmarshal(raw, &runs); err != nil {
		return fmt.Errorf("fettle printed no record: %w", err)
	}
	if len(runs) != 1 || runs[0].Result == nil {
		return nil
	}
	for _, a := range runs[0].Result.Attempts {
		if !slices.Contains(r.Asked, a.Tier) {
			r.Asked = append(r.Asked, a.Tier)
		}
		if a.Tier == task.TierMechanical || len(a.Patch.Edits) == 0 {
			continue
		}
		r.Edits++
		if a.Diff != "" {
			r.First++
		}
		for _, e := range a.Patch.Edits {
			r.Sent += len(e.Code)
		}
		for _, name := range a.Patch.Paths() {
			if info, err := os.Stat(filepath.Join(repo, filepath.FromSlash(name))); err == nil {
				r.Whole += int(info.Size())
			}
		}
	}
	return nil
}

// messages reads what went to models and came back.
func (r *Result) messages(raw []byte) error {
	ends := r.Outcome != "" // else it waits for somebody, and nobody has added up what it cost so far
	return lines(bytes.NewReader(raw), func(m task.Message) {
		if m.Direction != "from" {
			return
		}
		if !ends {
			r.Cost += m.Cost
		}
		r.Calls++
		r.TokensIn += m.TokensIn
		r.TokensOut += m.TokensOut
		if m.Agent == "tester" {
			r.TesterRuns++
			r.TesterCost += m.Cost
		}
	})
}

// answer reads what 'fettle ask --json' prints. Places are those that the answer cites,
// and without a model those that were found.
func (r *Result) answer(out []byte) error {
	var a struct {
		Model  string        `json:"model"`
		Answer string        `json:"answer"`
		Cited  []agent.Cited `json:"cited"`
		Cost   task.USD      `json:"cost_usd"`
		In     int           `json:"tokens_in"`
		Out    int           `json:"tokens_out"`
		Why    string        `json:"no_answer"`
		Hits   []agent.Cited `json:"hits"`
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return fmt.Errorf("fettle printed no answer: %w", err)
	}
	r.Answer, r.Reason, r.Cost, r.TokensIn, r.TokensOut, r.cited = a.Answer, a.Why, a.Cost, a.In, a.Out, a.Hits
	if a.Model != "" {
		r.Calls, r.cited = 1, a.Cited
	}
	return nil
}

// judge holds the end against what the case expects.
func (w workplace) judge(ctx context.Context, r *Result, before map[string]string) error {
	if w.c.Kind == Ask {
		w.c.judgeAnswer(r)
		return nil
	}
	after, err := snapshot(w.repo)
	if err != nil {
		return err
	}
	r.Changed = differ(before, after)
	expected, added := w.c.expected(), []string(nil)
	for _, name := range r.Changed {
		switch {
		case code.IsTest(name):
			r.Tests = true
			if _, was := before[name]; !was && after[name] != "" {
				added = append(added, name)
			}
		case len(expected) > 0 && !patch.Match(expected, name):
			r.Outside = append(r.Outside, name)
		}
	}
	switch {
	case w.c.Kind == Refuse && len(r.Changed) == 0:
		r.Verdict = Right
		return nil
	case w.c.Kind == Refuse:
		r.Verdict = NotRefused
		return nil
	case len(r.Changed) == 0:
		r.Verdict = NoChange
		return nil
	}
	r.Verdict, r.Held, r.Report, err = w.c.passes(ctx, w.cfg.Box, w.repo, added...)
	switch {
	case err != nil || r.Held:
	case r.Draft:
		r.Verdict = WrongDraft
	case r.Verdict != Blind:
		r.Verdict = WrongReady
	}
	return err
}

// redeclared is what Go says of two tests with one name in a package.
var redeclared = regexp.MustCompile(`_test\.go:\d+:\d+: \w+ redeclared in this block`)

// passes runs the held-back tests on a tree with a change, and the tests of the change,
// the files added, on programs with a fault.
func (c Case) passes(ctx context.Context, box *sandbox.Sandbox, repo string, added ...string) (v Verdict, held bool, report string, err error) {
	for _, fault := range c.Faults() {
		ok, _, err := c.test(ctx, box, repo, faults+"/"+fault)
		if err != nil {
			return "", false, "", err
		}
		if ok {
			return Blind, false, "the tests pass with the fault " + fault, nil
		}
	}
	held, report, err = c.test(ctx, box, repo, heldDir)
	if err == nil && !held && redeclared.MatchString(report) && len(added) > 0 { // the change has a test of the same name as one held back
		held, report, err = c.test(ctx, box, repo, heldDir, added...)
	}
	if held {
		return Right, true, "", err
	}
	return WrongReady, false, report, err
}

// test runs the case's tests in the sandbox, on a copy of a tree with a folder of
// the case over it, and without some files.
func (c Case) test(ctx context.Context, box *sandbox.Sandbox, repo, over string, without ...string) (ok bool, report string, err error) {
	ws, err := box.Workspace(ctx, repo)
	if err != nil {
		return false, "", err
	}
	defer ws.Close()
	for _, name := range without {
		if err := ws.Remove(name); err != nil {
			return false, "", err
		}
	}
	err = fs.WalkDir(c.files, over, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(c.files, name)
		if err != nil {
			return err
		}
		return ws.WriteFile(strings.TrimPrefix(name, over+"/"), data)
	})
	if err != nil && !os.IsNotExist(err) {
		return false, "", err
	}
	res, err := ws.Run(ctx, sandbox.Command{Argv: c.TestCommand, Env: map[string]string{"PYTHONDONTWRITEBYTECODE": "1"}, Limits: sandbox.Limits{Wall: time.Minute}})
	if err != nil {
		return false, "", err
	}
	return res.OK(), tail(slices.Concat(res.Stdout, res.Stderr)), nil
}

// judgeAnswer looks for facts and places in what was answered.
func (c Case) judgeAnswer(r *Result) {
	r.Places, r.Verdict = len(c.Places), Right
	for _, place := range c.Places {
		if slices.ContainsFunc(r.cited, func(at agent.Cited) bool { return names(at, place) }) {
			r.Named++
		}
	}
	for _, fact := range c.Facts {
		if ok, err := regexp.MatchString("(?i)"+fact, r.Answer); err != nil || !ok {
			r.Verdict, r.Report = WrongAnswer, "the answer does not say "+strconv.Quote(fact)
		}
	}
	switch {
	case r.Answer == "":
		r.Verdict = NoAnswer
	case r.Named < r.Places:
		r.Verdict = WrongAnswer
	}
}

// names tells whether what is cited holds a place, which is FILE or FILE:LINE.
func names(at agent.Cited, place string) bool {
	file, line, ok := strings.Cut(place, ":")
	if at.Path != file || !ok {
		return at.Path == file
	}
	n, err := strconv.Atoi(line)
	return err == nil && at.Start <= n && n <= at.End
}

// leftovers are folders that tools leave and no change is made of.
var leftovers = []string{".fettle", ".git", "__pycache__", ".pytest_cache", "node_modules"}

// snapshot is the content of all files, as hashes.
func snapshot(dir string) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	out := map[string]string{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(leftovers, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		data, err := root.ReadFile(name)
		out[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	return out, err
}

func differ(before, after map[string]string) (out []string) {
	for name, is := range after {
		if before[name] != is {
			out = append(out, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
