package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/reproduction"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// strategies are how a model is had to write a reproduction, in the order in which
// they are paid for: the next only where the one before brought none. Each is a list
// of what its tests have to do on the base, one after the other.
var strategies = []struct {
	name string
	aims []agent.Aim
}{
	{"direct", []agent.Aim{agent.AimFail}},
	{"flip", []agent.Aim{agent.AimPass, agent.AimTurn}},
}

// Bounds of the work on a reproduction.
const (
	reproductionShare   = 4 // it gets a quarter of the run's money and of its time
	reproductionCalls   = 10
	reproductionAnswers = 2 // to each aim: the second with what came of the first
)

// noReproduction says that no model is asked for a reproduction any more.
type noReproduction struct{ why string }

func (n *noReproduction) Error() string { return n.why }

// writeReproduction asks a model for a test that shows the fault, before anybody mends it,
// where neither a red test nor an example of the issue does (SPEC C5, C10). What is
// accepted counts as the issue's example does. Where nothing is, the developer
// writes test and fix together.
func (r *run) writeReproduction(ctx context.Context) error {
	tiers := r.modelTiers()
	if r.Reproducer == nil || len(tiers) == 0 || r.example != nil || r.needsNoReproduction() || r.in.Task.Origin == task.OriginHook || r.in.Task.Follow != nil {
		return nil
	}
	if r.baseline.Untested == "" && !slices.ContainsFunc(r.baseline.Report.Suites, func(s verify.Suite) bool { return gate.Judges(s.Kind) }) {
		return r.note(ctx, "reproduction.given_up", "tests in the languages of this repository's suites cannot be judged yet, so none is asked for", nil)
	}
	if err := r.progress(ctx, "reproduce", tiers[0], "writing a test that shows the fault"); err != nil {
		return err
	}
	w, err := r.newWriter(ctx, tiers[0])
	if err != nil {
		return err
	}
	for _, s := range strategies {
		w.brief.Earlier, w.tried = w.tried, agent.Earlier{Aim: s.aims[0]}
		found, err := w.byStrategy(ctx, s.name, s.aims)
		var over *noReproduction
		switch {
		case errors.As(err, &over):
			return w.giveUp(ctx, over.why)
		case err != nil:
			return err
		case found != nil:
			if found, err = w.better(ctx, s.name, found); err != nil {
				return err
			}
			return r.takeWritten(ctx, s.name, w, *found)
		}
	}
	return w.giveUp(ctx, "no test that a model wrote shows the fault")
}

func (w *writer) giveUp(ctx context.Context, why string) error {
	return w.note(ctx, "reproduction.given_up", why, map[string]any{"calls": w.calls, "cost_usd": w.money.all - w.before})
}

// takeWritten makes a model's test the run's reproduction.
func (r *run) takeWritten(ctx context.Context, strategy string, w *writer, found candidate) error {
	v := found.came.Verdict
	out := example.Found{Path: found.test.Path, Content: found.came.Content, Report: found.came.Report, By: r.rungs[w.tier].Model, Fails: v.Fails, Doubts: v.Doubts}
	if err := r.reproducedBy(out); err != nil {
		return err
	}
	return r.note(ctx, "reproduction.accepted", fmt.Sprintf("%s, written by %s before any fix, fails on the base with %s", out.Path, out.By, out.Fails), map[string]any{
		"strategy": strategy, "tests": out.Report.Red(), "expects": v.Expects, "ties": v.Ties, "doubts": v.Doubts, "calls": w.calls, "cost_usd": r.money.all - w.before})
}

// mostUntied is how many tests of an issue are tried to which nothing in it points: of
// one that names no code the third is no nearer to it than the second.
const mostUntied = 2

// writer is the work on a reproduction.
type writer struct {
	*run
	tier   task.Tier
	ask    agent.Ask
	brief  agent.ReproductionBrief
	calls  int
	tried  agent.Earlier // by the strategy that is at work, told to the next
	untied int           // tests to which nothing in the issue points
	before task.USD      // spent before it
	begun  time.Time
}

// candidate is a test with what came of it.
type candidate struct {
	test task.Edit
	came witnessed
}

