// Package mend repairs without a model: it localises the fault from which
// tests run which lines, from stack traces and from the words of the issue;
// makes candidates with the operators of bot/code/mutate; tries them in the
// sandbox, the likeliest first; and keeps the smallest plausible patch. In go
// a tree, a task and a baseline; out comes a patch, with the rivals that pass
// the same tests named, or why there is none. It calls no model and decides
// nothing: what it finds is judged by bot/verify like any other change.
//
// The search is the generate-and-validate scheme of the repair literature
// (Le Goues et al., GenProg, ICSE 2012; Long and Rinard, SPR, FSE 2015) with
// suspicion by Ochiai (Abreu et al., PRDC 2006).
package mend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Config is what a Mender needs.
type Config struct {
	Sandbox       *sandbox.Sandbox
	Verifier      *verify.Verifier // runs the examples of the documentation; nil: they are not asked
	Now           func() time.Time
	Log           logrus.FieldLogger
	MaxCandidates int             // default 5000
	MaxTime       time.Duration   // of a search whose request has no deadline, default 30 minutes
	Workers       int             // candidates tried at once, default 2
	Without       map[string]bool // parts that are left out, by name; see Parts
	Rules         *mutate.Own     // of the operator; nil: none
	Trusted       map[string]bool // names of those whose changes need no second look
}

// Mender searches for repairs.
type Mender struct{ cfg Config }

// New returns a Mender; it starts nothing.
func New(cfg Config) *Mender {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		cfg.Log = quiet
	}
	if cfg.MaxCandidates <= 0 {
		cfg.MaxCandidates = 5000
	}
	if cfg.MaxTime <= 0 {
		cfg.MaxTime = 30 * time.Minute
	}
	if cfg.Workers <= 0 {
		cfg.Workers = 2
	}
	return &Mender{cfg: cfg}
}

// Request is a tree with a fault.
type Request struct {
	Dir       string   // the tree; only copies of it are run or changed
	Base      fs.FS    // the same content
	Files     []string // its files
	Task      task.Task
	Baseline  verify.Baseline
	Protected func(path string) bool // files that may not be changed
	Progress  func(note string)
	// Places gives those that the task's words point at, the likeliest first; it is
	// asked where no test tells a line. nil: nothing is known of them.
	Places   func(ctx context.Context) ([]Suspect, error)
	Deadline time.Time // for what is found to be judged; zero for none
	// Followed: only a test that a model wrote fails, and a model is asked next. Then the
	// search ends without a find where a find could only be a draft.
	Followed bool
}

// Suspect is a place that may hold the fault.
type Suspect struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"` // 1-based
	EndLine int      `json:"end_line"`
	Score   float64  `json:"score"` // 0–1
	Region  string   `json:"region,omitempty"`
	Failing int      `json:"failing,omitempty"` // tests that fail and run the line, where that was traced
	Passing int      `json:"passing,omitempty"` // tests that pass and run it
	Reasons []string `json:"reasons,omitempty"`
}

// Found is a change that passes all tests.
type Found struct {
	Patch        task.Patch
	Template     string // the operator's name
	Explanation  string // what was wrong and what the change does, for a person
	Path         string
	Line         int
	Place        string   // why it was looked for there
	Alternatives []string // other changes that pass the same tests, described
	Rejected     []string // other changes that turn the failing tests green, and what was against them
	Ambiguous    bool     // nothing decides between them
	Doubts       []string // what speaks against the change, or for too little behind it

	doubted bool // another change may well be better
}

// Repair is what a search gave.
type Repair struct {
	Found     *Found
	Tried     int    // candidates that were run
	Plausible int    // candidates that passed every test
	Reason    string // why nothing was found, or what was
	TimeUp    bool   // the time ended the search: on a faster machine it may find another change
}

// Localise ranks the places that may hold the fault, best first: at most 50, a few
// of each other region that the failing tests run, and behind them the other lines
// of the same regions. Where the tests cannot be traced, in a quarter of the time
// that is left, the failures and the words of the issue have to do. Where no test
// tells anything the places that the words point at come out as they are ranked.
func (m *Mender) Localise(ctx context.Context, r Request) ([]Suspect, error) {
	support, err := code.TestSupport(ctx, r.Base)
	if err != nil {
		return nil, fmt.Errorf("looking for what only tests use: %w", err)
	}
	l := &localiser{req: r, sources: newSources(r.Base), blind: m.cfg.lacks(r, Spectrum), support: support}
	limited, cancel := context.WithTimeout(ctx, m.left(r)/4)
	defer cancel()
	for _, s := range m.targets(r) {
		traces, err := m.traces(ctx, limited, r, s)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			m.cfg.Log.WithError(err).Warnf("the tests of %s were not traced", s.suite.Name)
			r.tell(fmt.Sprintf("the tests of %s could not be traced (%v); their failures have to do", s.suite.Name, err))
			continue
		}
		l.traces = append(l.traces, traces...)
	}
	return l.rank(ctx)
}

