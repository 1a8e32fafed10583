package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
)

// Plan is what a run does. A run that was interrupted goes on only with an equal plan.
type Plan struct {
	Version int      `json:"version"`
	Suite   string   `json:"suite"`
	Cases   []string `json:"cases"`
	Tier    string   `json:"max_tier"` // "": as configured
	Repeat  int      `json:"repeat"`
	Seed    int64    `json:"seed"`
	Extra   []string `json:"extra,omitempty"` // flags of every 'fettle fix'
	Made    string   `json:"fettle"`          // the version that runs

	MaxSeconds int `json:"max_seconds,omitempty"` // that each case may work; 0: what the case says
}

// planVersion changes when results of before cannot be read any more.
const planVersion = 1

// Config is what a run needs.
type Config struct {
	Plan    Plan
	Cases   []Case
	Jobs    int
	Out     string // the folder of the run: results, records, reports
	Fettle  string // the program
	Box     *sandbox.Sandbox
	Prepare func(dir, name string) (config string, err error) // writes the configuration of one case, whose state is in dir
	Server  *Server                                           // stands before the models, and knows who answered; nil: none does
	Say     func(string)                                      // progress; nil: none
}

// What stands in the folder of a run.
const (
	planFile    = "plan.json"
	resultsFile = "results.jsonl"
	recordsDir  = "records"
)

// Run runs what is not done yet of the plan, and gives the results of all.
func Run(ctx context.Context, cfg Config) ([]Result, error) {
	done, err := begin(cfg)
	if err != nil {
		return nil, err
	}
	unlock, err := lock(cfg.Out)
	if err != nil {
		return nil, err
	}
	defer unlock()
	f, err := os.OpenFile(filepath.Join(cfg.Out, resultsFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the results: %w", err)
	}
	defer f.Close()
	type job struct {
		c      Case
		repeat int
	}
	var todo []job
	for n := range max(cfg.Plan.Repeat, 1) {
		for _, c := range cfg.Cases {
			if _, ok := done[key(c.Name, n)]; !ok {
				todo = append(todo, job{c, n})
			}
		}
	}
	// The order says nothing of the cases, so that what is left tells how long it takes.
	rand.New(rand.NewPCG(uint64(cfg.Plan.Seed), 1)).Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] }) //nolint:gosec // an order
	var mu sync.Mutex
	began, total, before := time.Now(), len(todo)+len(done), len(done)
	one := func(j job) error {
		r, err := cfg.one(ctx, j.c, j.repeat)
		if err != nil {
			return fmt.Errorf("case %s: %w", j.c.Name, err)
		}
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if _, err := f.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("writing a result: %w", err)
		}
		done[key(r.Case, r.Repeat)] = r
		if cfg.Say != nil {
			each := time.Since(began) / time.Duration(len(done)-before)
			left := each * time.Duration(total-len(done))
			cfg.Say(fmt.Sprintf("%d of %d, %s left: %s %s, %.1f s, %s", len(done), total, left.Round(time.Second), r.Case, r.Verdict, r.Seconds, r.Cost))
		}
		return nil
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(max(cfg.Jobs, 1))
	for _, j := range todo {
		group.Go(func() error {
			if err := within.Err(); err != nil { // what runs goes on to its end, what does not is left
				return err
			}
			return one(j)
		})
	}
	err = group.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w; %d of %d are done, and the same command with --out %s goes on", context.Cause(ctx), len(done), total, cfg.Out)
	}
	return inOrder(cfg, done), err
}

func key(name string, repeat int) string { return fmt.Sprintf("%s %d", name, repeat) }