func (r *run) newWriter(ctx context.Context, tier task.Tier) (*writer, error) {
	w := &writer{run: r, tier: tier, before: r.money.all, begun: r.now()}
	ask := r.askWithin("reproduction", &task.Attempt{}, r.in.Budget.USD/reproductionShare)
	w.ask = func(ctx context.Context, req model.Request) (model.Reply, error) {
		if w.calls == reproductionCalls {
			return model.Reply{}, &noReproduction{fmt.Sprintf("%d calls brought no test that shows the fault", w.calls)}
		}
		w.calls++
		return ask(ctx, req)
	}
	room := r.room(tier)
	room.Code = room.Code * 2 / 5 // a test calls what a change would have to know from inside
	seen, err := r.sight(ctx, looking{Title: r.in.Task.Title, Body: r.in.Task.Body + "\n\n" + r.in.Task.Hint, Heads: true, Room: room})
	if err != nil {
		return nil, err
	}
	if err := r.tellShown(ctx, "reproducer", tier, seen.Shown); err != nil {
		return nil, err
	}
	w.brief = agent.ReproductionBrief{Task: r.in.Task, Tier: tier, Tests: seen.Heads, TestDirs: seen.TestDirs, Shown: seen.Shown, MaxBytes: r.window(tier), Tools: tools{r, "reproducer"}}
	return w, nil
}

// byStrategy is the test that a strategy brought, nil for none.
func (w *writer) byStrategy(ctx context.Context, strategy string, aims []agent.Aim) (*candidate, error) {
	if err := w.note(ctx, "reproduction.asked", fmt.Sprintf("%s is asked for a test that shows the fault (%s)", w.rungs[w.tier].Model, strategy), map[string]any{"strategy": strategy, "tier": w.tier}); err != nil {
		return nil, err
	}
	var last *candidate
	for _, aim := range aims {
		got, err := w.askUntil(ctx, strategy, aim, last, "It passes.", reproductionAnswers)
		if err != nil || got == nil {
			return nil, err
		}
		last = got
	}
	return last, nil
}

// better asks once more where nobody has stated what a test expects, and says so. A
// test of which more is stated is taken instead; that two tests hold one call to
// different values is a doubt.
func (w *writer) better(ctx context.Context, strategy string, one *candidate) (*candidate, error) {
	if len(one.came.Verdict.Doubts) == 0 {
		return one, nil
	}
	two, err := w.askUntil(ctx, strategy, agent.AimFail, one, unstated(one.came.Verdict), 1)
	var over *noReproduction
	switch {
	case errors.As(err, &over), err == nil && two == nil:
		return one, nil
	case err != nil:
		return nil, err
	case len(two.came.Verdict.Doubts) == 0:
		return two, nil
	}
	against := reproduction.Disagree(one.came.Verdict.Expects, two.came.Verdict.Expects)
	if two.came.Verdict.Unstated() < one.came.Verdict.Unstated() {
		one = two
	}
	one.came.Verdict.Doubts = append(one.came.Verdict.Doubts, against...)
	return one, nil
}

// mostUnstated bounds what a model is told that a test expects and nobody has stated.
const mostUnstated = 40

// unstated tells a model all that its test expects and nobody has stated; a person is
// told of the first.
func unstated(v reproduction.Verdict) string {
	var said []string
	for _, e := range v.Expects {
		if !e.Given {
			said = append(said, fmt.Sprintf("- %s of %s", e.Want, cmp.Or(e.Call, "the code")))
		}
	}
	return "It fails as it should. But it expects what neither the issue nor the README nor a comment says:\n" + strings.Join(first(said, mostUnstated), "\n") +
		"\nWrite one that expects only what the issue, the README or a comment states."
}

// again is a brief for another test in place of one that ran: that test shows what it
// calls, and its author may look at the rest.
func again(b agent.ReproductionBrief) agent.ReproductionBrief {
	b.Shown.Code, b.Shown.Map, b.Shown.Left, b.Tests = nil, nil, nil, nil
	return b
}

// reached tells a test that ran: it passed, or one of its parts failed in an assertion or
// out of the code, so that its author knows the code. One that misses something has to
// see it again.
func (c candidate) reached() bool {
	red := 0
	for _, t := range c.came.Report.Tests {
		if !t.Red() {
			continue
		}
		red++
		if t.Failure != nil && (t.Failure.Kind == task.FailAssertion || t.Failure.File != "" && t.Failure.File != path.Clean(c.test.Path)) {
			return true
		}
	}
	return red == 0 && len(c.came.Report.Tests) > 0
}

const noTest = "no test came within the turns of an answer"

