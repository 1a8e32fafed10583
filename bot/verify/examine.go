package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/cross"
)

// Grade says how far the evidence of a green verdict can be believed (SPEC C9).
type Grade string

const (
	// Signed: every test that the change mends passes when it runs without the
	// others, and fails, in runs of the same kind, when what it expects is made
	// wrong and when the changed lines are sabotaged. The code under test
	// could not know which run was which.
	Signed Grade = "signed"
	// Witnessed: the runner's own report, and a question that could not be asked.
	Witnessed Grade = "witnessed"
	// Told: nothing but the word of the run that the code under test took part in.
	// Never ready.
	Told Grade = "told"
)

// maxExamined bounds the tests that are cross-examined; where a change mends
// more, the others are only witnessed.
const maxExamined = 200

// subject is a mended test under examination.
type subject struct {
	id   string
	file string // its source, from the root
	cross.Test
}

// examination is one cross-examination.
type examination struct {
	v      *Verifier
	j      Judge
	suites []Suite
	diff   []Change
	token  string
	was    map[string]*task.Failure // how the tests failed before the change
	among  bool                     // questions are asked in runs of all tests
	early  *inquiry                 // of all tests that were red, begun beside the run of all tests
}

// inquiry is what the questions brought.
type inquiry struct {
	subjects []subject
	stop     context.CancelFunc
	done     chan struct{}

	alone     Report
	falsified Report
	left      map[string]string // id of a test that was not falsified -> why
	sabotaged Report
	spared    string // why nothing was sabotaged
	took      time.Duration
	err       error
}

// answer is what a question brought.
type answer struct {
	held  int      // tests that did what they have to
	wrong []string // ids of those that did not
	open  []string // why a part could not be asked
}

func (v *Verifier) examination(j Judge, suites []Suite, diff []Change) *examination {
	e := &examination{v: v, j: j, suites: suites, diff: diff, token: "k" + v.cfg.Nonce()[:12], was: map[string]*task.Failure{}}
	for _, t := range j.Baseline.Report.Tests {
		e.was[t.ID] = t.Failure
	}
	return e
}

// expect begins to ask about the tests that the change may mend: which of them
// it does is known when all tests have run. Dismiss ends it.
func (e *examination) expect(ctx context.Context) {
	red := e.j.Baseline.Red()
	if e.j.Examined || len(red) > maxExamined {
		return
	}
	var all []subject
	for _, t := range e.j.Baseline.Report.Tests {
		if _, mine := slices.BinarySearch(red, t.ID); mine && t.Red() {
			if s, ok := e.subject(t); ok {
				all = append(all, s)
			}
		}
	}
	if len(all) > 0 {
		e.early = e.ask(ctx, all)
	}
}

// dismiss ends what was begun and is of no use.
func (e *examination) dismiss() {
	if e.early != nil {
		e.early.stop()
		<-e.early.done
		e.early = nil
	}
}

// ask begins to ask the questions, side by side.
func (e *examination) ask(ctx context.Context, subjects []subject) *inquiry {
	ctx, stop := context.WithCancel(ctx)
	q, begun := &inquiry{subjects: subjects, stop: stop, done: make(chan struct{})}, e.v.clock()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { q.alone, err = e.alone(ctx, subjects); return err })
	group.Go(func() (err error) {
		q.falsified, q.left, err = e.falsify(ctx, subjects, cross.Expectation)
		return err
	})
	group.Go(func() (err error) { q.sabotaged, q.spared, err = e.sabotage(ctx, subjects); return err })
	go func() {
		q.err = group.Wait()
		q.took = e.v.clock().Sub(begun)
		close(q.done)
	}()
	return q
}

// about asks about some tests. What was begun is taken if it was about all of
// them and, if it was about others too, no answer could be theirs.
func (e *examination) about(ctx context.Context, subjects []subject, rep Report) (*inquiry, error) {
	if q := e.early; q != nil && !e.among && !slices.ContainsFunc(subjects, func(s subject) bool { return !slices.Contains(q.subjects, s) }) {
		<-q.done
		if q.err != nil {
			return q, q.err
		}
		alone, falsified, sabotaged := q.answers(e, subjects, rep)
		if len(subjects) == len(q.subjects) || len(slices.Concat(alone.wrong, alone.open, falsified.wrong, sabotaged.wrong)) == 0 {
			return q, nil
		}
	}
	e.dismiss()
	q := e.ask(ctx, subjects)
	defer q.stop()
	<-q.done
	return q, q.err
}

