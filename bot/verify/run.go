package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"sort"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// selection is the part of a suite to run, in native ids; all means everything.
type selection struct {
	all   bool
	tests []string
	units []string // files, classes or packages
}

// limits of a run.
type limits struct {
	test  time.Duration // one test; for node one file, for go one package doubled
	wall  time.Duration // the suite
	grace time.Duration // beyond test before the supervisor kills
	seed  string        // of Python's hashes, "" for "0": the order of sets
}

// outcome is what one run of one suite showed.
type outcome struct {
	tests  []TestResult
	broken []task.Failure
	told   bool // no sentinel was seen in it
	unable bool // its tools are missing, or time ended before any test was seen
}

// run runs the suites one after another in b. picks is nil for everything,
// else suites that it does not name are left out.
func (v *Verifier) run(ctx context.Context, b box, suites []Suite, picks map[string]selection, lim limits) (Report, error) {
	begun := v.clock()
	rep := Report{Suites: suites}
	for _, s := range suites {
		sel, ok := picks[s.prefix()]
		if picks == nil {
			sel = selection{all: true}
		} else if !ok {
			continue
		}
		at := v.clock()
		out, err := v.runSuite(ctx, b, suites, s, sel, lim)
		if err != nil {
			return rep, fmt.Errorf("running %s: %w", s.label(), err)
		}
		took := v.clock().Sub(at)
		tests := merge(out.tests)
		rep.Tests = append(rep.Tests, tests...)
		rep.Broken = append(rep.Broken, distinct(out.broken)...)
		rep.Checks = append(rep.Checks, check(s, tests, out.broken, took))
		if out.unable || len(tests)+len(out.broken) == 0 {
			rep.Unable = append(rep.Unable, s.prefix())
		}
		if out.told {
			rep.Told = append(rep.Told, s.prefix())
		}
		v.log.WithField("suite", s.label()).WithField("tests", len(tests)).WithField("broken", len(out.broken)).
			WithField("took", took.Round(time.Millisecond)).Debug("suite run")
	}
	sort.SliceStable(rep.Tests, func(i, j int) bool { return rep.Tests[i].ID < rep.Tests[j].ID })
	sort.SliceStable(rep.Broken, func(i, j int) bool { return rep.Broken[i].Test < rep.Broken[j].Test })
	rep.Elapsed = v.clock().Sub(begun)
	return rep, nil
}

func (v *Verifier) runSuite(ctx context.Context, b box, all []Suite, s Suite, sel selection, lim limits) (outcome, error) {
	switch s.Name {
	case suitePytest, suiteUnittest:
		return v.runPython(ctx, b, all, s, sel, lim)
	case suiteNode:
		return v.runNode(ctx, b, all, s, sel, lim)
	case suiteMocha:
		return v.runMocha(ctx, b, s, sel, lim)
	case suiteGo:
		return v.runGo(ctx, b, s, sel, lim)
	}
	if s.Reported() {
		return v.runReported(ctx, b, all, s, sel, lim)
	}
	return outcome{}, fmt.Errorf("suite %q: %w", s.Name, ErrUnsupported)
}

// credentials of one driver run: the key signs, the nonce names.
func (v *Verifier) credentials() (key []byte, keyHex, nonce string) {
	text := v.cfg.Nonce()
	sum := sha256.Sum256([]byte("key\x00" + text))
	name := sha256.Sum256([]byte("name\x00" + text))
	return sum[:], hex.EncodeToString(sum[:]), hex.EncodeToString(name[:12])
}

// request is what every driver reads from its standard input, beside what is its own.
type request struct {
	Key      string  `json:"key"` // hex; signs the result file
	Nonce    string  `json:"nonce"`
	Out      string  `json:"out"`
	Exe      string  `json:"exe"`   // node's own path: a sealed process does not know it; "" when it does
	Wall     float64 `json:"wall"`  // seconds
	Limit    float64 `json:"limit"` // seconds: one phase of a test, one test or hook, one file of node's
	Restarts int     `json:"restarts"`
}