// askUntil asks, a few times, until a test does what it is meant to.
func (w *writer) askUntil(ctx context.Context, strategy string, aim agent.Aim, from *candidate, cameOf string, times int) (*candidate, error) {
	b := w.brief
	b.Aim = aim
	var passed string
	if from != nil {
		b = again(b)
		b.Last, b.CameOf = from.came.Content, cameOf
		if aim == agent.AimTurn {
			passed = from.came.Content
		}
	}
	for range times {
		if w.now().Sub(w.begun) > w.in.Budget.Duration/reproductionShare {
			return nil, &noReproduction{"the time for a reproduction is over"}
		}
		test, said, err := w.Reproducer.Write(ctx, w.ask, b)
		if err != nil {
			return nil, w.unanswered(ctx, strategy, err)
		}
		if test == nil && said == "" {
			w.tried.Came = append(w.tried.Came, noTest)
			return nil, w.note(ctx, "reproduction.turned_down", noTest, map[string]any{"strategy": strategy, "aim": aim})
		}
		if test == nil {
			return nil, &noReproduction{"the model writes no test that shows the fault: " + short(said)}
		}
		written := task.Patch{Edits: []task.Edit{*test}}
		if err := w.setApart(ctx, &written, new([]string), w.tier); err != nil {
			return nil, err
		}
		test = &written.Edits[0]
		c := candidate{test: *test}
		if c.came, err = w.witness(ctx, witnessing{Task: w.in.Task, Aim: aim, Test: *test, Passed: passed, Guard: w.guard(w.tier), Refused: w.outOfScope(w.tier, task.Patch{Edits: []task.Edit{*test}})}); err != nil {
			return nil, err
		}
		v, knows := c.came.Verdict, c.reached()
		if v.Not == "" && aim != agent.AimPass && !w.known(c.came.Report) {
			v.Not, knows = "is run by none of the repository's own suites", false
		}
		if v.Not == "" {
			return &c, nil
		}
		why := fmt.Sprintf("the test %s %s", test.Path, v.Not)
		w.tried.Came, w.tried.Test = append(w.tried.Came, why), test.Code
		if err := w.note(ctx, "reproduction.turned_down", why, map[string]any{"strategy": strategy, "aim": aim}); err != nil {
			return nil, err
		}
		if v.Untied {
			w.untied++
		}
		if w.untied == mostUntied {
			return nil, &noReproduction{"the issue names no code and no value by which a test could be known as its own"}
		}
		if v.Later {
			return nil, &noReproduction{"the test needs what the issue asks to add, so it has to come with the change"}
		}
		if knows {
			b = again(b)
		}
		b.Last, b.CameOf, b.Failures = test.Code, fmt.Sprintf("The test %s.", v.Not), c.came.Failures
		b.Red = c.came.Report.Red()
	}
	return nil, nil //nolint:nilnil // this strategy brought no test
}

// unanswered is what follows when no answer came: nil where the next strategy is tried.
func (w *writer) unanswered(ctx context.Context, strategy string, err error) error {
	var over *noReproduction
	var stop *Stop
	var malformed *agent.Malformed
	var failed *model.Error
	switch {
	case errors.As(err, &over):
		return over
	case errors.As(err, &stop) && stop.Outcome == task.BudgetExhausted:
		return &noReproduction{fmt.Sprintf("the next answer might bring the cost above what a reproduction may take (1 of %d parts of the budget) or above a cap: %s", reproductionShare, stop.Reason)}
	case isStop(err), errors.As(err, &failed) && failed.Class == model.Cancelled:
		return ended(ctx, err)
	case errors.As(err, &malformed), errors.As(err, &failed) && failed.Class == model.Empty:
		w.tried.Came = append(w.tried.Came, err.Error())
		return w.note(ctx, "reproduction.turned_down", err.Error(), map[string]any{"strategy": strategy})
	case errors.As(err, &failed):
		return &noReproduction{failed.Error()}
	}
	return ended(ctx, err)
}

// halfReproduced: a search mended one of several tests that a model wrote of the
// issue. A model that is asked after it may mend all of them.
func (r *run) halfReproduced(a *task.Attempt, red []string) bool {
	return a.Green && a.Tier == task.TierMechanical && r.example != nil && r.example.By != "" && len(r.modelTiers()) > 0 &&
		slices.ContainsFunc(r.example.Report.Red(), func(id string) bool { return slices.Contains(red, id) })
}

