package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// real are the effects on a checkout.
type real struct {
	Config
	tree    *checkout.Tree
	repo    task.Repo
	sources *sources
	now     *sources                   // of the tree that attempts build on
	stood   map[string]task.FileChange // what the accepted steps made of the base's files
	tip     string                     // commit that the tree stands on; "" is the base
	commits map[int]string             // of attempts, in this process
	never   []string                   // globs of what no model may see
	ahead   ahead                      // of what the run has asked for
	hide    *withholder                // of what tests print of it; nil: nothing to hide

	documented string        // see docs
	tested     string        // see docs: the tests
	listed     *code.Project // see project; nil: not asked since the tree changed

	index *memory.Index // opened when it is first asked
	view  *memory.View
}

func newReal(cfg Config, in Input) *real {
	h := &real{Config: cfg, tree: in.Tree, repo: in.Task.Repo, sources: newSources(in.Tree.BaseFS()), commits: map[int]string{}, never: in.NeverSend}
	h.now = h.sources
	if len(h.never) > 0 {
		h.hide = newWithholder(in.Tree.BaseFS(), in.Tree.Files(), h.never)
	}
	return h
}

func (h *real) measure(ctx context.Context, tell func(note string)) (verify.Baseline, error) {
	suites, err := h.Verifier.Detect(h.tree.BaseFS())
	if errors.Is(err, verify.ErrNoTests) {
		return verify.Baseline{Untested: err.Error()}, nil
	} else if err != nil {
		return verify.Baseline{}, notCheckable(err)
	}
	begun := h.Now()
	end := every(tellEvery, func() {
		tell(fmt.Sprintf("the tests still run after %s; one that does not end is stopped after %s, a suite after %s", h.Now().Sub(begun).Round(time.Second), h.Verifier.TestTimeout(), h.Verifier.SuiteTimeout()))
	})
	base, err := h.Verifier.Measure(ctx, h.tree.Dir(), suites)
	end()
	if err != nil {
		return base, fmt.Errorf("running the tests on the base: %w", err)
	}
	h.hide.report(&base.Report)
	h.sources.explain(ctx, &base.Report, h.secret)
	return base, nil
}

// secret tells whether a file is never sent, hence not quoted either.
func (h *real) secret(path string) bool { return patch.Match(h.never, path) }

// tellEvery is how often a run says that the tests of the baseline still run.
const tellEvery = 5 * time.Second

// every does something again and again until end is called; then it is not done
// any more.
func every(d time.Duration, do func()) (end func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				do()
			}
		}
	}()
	return func() { close(stop); <-stopped }
}

func (h *real) exemplify(ctx context.Context, t task.Task, guard patch.Guard) (example.Found, error) {
	found, err := example.Reproduce(ctx, example.Input{
		Title: t.Title, Body: t.Body + "\n\n" + t.Hint, Dir: h.tree.Dir(), Base: h.tree.BaseFS(), Runner: h.Verifier,
		Allowed: func(p string) bool { return !guard.IsProtected(p) },
	})
	if err != nil {
		return found, fmt.Errorf("making a test of the issue's examples: %w", err)
	}
	with := h.sources.under(map[string]task.FileChange{found.Path: {Path: found.Path, Content: []byte(found.Content)}})
	with.explain(ctx, &found.Report, h.secret)
	return found, nil
}

// localise runs the red tests once more, where the baseline is new, while the
// first localisation takes all of them for true: both mostly wait for a test
// runner to start.
func (h *real) localise(ctx context.Context, q search) (out located, err error) {
	err = h.withExample(ctx, q.Example, func() error {
		type second struct {
			flaky verify.Unstable
			took  time.Duration
			err   error
		}
		flakes := make(chan second, 1)
		if q.Fresh {
			go func() {
				begun := h.Now()
				flaky, err := h.Verifier.Flakes(ctx, h.tree.Dir(), q.Baseline)
				flakes <- second{flaky, h.Now().Sub(begun), err}
			}()
		} else {
			flakes <- second{}
		}
		var err error
		out.Suspects, err = h.Mender.Localise(ctx, h.request(q))
		got := <-flakes
		if got.err != nil {
			return fmt.Errorf("running the tests on the base again: %w", got.err)
		}
		out.Unstable, out.Seconds = got.flaky, got.took.Seconds()
		if err == nil && len(got.flaky.Flaky) > 0 {
			q.Baseline.Unstable = got.flaky
			out.Suspects, err = h.Mender.Localise(ctx, h.request(q))
		}
		return err
	})
	if err != nil {
		return out, fmt.Errorf("localising the fault: %w", err)
	}
	return out, nil
}

func (h *real) repair(ctx context.Context, q search) (rep mend.Repair, err error) {
	err = h.withExample(ctx, q.Example, func() (err error) {
		rep, err = h.Mender.Repair(ctx, h.request(q), q.Suspects)
		return err
	})
	if err != nil {
		return rep, fmt.Errorf("mechanical repair: %w", err)
	}
	if rep.Found != nil { // they say what calls gave
		for i, words := range rep.Found.Alternatives {
			rep.Found.Alternatives[i] = h.hide.text(words)
		}
	}
	return rep, nil
}