// answers sorts what the questions brought about some tests.
func (q *inquiry) answers(e *examination, subjects []subject, rep Report) (alone, falsified, sabotaged answer) {
	return q.alonePassed(e, subjects, rep), q.falsifiedFailed(subjects), q.sabotagedFailed(subjects)
}

// examine cross-examines the tests that the change is said to mend, and writes
// grade, doubts and reasons of the verdict.
func (e *examination) examine(ctx context.Context, rep Report, out *Verdict) error {
	out.Grade = Witnessed
	if e.j.Examined {
		return nil
	}
	subjects, open := e.choose(out.Fixed, rep)
	q, err := e.about(ctx, subjects, rep)
	if err != nil {
		return err
	}
	alone, falsified, sabotaged := q.answers(e, subjects, rep)
	// A suite whose first test prepares the others is no forgery, and a patch that
	// forges only where all tests run does so in a question that is asked there.
	if needy := alone.wrong; len(needy) > 0 {
		e.among = true
		if q, err = e.about(ctx, subjects, rep); err != nil {
			return err
		}
		alone, falsified, sabotaged = q.answers(e, subjects, rep)
		alone.open = append(alone.open, fmt.Sprintf("there are mended tests that do not pass when they run without the others (%d of %d, first %s); they were questioned among all", len(needy), len(subjects), needy[0]))
	}
	if len(falsified.wrong) > 0 {
		if err := e.press(ctx, subjects, falsified.wrong, out); err != nil {
			return err
		}
	}
	// What a test did not come to before the change, since its process had ended,
	// need not test it: another one does.
	if n := len(sabotaged.wrong); n > 0 && sabotaged.held > 0 {
		sabotaged.open = append(sabotaged.open, fmt.Sprintf("there are mended tests that pass with the changed lines sabotaged, too (%d of %d, first %s)", n, len(subjects), sabotaged.wrong[0]))
		sabotaged.wrong = nil
	}
	doubt := func(what string, ids []string, check string) {
		if len(ids) > 0 {
			out.Doubts = append(out.Doubts, fmt.Sprintf("%s (%d of %d, first %s): %s", what, len(ids), len(subjects), ids[0], check))
		}
	}
	doubt("there are mended tests that pass although the changed lines were made to fail", sabotaged.wrong, "check that they test the change")
	doubt("there are mended tests that do not pass a second time, with another seed of hashes", alone.wrong, "check whether they pass by chance")
	if err := e.weak(ctx, subjects, out); err != nil {
		return err
	}
	c := task.Check{Name: "cross-examination", Status: task.CheckPassed}
	open = slices.Concat(open, alone.open, falsified.open, sabotaged.open)
	switch n := len(alone.wrong) + len(falsified.wrong) + len(sabotaged.wrong); {
	case n > 0:
		c.Status, c.Detail = task.CheckFailed, task.Count(n, "answer")+" of mended tests did not hold"
	case len(open) > 0:
		c.Detail = string(Witnessed) + ": " + open[0]
	case e.reported(out.Fixed):
		c.Detail = string(Witnessed) + ": by the runner's own report, with tests of ours seen in it; what was asked held"
	default:
		out.Grade = Signed
		c.Detail = fmt.Sprintf("%s: %s passed alone, and failed with a wrong expectation and with the changed lines sabotaged", Signed, task.Count(len(subjects), "mended test"))
	}
	if told := told(out.Fixed, rep.Told); told != "" {
		out.Grade, c.Detail = Told, string(Told)+": "+c.Detail
		out.Doubts = append(out.Doubts, "nothing but the run's own word says that "+told+" passes: no test of ours was seen in the report of its runner")
	}
	c.Seconds = q.took.Seconds() // beside the run of all tests
	out.Checks = append(out.Checks, c)
	return nil
}