// witnessing is a model's test that is to be tried on the base.
type witnessing struct {
	Task    task.Task   `json:"task"`
	Aim     agent.Aim   `json:"aim"`
	Test    task.Edit   `json:"test"`
	Passed  string      `json:"passed,omitempty"`  // the text that passed and was turned round
	Refused string      `json:"refused,omitempty"` // it may not stand where it would
	Guard   patch.Guard `json:"-"`
}

// witnessed is what came of it.
type witnessed struct {
	Content  string               `json:"content,omitempty"` // as it would be written
	Verdict  reproduction.Verdict `json:"verdict"`
	Report   verify.Report        `json:"report"`
	Failures []task.Failure       `json:"failures,omitempty"` // as far as a model may see them
}

func turnedDown(format string, args ...any) witnessed {
	return witnessed{Verdict: reproduction.Verdict{Not: fmt.Sprintf(format, args...)}}
}

// witness runs a model's test on the base, and decides whether it does what it is
// meant to.
func (h *real) witness(ctx context.Context, w witnessing) (witnessed, error) {
	if w.Refused != "" {
		return turnedDown("may not be written: %s", w.Refused), nil
	}
	would, err := patch.Preview(ctx, h.tree.Dir(), task.Patch{Edits: []task.Edit{w.Test}}, w.Guard)
	var refusal *patch.Refusal
	if errors.As(err, &refusal) {
		return turnedDown("cannot be written: %s", refusal.Reason), nil
	} else if err != nil {
		return witnessed{}, fmt.Errorf("reading the model's test: %w", err)
	}
	file := would.Changes[0]
	tests := map[string][]byte{file.Path: file.After}
	faults, err := gate.Static(ctx, gate.Candidate{Dir: h.tree.Dir(), Base: h.tree.BaseFS(), Tests: tests})
	if err != nil {
		return witnessed{}, fmt.Errorf("reading the model's test: %w", err)
	}
	for _, f := range faults {
		if f.Kind != gate.AssertsNothing { // that it does can be seen when it runs
			return turnedDown("proves nothing: %s", f), nil
		}
	}
	rep, err := h.Verifier.Try(ctx, verify.Trial{Dir: h.tree.Dir(), Files: tests, Tests: []string{file.Path}})
	if errors.Is(err, verify.ErrNoTests) {
		return turnedDown(notFound), nil
	} else if err != nil {
		return witnessed{}, fmt.Errorf("running the model's test on the base: %w", err)
	}
	h.hide.report(&rep)
	with := h.sources.under(map[string]task.FileChange{file.Path: {Path: file.Path, Content: file.After}})
	with.explain(ctx, &rep, h.secret)
	out := witnessed{Content: string(file.After), Report: verify.Report{Suites: rep.Suites, Tests: rep.Tests, Elapsed: rep.Elapsed}}
	for _, f := range first(rep.Failures(), mostFailing) {
		out.Failures = append(out.Failures, sendable(h.never, f))
	}
	docs, tested := h.docs(ctx)
	c := reproduction.Candidate{Path: file.Path, Text: string(file.After), Before: w.Passed, Report: rep, Docs: docs, Tests: tested, Has: h.spells, Beside: h.beside(file.Path, string(file.After))}
	for _, t := range rep.Tests {
		if t.Red() {
			name, _ := verify.NativeName(rep.Suites, t.ID)
			c.Red = append(c.Red, with.red(ctx, t.ID, file.Path, name, t.Failure))
		}
	}
	issue := belong.Read(w.Task.Title, w.Task.Body+"\n\n"+w.Task.Hint)
	if w.Aim == agent.AimPass {
		out.Verdict = reproduction.Passes(issue, c)
	} else {
		out.Verdict = reproduction.Judge(ctx, issue, c)
	}
	if slices.ContainsFunc(rep.Failures(), h.quotesSecret) { // a verdict says what came out
		out.Verdict = reproduction.Verdict{Not: "fails in a file that no model may see"}
	}
	return out, nil
}

const mostBeside = 20 // files in which helpers of a test are looked for

// beside are the test files whose functions a new test can call.
func (h *real) beside(test, text string) (out []reproduction.Beside) {
	for _, f := range h.tree.Files() {
		if len(out) == mostBeside || !reproduction.Reaches(test, text, f) || h.secret(f) {
			continue
		}
		if src, err := h.sources.read(f); err == nil && len(src) <= largestRead {
			out = append(out, reproduction.Beside{Path: f, Text: string(src)})
		}
	}
	return out
}