func inOrder(cfg Config, done map[string]Result) (out []Result) {
	for _, c := range cfg.Cases {
		for n := range max(cfg.Plan.Repeat, 1) {
			if r, ok := done[key(c.Name, n)]; ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// begin makes the folder, or reads what an interrupted run left there.
func begin(cfg Config) (map[string]Result, error) {
	if err := os.MkdirAll(filepath.Join(cfg.Out, recordsDir), 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the run: %w", err)
	}
	name := filepath.Join(cfg.Out, planFile)
	raw, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		raw, err = json.MarshalIndent(cfg.Plan, "", "  ")
		if err != nil {
			return nil, err
		}
		return map[string]Result{}, os.WriteFile(name, append(raw, '\n'), 0o644)
	}
	if err != nil {
		return nil, err
	}
	var was Plan
	switch err := json.Unmarshal(raw, &was); {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case was.Version != planVersion:
		return nil, fmt.Errorf("%s is of version %d, and this fettle reads %d: give another folder with --out", name, was.Version, planVersion)
	case !reflect.DeepEqual(was, cfg.Plan):
		return nil, fmt.Errorf("%s holds a run of something else (suite %s, %s, seed %d, fettle %s): give another folder with --out", cfg.Out, was.Suite, task.Count(len(was.Cases), "case"), was.Seed, was.Made)
	}
	results, err := ReadResults(cfg.Out)
	done := map[string]Result{}
	for _, r := range results {
		done[key(r.Case, r.Repeat)] = r
	}
	return done, err
}

// ReadResults reads the results in the folder of a run. A last line that was cut
// short is none.
func ReadResults(dir string) (out []Result, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, resultsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(raw) {
		var r Result
		if !bytes.HasSuffix(line, []byte("\n")) {
			return out, os.Truncate(filepath.Join(dir, resultsFile), int64(len(raw)-len(line)))
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("reading the results in %s: %w", dir, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// one runs a case and judges it.
func (cfg Config) one(ctx context.Context, c Case, repeat int) (r Result, err error) {
	began := time.Now()
	work, err := os.MkdirTemp("", "fettle-eval-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, sandbox.RemoveAll(work)) }()
	w := workplace{cfg: cfg, c: c, dir: work, repo: filepath.Join(work, "repo")}
	if err := os.Mkdir(w.repo, 0o755); err != nil {
		return r, err
	}
	if err := c.Lay(w.repo); err != nil {
		return r, err
	}
	before, err := snapshot(w.repo)
	if err != nil {
		return r, err
	}
	text, err := c.Issue()
	if err != nil {
		return r, err
	}
	w.issue = filepath.Join(work, issue)
	if err := os.WriteFile(w.issue, []byte(text), 0o644); err != nil {
		return r, err
	}
	if w.config, err = cfg.Prepare(work, key(c.Name, repeat)); err != nil {
		return r, err
	}
	r = Result{Suite: c.Suite, Case: c.Name, Kind: c.Kind, Language: c.Language, Class: c.Class, Repeat: repeat, Started: began.UTC()}
	limited, stop := context.WithTimeout(ctx, time.Duration(w.maxSeconds())*time.Second+time.Minute)
	defer stop()
	calling := time.Now()
	if c.Kind == Ask {
		err = w.ask(limited, &r, strings.Join(strings.Fields(text), " "))
	} else {
		err = w.fix(limited, &r)
	}
	called := time.Since(calling)
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	if err != nil {
		return r, err
	}
	judging := time.Now()
	if err := w.judge(ctx, &r, before); err != nil {
		return r, err
	}
	by, waited := cfg.Server.gave(key(c.Name, repeat))
	r.AnsweredBy, r.Waited = by, seconds(waited)
	r.Seconds, r.Judging = seconds(called), seconds(time.Since(judging))
	r.Overhead = seconds(time.Since(began)) - r.Seconds - r.Judging
	return r, nil
}

func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// workplace is where one case is worked on.
type workplace struct {
	cfg                      Config
	c                        Case
	dir, repo, issue, config string
}

// maxSeconds is how long fettle may work on the case.
func (w workplace) maxSeconds() int {
	return cmp.Or(w.cfg.Plan.MaxSeconds, w.c.Options.MaxSeconds, 300)
}

// say runs fettle, and gives what it printed.
func (w workplace) say(ctx context.Context, args ...string) (out, errs []byte, err error) {
	cmd := command(ctx, w.cfg.Fettle, append([]string{"--config", w.config}, args...)...) // behind "--" it would be words
	var said, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &told
	if err := run(cmd); err != nil {
		return nil, nil, err
	}
	return said.Bytes(), told.Bytes(), nil
}

// fix has fettle work on the case.
func (w workplace) fix(ctx context.Context, r *Result) error {
	o := w.c.Options
	args := []string{"fix", "--repo", w.repo, "--json", "--quiet", "-v", "--seed", fmt.Sprint(w.cfg.Plan.Seed)}
	args = append(args, "--max-seconds", fmt.Sprint(w.maxSeconds()))
	apply := o.Apply
	if apply == "" {
		apply = "draft"
	}
	args = append(args, "--apply="+apply)
	if o.UntilGreen {
		args = append(args, "--fix-until-green")
	} else {
		args = append(args, "--issue", w.issue)
	}
	if o.WithTests {
		args = append(args, "--with-tests")
	}
	if o.MaxSteps > 0 {
		args = append(args, "--max-steps", fmt.Sprint(o.MaxSteps))
	}
	if o.MaxCost > 0 {
		args = append(args, "--max-cost", fmt.Sprint(o.MaxCost))
	}
	for _, s := range o.Scope {
		args = append(args, "--scope", s)
	}
	if w.cfg.Plan.Tier != "" {
		args = append(args, "--max-tier", w.cfg.Plan.Tier)
	}
	out, errs, err := w.say(ctx, append(args, w.cfg.Plan.Extra...)...)
	if err != nil {
		return err
	}
	if err := r.summary(out); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, tail(out), tail(errs))
	}
	r.unread(errs)
	if r.Run == "" {
		return nil
	}
	record, _, err := w.say(ctx, "runs", "list", "--json", "--limit", "1")
	if err != nil {
		return err
	}
	if err := r.record(record, w.repo); err != nil {
		return err
	}
	if w.cfg.Plan.Tier != string(task.TierMechanical) {
		messages, _, err := w.say(ctx, "runs", "log", r.Run, "--messages")
		if err != nil {
			return err
		}
		if err := r.messages(messages); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(w.cfg.Out, recordsDir, strings.ReplaceAll(r.Case, "/", "_")+fmt.Sprintf("-%d.json", r.Repeat)), record, 0o644)
}

// ask puts the case's question.
func (w workplace) ask(ctx context.Context, r *Result, question string) error {
	args := []string{"ask", "--repo", w.repo, "--json", "--quiet"}
	if w.cfg.Plan.Tier == string(task.TierMechanical) {
		args = append(args, "--no-model")
	}
	out, errs, err := w.say(ctx, append(args, "--", question)...)
	if err != nil {
		return err
	}
	if err := r.answer(out); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, tail(out), tail(errs))
	}
	return nil
}

func tail(s []byte) string {
	if len(s) > 2000 {
		s = s[len(s)-2000:]
	}
	return string(s)
}

// lines reads JSON lines.
func lines[T any](r io.Reader, each func(T)) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return err
		}
		each(v)
	}
	return in.Err()
}

// NewPlan is the plan to run cases once.
func NewPlan(cases []Case) Plan {
	p := Plan{Version: planVersion, Repeat: 1, Suite: cases[0].Suite}
	for _, c := range cases {
		p.Cases = append(p.Cases, c.Name)
	}
	return p
}

// Rescore makes the figures of what a run has left so far.
func Rescore(dir string) (r Report, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, planFile))
	if err != nil {
		return r, fmt.Errorf("%s is not the folder of a run: %w", dir, err)
	}
	var plan Plan
	if err := json.Unmarshal(raw, &plan); err != nil {
		return r, fmt.Errorf("reading the plan in %s: %w", dir, err)
	}
	if plan.Version != planVersion {
		return r, fmt.Errorf("%s is of version %d, and this fettle reads %d", dir, plan.Version, planVersion)
	}
	results, err := ReadResults(dir)
	if err != nil {
		return r, err
	}
	slices.SortStableFunc(results, func(a, b Result) int { // they stand as they ended
		return cmp.Or(cmp.Compare(slices.Index(plan.Cases, a.Case), slices.Index(plan.Cases, b.Case)), cmp.Compare(a.Repeat, b.Repeat))
	})
	r = Score(plan, results)
	return r, Write(dir, r)
}