func (h *real) request(q search) mend.Request {
	r := mend.Request{
		Dir: h.tree.Dir(), Base: h.tree.BaseFS(), Files: h.tree.Files(), Task: q.Task, Baseline: q.Baseline, Deadline: q.Deadline, Followed: q.Followed,
		Protected: q.forbidden, Progress: q.progress, Places: func(ctx context.Context) ([]mend.Suspect, error) { return h.spoken(ctx, q) },
	}
	if q.Example != nil {
		r.Base = verify.OneMore(r.Base, q.Example.Path, []byte(q.Example.Content))
		r.Files = append(slices.Clone(r.Files), q.Example.Path)
	}
	return r
}

// withExample does something while the reproduction test lies in the tree.
func (h *real) withExample(ctx context.Context, found *example.Found, do func() error) error {
	if found == nil {
		return do()
	}
	if _, err := patch.Apply(ctx, h.tree.Dir(), task.Patch{Edits: []task.Edit{exampleEdit(found)}}, patch.Guard{}); err != nil {
		return fmt.Errorf("laying out the reproduction test: %w", err)
	}
	err := do()
	if back := h.back(context.WithoutCancel(ctx)); err == nil && back != nil {
		err = fmt.Errorf("taking the reproduction test back: %w", back)
	}
	return err
}

func (h *real) apply(ctx context.Context, p task.Patch, g patch.Guard, tier task.Tier) (applied, error) {
	h.ahead.drop()
	did, err := patch.Apply(ctx, h.tree.Dir(), p, g)
	var refusal *patch.Refusal
	switch {
	case errors.As(err, &refusal):
		return applied{Refused: refusal.Error(), Protected: refusal.Rule == patch.RuleProtected, Rule: refusal.Rule}, nil
	case err != nil:
		return applied{}, fmt.Errorf("applying the change: %w", err)
	}
	h.Point("edit applied")
	out := applied{Regions: did.Regions, Callers: did.Callers}
	facts := patch.Facts{Tier: tier, TestsAdded: addsTest(p), CallersLeft: len(did.Left())}
	if facts.Dangers, err = h.dangers(ctx, did.Changes); err != nil {
		return applied{}, err
	}
	out.Risk = patch.Risk(did.Changes, facts)
	if out.Diff, err = h.diff(ctx); err != nil {
		return applied{}, fmt.Errorf("reading the change's diff: %w", err)
	}
	return out, nil
}

// dangers are what the changes add that can do harm, as facts of their risk.
func (h *real) dangers(ctx context.Context, changes []patch.Change) ([]patch.Danger, error) {
	found, err := verify.Dangers(ctx, h.tree.BaseFS(), changes, "")
	var out []patch.Danger
	for _, f := range found {
		out = append(out, patch.Danger{Points: f.Risk, Words: f.String()})
	}
	return out, err
}