// drive runs a driver, with what ask makes of the request, and reads its signed results.
// A driver that leaves none gives one broken entry instead of records: red, never an error.
func (v *Verifier) drive(ctx context.Context, b box, s Suite, c sandbox.Command, lim limits, ask func(request) any) ([]record, []task.Failure, error) {
	key, keyHex, nonce := v.credentials()
	_, out := v.place(b)
	req, err := json.Marshal(ask(request{Key: keyHex, Nonce: nonce, Out: out + "/" + nonce + ".jsonl", Wall: lim.wall.Seconds(), Limit: lim.test.Seconds(), Restarts: 3}))
	if err != nil {
		return nil, nil, err
	}
	c.Stdin = bytes.NewReader(append(req, '\n'))
	c.Dir, c.Needs, c.Sealed = s.Dir, true, true // it holds the key
	c.Limits.Wall = lim.wall + lim.grace + 10*time.Second
	res, err := b.Run(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	data, err := b.ReadOut(nonce+".jsonl", maxResults)
	if err == nil {
		recs, perr := v.results(b, data, key, nonce)
		if perr == nil {
			return recs, nil, nil
		}
		err = perr
	}
	return nil, []task.Failure{died(s, res, err)}, nil
}

func (v *Verifier) results(b box, data, key []byte, nonce string) ([]record, error) {
	recs, err := parseResults(data, key, nonce)
	if err != nil || !v.plain {
		return recs, err
	}
	body, _, _ := cutSignature(data)
	recs, err = parseLines(v.moved(b, body))
	if err != nil {
		return nil, err
	}
	return recs[1 : len(recs)-1], nil
}

// unserved is the exception of a suite that a service was not there for.
const unserved = "ServiceMissing"

// outOfMemory is the exception of what used up the sandbox's memory.
const outOfMemory = "OutOfMemory"

// died describes a run that left no evidence.
func died(s Suite, res sandbox.Result, why error) task.Failure {
	f := task.Failure{Suite: s.Name, Kind: task.FailCrash, Exception: "NoEvidence",
		Message: fmt.Sprintf("%s left no results: %v", s.label(), why),
		Excerpt: string(res.Stdout) + string(res.Stderr)}
	switch {
	case res.Unserved != "":
		f.Kind, f.Exception, f.Message, f.Excerpt = task.FailCollection, unserved, s.label()+" was not run: "+res.Unserved, ""
	case res.TimedOut:
		f.Kind, f.Message = task.FailTimeout, s.label()+" did not end within its time limit and was killed"
	case res.OutOfMemory:
		f.Exception, f.Message = outOfMemory, s.label()+" ran out of memory and was killed"
	case res.OverQuota:
		f.Message = s.label() + " passed its disk quota and was killed"
	case res.Signal != "":
		f.Message += " (" + res.Signal + ")"
	default:
		f.Message += fmt.Sprintf(" (exit status %d)", res.ExitCode)
	}
	return parse.Finish(f)
}

// rank orders statuses: of a test seen twice the worst counts.
var rank = map[string]int{StatusPassed: 0, StatusSkipped: 1, StatusFailed: 2, StatusError: 3}

// merge makes ids unique and sorts.
func merge(in []TestResult) []TestResult {
	at := map[string]int{}
	var out []TestResult
	for _, t := range in {
		i, seen := at[t.ID]
		if !seen {
			at[t.ID] = len(out)
			out = append(out, t)
		} else if rank[t.Status] > rank[out[i].Status] {
			out[i] = t
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func distinct(in []task.Failure) []task.Failure {
	seen := map[string]bool{}
	var out []task.Failure
	for _, f := range in {
		if key := f.Test + "\x00" + f.Fingerprint; !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}

// check is the line of a suite in the checklist.
func check(s Suite, tests []TestResult, broken []task.Failure, took time.Duration) task.Check {
	n := map[string]int{}
	for _, t := range tests {
		n[t.Status]++
	}
	red, ran := n[StatusFailed]+n[StatusError], len(tests)-n[StatusSkipped]
	c := task.Check{Status: task.CheckPassed, Seconds: math.Round(took.Seconds()*1000) / 1000,
		Name: fmt.Sprintf("%s (%s)", s.label(), task.Count(len(tests), "test"))}
	c.Detail = fmt.Sprintf("%d passed, %d failed, %d skipped", n[StatusPassed], red, n[StatusSkipped])
	if len(broken) > 0 {
		c.Detail += fmt.Sprintf(", %d could not be run", len(broken))
	}
	switch {
	case red > 0 || len(broken) > 0:
		c.Status = task.CheckFailed
	case ran == 0:
		c.Status, c.Detail = task.CheckFailed, "no test was run"
	}
	return c
}

// below lists the folders of other suites of the same kind under s: their
// files are theirs.
func below(all []Suite, s Suite) []string {
	var out []string
	for _, o := range all {
		if o.Kind == s.Kind && o.Dir != s.Dir && (s.Dir == "." || len(o.Dir) > len(s.Dir) && o.Dir[:len(s.Dir)+1] == s.Dir+"/") {
			out = append(out, o.Dir)
		}
	}
	return out
}

func joinDir(dir, p string) string { return path.Join(dir, p) }