// weak doubts a change all of whose mended tests hold a result against what the change
// itself altered, or only ask whether something is among what comes out.
func (e *examination) weak(ctx context.Context, subjects []subject, out *Verdict) error {
	moved, err := e.moved(ctx)
	if err != nil {
		return err
	}
	read, leaning, oneSided, on := 0, 0, 0, ""
	for _, s := range subjects {
		src, err := e.source(s.file)
		if err != nil {
			continue // it could not be questioned either, which the grade says
		}
		read++
		text := cross.Source(ctx, s.file, src, s.Name)
		if at := slices.IndexFunc(moved, func(m moving) bool { return m.named.MatchString(text) }); at >= 0 {
			leaning, on = leaning+1, moved[at].words
		}
		only, err := cross.OneSided(ctx, s.file, src, s.Name)
		if err != nil {
			return err
		}
		if only {
			oneSided++
		}
	}
	if read > 0 && leaning == read {
		out.Doubts = append(out.Doubts, fmt.Sprintf("%s holds the result against %s, which the change alters: check which of the two was wrong", subjects[0].id, on))
	}
	if read > 0 && oneSided == read {
		out.Doubts = append(out.Doubts, subjects[0].id+" only asks whether something is among what comes out: check what else does")
	}
	return nil
}

// moving is a constant that a change alters.
type moving struct {
	named *regexp.Regexp // finds its name
	words string         // "MaxDelay of backoff.go"
}