// diff is the change from what stands to the tree as it is: the attempt's own.
func (h *real) diff(ctx context.Context) (string, error) {
	if len(h.stood) == 0 {
		return h.tree.Diff(ctx)
	}
	changes, err := h.tree.Changes()
	if err != nil {
		return "", err
	}
	for p, was := range h.stood {
		if slices.ContainsFunc(changes, func(c task.FileChange) bool { return c.Path == p }) {
			continue
		}
		src, err := h.sources.read(p) // it is the base's again
		changes = append(changes, task.FileChange{Path: p, Content: src, Mode: was.Mode, Deleted: err != nil})
	}
	slices.SortFunc(changes, func(a, b task.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return checkout.DiffOf(changes, func(p string) ([]byte, string, bool, error) {
		if was, ok := h.stood[p]; ok {
			return was.Content, was.Mode, !was.Deleted, nil
		}
		src, err := h.sources.read(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", false, nil
		}
		i := slices.IndexFunc(changes, func(c task.FileChange) bool { return c.Path == p })
		return src, changes[i].Mode, true, err // a patch changes no modes
	})
}

func (h *real) judge(ctx context.Context, j judging) (verify.Verdict, error) {
	h.Point("testing")
	v, err := h.Verifier.Judge(ctx, verify.Judge{Dir: h.tree.Dir(), Base: h.tree.BaseFS(), Baseline: j.Baseline, NewTests: j.NewTests, Whole: j.Whole, Issue: j.Issue, Passed: func() { h.lookAhead(ctx, j) }})
	if err != nil || !v.Green {
		h.ahead.drop()
	}
	if err != nil {
		return v, fmt.Errorf("verifying the change: %w", err)
	}
	if v.Green {
		if err := h.askStated(ctx, &v); err != nil {
			return v, err
		}
	}
	h.hide.verdict(&v)
	return v, nil
}

// askStated holds the change against the examples of the documentation: one that
// held before and does not now is a doubt, one that is true now is told. What
// cannot be asked costs nothing.
func (h *real) askStated(ctx context.Context, v *verify.Verdict) error {
	begun := h.Now()
	_, _, changes, err := h.candidates(weighing{})
	if err != nil {
		return err
	}
	broken, mended, asked, err := judge.Stated(ctx, h.Verifier, h.tree.BaseFS(), h.tree.Dir(), changes)
	v.Doubts = append(v.Doubts, broken...)
	if err == nil && asked && len(broken) == 0 {
		v.Checks = append(v.Checks, task.Check{Name: "examples of the documentation", Status: task.CheckPassed, Seconds: h.Now().Sub(begun).Seconds(),
			Detail: cmp.Or(strings.Join(mended, "; "), "what held before holds now")})
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		h.Log.WithError(err).Warn("the examples of the documentation could not be asked")
	}
	return nil
}

// keep puts the tree on a private ref of the run's Git directory, as a child
// of what it builds on.
func (h *real) keep(_ context.Context, k keeping) (string, error) {
	hash, err := h.tree.CommitRef(k.Ref, h.tip, k.Message, checkout.Signature{Name: "fettle", Email: "fettle@localhost", When: k.When})
	if err != nil {
		return "", fmt.Errorf("committing the attempt: %w", err)
	}
	h.commits[k.Number] = hash
	return hash, nil
}

// back makes the tree exactly what it was before the attempt.
func (h *real) back(ctx context.Context) error {
	if h.tip == "" {
		return h.tree.Reset(ctx)
	}
	return h.tree.Restore(ctx, h.tip)
}

// restore makes the tree exactly the base and the changes that stand, and takes
// note of what they made of the base's files.
func (h *real) restore(ctx context.Context, stands []standing) error {
	if err := h.reapply(ctx, stands); err != nil {
		return err
	}
	h.now, h.stood, h.listed = h.sources, nil, nil
	if len(stands) == 0 {
		return nil
	}
	changes, err := h.tree.Changes()
	if err != nil {
		return fmt.Errorf("reading what stands in the tree: %w", err)
	}
	h.stood = map[string]task.FileChange{}
	for _, c := range changes {
		h.stood[c.Path] = c
	}
	h.now = h.sources.under(h.stood)
	return nil
}

func (h *real) reapply(ctx context.Context, stands []standing) error {
	h.ahead.drop()
	tip := ""
	if len(stands) > 0 {
		tip = h.commits[stands[len(stands)-1].Number]
	}
	if len(stands) == 0 || tip != "" {
		h.tip = tip
		if err := h.back(ctx); err != nil {
			return fmt.Errorf("rolling the tree back: %w", err)
		}
		return nil
	}
	// Another process made them: its Git directory is gone, the edits are not.
	if err := h.reapply(ctx, stands[:len(stands)-1]); err != nil {
		return err
	}
	s := stands[len(stands)-1]
	if _, err := patch.Apply(ctx, h.tree.Dir(), s.Patch, s.Guard); err != nil {
		return fmt.Errorf("applying attempt %d again: %w", s.Number, err)
	}
	hash, err := h.keep(ctx, keeping{Number: s.Number, Ref: fmt.Sprintf("refs/fettle/again/attempt-%d", s.Number), Message: fmt.Sprintf("attempt %d, laid out again", s.Number), When: h.Now()})
	h.tip = hash
	return err
}

func (h *real) product(ctx context.Context, stands []standing, promised []string) (product, error) {
	if err := h.restore(ctx, stands); err != nil {
		return product{}, err
	}
	var out product
	var err error
	if out.Changes, err = h.tree.Changes(); err != nil {
		return out, fmt.Errorf("reading the changed files: %w", err)
	}
	if out.Diff, err = h.tree.Diff(ctx); err != nil {
		return out, fmt.Errorf("reading the diff: %w", err)
	}
	var touched []patch.Change
	for _, c := range out.Changes {
		before, err := h.sources.read(c.Path)
		if err != nil {
			before = nil // a new file
		}
		touched = append(touched, patch.Change{Path: c.Path, Before: before, After: c.Content})
	}
	facts := patch.Facts{}
	if facts.Dangers, err = h.dangers(ctx, touched); err != nil {
		return out, err
	}
	for _, s := range stands {
		facts.Tier, facts.TestsAdded, facts.CallersLeft = s.Facts.Tier, facts.TestsAdded || s.Facts.TestsAdded, facts.CallersLeft+s.Facts.CallersLeft
	}
	out.Risk = patch.Risk(touched, facts)
	out.Missing = h.missing(out.Changes, promised)
	return out, nil
}

// missing are the promised files that the tree does not hold.
func (h *real) missing(changes []task.FileChange, promised []string) []string {
	now := map[string]bool{}
	for _, f := range h.tree.Files() {
		now[f] = true
	}
	for _, c := range changes {
		now[c.Path] = !c.Deleted
	}
	var out []string
	for _, p := range promised {
		if p = path.Clean(p); now[p] || slices.ContainsFunc(h.tree.Files(), func(f string) bool { return strings.HasPrefix(f, p+"/") }) {
			continue
		}
		out = append(out, p)
	}
	return out
}