// traces tells what the tests of a suite run. The bench lives longer than limited,
// so that it can still tell what was seen until then.
func (m *Mender) traces(ctx, limited context.Context, r Request, t target) ([]trace, error) {
	tracer, most := &Mender{cfg: m.cfg}, maxTraced
	switch t.suite.Kind {
	case "python":
		tracer.cfg.Workers = 1 // one process traces all of its tests
	case "go":
		most = maxProcesses
	}
	b, err := tracer.bench(ctx, r, t)
	if err != nil || b == nil {
		return nil, err
	}
	out, err := b.trace(limited, sample(t, most))
	return out, errors.Join(err, b.close())
}

func (r Request) tell(note string) {
	if r.Progress != nil {
		r.Progress(note)
	}
}

// Repair searches for a change that turns the failing tests green and keeps
// the others so.
func (m *Mender) Repair(ctx context.Context, r Request, suspects []Suspect) (Repair, error) {
	targets := m.targets(r)
	if len(targets) == 0 {
		if broken := r.Baseline.Report.Broken; len(broken) > 0 {
			return Repair{Reason: fmt.Sprintf("no test fails, but %d test files or packages could not be run (%s)", len(broken), broken[0].Words())}, nil
		}
		return Repair{Reason: "no test fails that could be run again"}, nil
	}
	limit := m.cfg.Now().Add(m.searchTime(r))
	total := Repair{Reason: "no candidate made a failing test pass"}
	for _, t := range targets {
		s := &search{mender: m, req: r, target: t, until: limit, sources: newSources(r.Base), most: m.cfg.most(r) - total.Tried}
		found, err := s.on(ctx, suspects)
		if errors.Is(err, errEnded) && ctx.Err() == nil { // by the code under test
			total.Tried += s.tried
			total.Reason = err.Error()
			continue
		}
		if err != nil {
			return Repair{}, fmt.Errorf("searching a repair for the tests of %s: %w", t.suite.Name, err)
		}
		total.Tried += found.Tried
		total.Plausible += found.Plausible
		total.Reason, total.TimeUp = found.Reason, found.TimeUp
		if found.Found != nil {
			total.Found = found.Found
			return total, nil
		}
	}
	return total, nil
}

// searchTime is what the search may take, so that the judgement of what it finds
// still fits: that runs about as much as the baseline did, but for the tests that
// hung, and twice that is left on a machine that may be busier by then. A quarter
// of the time is for the search in any case.
func (m *Mender) searchTime(r Request) time.Duration {
	var hung time.Duration
	for _, f := range r.Baseline.Report.Failures() {
		if f.Kind == task.FailTimeout {
			for _, t := range r.Baseline.Report.Tests {
				if t.ID == f.Test {
					hung += time.Duration(t.Seconds * float64(time.Second))
				}
			}
		}
	}
	judging := probeTime + 2*max(r.Baseline.Report.Elapsed-hung, 0)
	left := m.left(r)
	return max(left-judging, left/4)
}

// left is the time until the request's deadline.
func (m *Mender) left(r Request) time.Duration {
	if r.Deadline.IsZero() {
		return m.cfg.MaxTime
	}
	return max(r.Deadline.Sub(m.cfg.Now()), 0)
}

// target is a suite with failing tests.
type target struct {
	suite verify.Suite
	red   []verify.TestResult // fail, and not by chance
	green []verify.TestResult
}

func (m *Mender) targets(r Request) []target {
	no := map[string]bool{}
	for _, id := range slices.Concat(r.Baseline.Flaky, r.Baseline.Aside) {
		no[id] = true
	}
	var out []target
	for _, s := range r.Baseline.Report.Suites {
		t := target{suite: s}
		for _, x := range r.Baseline.Report.Tests {
			if x.Suite != s.Name || !hasPrefix(x.ID, s) || no[x.ID] {
				continue
			}
			switch {
			case x.Red():
				t.red = append(t.red, x)
			case x.Status == verify.StatusPassed:
				t.green = append(t.green, x)
			}
		}
		if len(t.red) > 0 {
			out = append(out, t)
		}
	}
	return out
}