// moved are the constants that the change alters, by file and name.
func (e *examination) moved(ctx context.Context) (out []moving, err error) {
	for _, f := range e.diff {
		if code.IsTest(f.Path) || slices.Contains(e.j.NewTests, f.Path) {
			continue
		}
		was, err := cross.Constants(ctx, f.Path, f.Before)
		if err != nil {
			return nil, err
		}
		now, err := cross.Constants(ctx, f.Path, f.After)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if had, ok := was[name]; ok && had.Moved(now[name]) {
				out = append(out, moving{regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`), name + " of " + f.Path})
			}
		}
	}
	return out, nil
}

// source is the text of a test's file as the judge runs it.
func (e *examination) source(file string) ([]byte, error) {
	if slices.Contains(e.j.NewTests, file) {
		root, err := os.OpenRoot(e.j.Dir)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return regular.ReadIn(root, file, maxSource)
	}
	return regular.ReadFS(e.j.Base, file, maxSource)
}

// reported tells whether a mended test is known from its runner's report alone,
// which is made where the patch runs.
func (e *examination) reported(fixed []string) bool {
	return slices.ContainsFunc(fixed, func(id string) bool {
		s, ok := suiteOf(e.suites, id)
		return ok && s.Reported()
	})
}

// told is a mended test of a suite in which no sentinel was seen, or "".
func told(fixed, suites []string) string {
	for _, id := range fixed {
		if slices.ContainsFunc(suites, func(prefix string) bool { return strings.HasPrefix(id, prefix) }) {
			return id
		}
	}
	return ""
}

// press asks about tests that pass though they expect something wrong: they may
// have caught their own failure. One that passes though its last statement fails
// has not been run by an honest runner.
func (e *examination) press(ctx context.Context, subjects []subject, ids []string, out *Verdict) error {
	again := slices.DeleteFunc(slices.Clone(subjects), func(s subject) bool { return !slices.Contains(ids, s.id) })
	var q inquiry
	var err error
	if q.falsified, q.left, err = e.falsify(ctx, again, cross.End); err != nil {
		return err
	}
	if end := q.falsifiedFailed(again); len(end.wrong) > 0 {
		out.Reasons = append(out.Reasons, end.wrong[0]+" passes even with a statement at its end that must fail: its result is forged")
		return nil
	}
	out.Doubts = append(out.Doubts, ids[0]+" passes also when what it expects is made wrong: check that it tests the change")
	return nil
}

// choose takes the tests to examine; a unit that could not be run before stands
// for the tests in it. open says which of the mended are not among them.
func (e *examination) choose(fixed []string, rep Report) (subjects []subject, open []string) {
	stands, mended, status := map[string]bool{}, setFrom(fixed), statuses(rep)
	units := slices.DeleteFunc(slices.Clone(fixed), func(id string) bool { return status[id] != "" })
	for _, t := range rep.Tests {
		in := slices.IndexFunc(units, func(id string) bool { return InUnit(id, t.ID) })
		x, ok := e.subject(t)
		if !mended[t.ID] && in < 0 || !ok || t.Status != StatusPassed {
			continue
		}
		stands[t.ID] = true
		if in >= 0 {
			stands[units[in]] = true
		}
		subjects = append(subjects, x)
	}
	for _, id := range fixed {
		if !stands[id] {
			open = append(open, id+" was not seen to pass by itself")
		}
	}
	if n := len(subjects) - maxExamined; n > 0 {
		subjects = subjects[:maxExamined]
		open = append(open, task.Count(n, "mended test")+" more than are examined")
	}
	if len(subjects) == 0 {
		open = append(open, "no mended test could be asked about")
	}
	return subjects, open
}

// subject is a test with the place where it failed before the change.
func (e *examination) subject(t TestResult) (x subject, ok bool) {
	name, ok := NativeName(e.suites, t.ID)
	if !ok {
		return x, false
	}
	x = subject{id: t.ID, file: cmp.Or(t.Source, t.File)}
	x.Name = name
	if was := e.was[t.ID]; was != nil {
		x.file = cmp.Or(x.file, was.File) // cargo names the file of a failure only
		for _, fr := range was.Trace {    // the innermost place in the test's own file
			if fr.File == x.file {
				x.Line = fr.Line
			}
		}
	}
	return x, true
}

// NativeName is the name that a test of one of the suites has in its file, such as
// "Class::method[param]", "suite > test" or "TestTotal/three".
func NativeName(suites []Suite, id string) (name string, ok bool) {
	s, ok := suiteOf(suites, id)
	if !ok {
		return "", false
	}
	return OwnName(nameIn(strings.TrimPrefix(id, s.prefix()))), true
}

// nameIn is a native id without its file or package: behind the first of the signs
// that end these. A name may hold the others.
func nameIn(native string) string {
	file, name := native, native
	for _, cut := range []string{"::", " > ", ":"} {
		if before, after, ok := strings.Cut(native, cut); ok && len(before) < len(file) {
			file, name = before, after
		}
	}
	return name
}

// alone runs the tests as the questions do, and changes nothing: a patch that
// forges only where it sees that everything runs is seen here, and one that
// forges here does so in the questions, too. A file of node's runner has a
// process of its own and never sees that everything runs. Sets have another order
// than where everything ran.
func (e *examination) alone(ctx context.Context, subjects []subject) (Report, error) {
	others := slices.DeleteFunc(slices.Clone(subjects), func(s subject) bool { return e.apart(s) })
	rep, err := e.run(ctx, others, func(box) (map[string][]byte, error) { return nil, nil })
	if err != nil {
		return rep, fmt.Errorf("running mended tests without the others: %w", err)
	}
	return rep, nil
}

// apart: where everything runs, the test's file runs as it does in a question.
func (e *examination) apart(x subject) bool {
	s, ok := suiteOf(e.suites, x.id)
	return ok && s.Name == suiteNode
}

// alonePassed: each test was seen to pass by itself; where it is apart, with all.
func (q *inquiry) alonePassed(e *examination, subjects []subject, all Report) answer {
	alone, among := statuses(q.alone), statuses(all)
	var out answer
	for _, s := range subjects {
		status := alone[s.id]
		if e.apart(s) {
			status = among[s.id]
		}
		switch status {
		case StatusPassed:
		case "": // out of time
			out.open = append(out.open, s.id+" was not seen to run without the others")
		default:
			out.wrong = append(out.wrong, s.id)
		}
	}
	return out
}

func statuses(rep Report) map[string]string {
	out := map[string]string{}
	for _, t := range rep.Tests {
		out[t.ID] = t.Status
	}
	return out
}

// falsify runs tests that are made wrong. left says why one was not.
func (e *examination) falsify(ctx context.Context, tests []subject, how cross.How) (rep Report, left map[string]string, err error) {
	left = map[string]string{}
	byFile := map[string][]subject{}
	for _, s := range tests {
		byFile[s.file] = append(byFile[s.file], s)
	}
	rep, err = e.run(ctx, tests, func(b box) (map[string][]byte, error) {
		texts := map[string][]byte{}
		for file, all := range byFile {
			src, err := b.ReadFile(file, maxSource)
			if err != nil {
				for _, s := range all {
					left[s.id] = "the source of " + s.id + " was not found"
				}
				continue
			}
			var named []cross.Test
			for _, s := range all {
				named = append(named, s.Test)
			}
			text, not, err := cross.Falsify(ctx, file, src, named, how, e.token)
			if err != nil {
				return nil, err
			}
			texts[file] = text
			for _, i := range not {
				left[all[i].id] = all[i].id + " states its expectation in a way that cannot be made wrong"
			}
		}
		return texts, nil
	})
	if err != nil {
		return rep, left, fmt.Errorf("running mended tests with wrong expectations: %w", err)
	}
	return rep, left, nil
}

// falsifiedFailed: each test that was made wrong was seen to fail.
func (q *inquiry) falsifiedFailed(subjects []subject) answer {
	var out answer
	var asked []subject
	for _, s := range subjects {
		if why := q.left[s.id]; why != "" {
			out.open = append(out.open, why)
		} else {
			asked = append(asked, s)
		}
	}
	out.failed(asked, q.falsified, "with a wrong expectation")
	return out
}

// sabotage runs the tests on the tree with the changed lines made to fail.
// spared says why none was.
func (e *examination) sabotage(ctx context.Context, tests []subject) (rep Report, spared string, err error) {
	texts := map[string][]byte{}
	for _, f := range e.diff {
		if slices.Contains(e.j.NewTests, f.Path) || code.IsTest(f.Path) || f.After == nil {
			continue
		}
		text, err := cross.Sabotage(ctx, f.Path, f.Before, f.After, e.token)
		if err != nil {
			return rep, "", err
		}
		if errs, err := code.Check(ctx, f.Path, text); text == nil || err != nil || len(errs) > 0 {
			continue // our own mistake proves nothing
		}
		texts[f.Path] = text
	}
	if len(texts) == 0 {
		return rep, "no function was changed that could be sabotaged", nil
	}
	rep, err = e.run(ctx, tests, func(box) (map[string][]byte, error) { return texts, nil })
	if err != nil {
		return rep, "", fmt.Errorf("running mended tests on sabotaged code: %w", err)
	}
	return rep, "", nil
}

// sabotagedFailed: each test was seen to fail on sabotaged code, or its file to be
// unable to load.
func (q *inquiry) sabotagedFailed(subjects []subject) answer {
	if q.spared != "" {
		return answer{open: []string{q.spared}}
	}
	var out answer
	out.failed(subjects, q.sabotaged, "on sabotaged code")
	return out
}

// failed sorts tests that have to fail. One that was not seen, and whose file was
// not seen to break, was not asked.
func (a *answer) failed(tests []subject, rep Report, how string) {
	green, red := setFrom(rep.Green()), rep.Red()
	for _, s := range tests {
		switch {
		case green[s.id]:
			a.wrong = append(a.wrong, s.id)
		case slices.ContainsFunc(red, func(id string) bool { return id == s.id || InUnit(id, s.id) }):
			a.held++
		default:
			a.open = append(a.open, s.id+" was not seen to run "+how)
		}
	}
}

// run runs tests on a copy of the judged tree with other texts.
func (e *examination) run(ctx context.Context, tests []subject, texts func(box) (map[string][]byte, error)) (Report, error) {
	if len(tests) == 0 {
		return Report{}, nil
	}
	var ids []string
	for _, s := range tests {
		ids = append(ids, s.id)
	}
	return e.v.onTree(ctx, e.j, nil, func(b box) (Report, error) {
		all, err := texts(b)
		if err != nil {
			return Report{}, err
		}
		for file, text := range all {
			if err := b.WriteFile(file, text); err != nil {
				return Report{}, fmt.Errorf("writing %s: %w", file, err)
			}
		}
		lim := e.v.learned(e.j.Baseline, ids)
		lim.seed = "1" // what passes by the order of a set alone is not mended
		picks := pick(e.suites, ids, nil)
		if e.among {
			picks, lim = nil, e.v.learned(e.j.Baseline, nil)
			lim.seed = "1"
		}
		return e.v.run(ctx, b, e.suites, picks, lim)
	})
}
