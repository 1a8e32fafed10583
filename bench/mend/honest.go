package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bench/machine"
	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

// What the judge can make of a true fix; invalid comes from result.go.
const (
	honestReady = "ready" // green, and nothing for a person to decide
	honestDraft = "draft" // green with doubts or findings of package reach
	honestRed   = "red"
)

// caseOrigin is the origin of the bugs of eval/cases/mechanical.
const caseOrigin = "case"

// honest is what the judge says of the true fix of a bug: a line of the results.
type honest struct {
	Bug      string `json:"bug"`
	Language string `json:"language"`
	Origin   string `json:"origin"`
	Class    string `json:"class"`
	Sealed   bool   `json:"sealed"`

	Verdict string       `json:"verdict"`
	Grade   verify.Grade `json:"grade,omitempty"`
	Fixed   int          `json:"fixed"`
	Judge   float64      `json:"judge"` // seconds of the judge
	Suite   float64      `json:"suite"` // of these, its one run of all suites
	Whys    []string     `json:"whys,omitempty"`

	// What follows is kept of open bugs only.
	Doubts  []string        `json:"doubts,omitempty"`
	Reach   []reach.Finding `json:"reach,omitempty"`
	Reasons []string        `json:"reasons,omitempty"`
	Flaky   []string        `json:"flaky,omitempty"`
	Checks  []task.Check    `json:"checks,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// truth is a bug with the way to its broken tree and to its fix.
type truth struct {
	honest
	broken func(ctx context.Context, repo string) error // lays out the tree, in one commit
	mend   func(ctx context.Context, repo string) error // applies the true fix
}

// honestly has the true fixes of the bugs judged, one at a time since seconds
// are measured, and reports what the judge says of them.
func (o *options) honestly(ctx context.Context) error {
	had, whole, err := readLines[honest](o.results)
	if err != nil {
		return err
	}
	list, err := o.truths()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(o.results, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err == nil {
		err = file.Truncate(whole)
	}
	if err != nil {
		return fmt.Errorf("opening the results: %w", err)
	}
	defer file.Close()
	box, err := sandbox.New(ctx, sandbox.Config{StateDir: filepath.Join(o.work, "sandbox")})
	if err != nil {
		return err
	}
	defer box.Close()
	room, release, err := o.takeRoom()
	if err != nil {
		return err
	}
	defer release()
	last := map[string]honest{}
	for _, h := range had {
		last[h.Bug] = h
	}
	for i, t := range list {
		if _, done := last[t.Bug]; done && !o.again {
			continue
		}
		if o.until > 0 && time.Since(o.begun) > o.until {
			fmt.Fprintf(os.Stderr, "mend: stopped after %s; the same command goes on\n", o.until)
			break
		}
		h := t.judged(ctx, box, room)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line, err := json.Marshal(h)
		if err == nil {
			_, err = file.Write(append(line, '\n'))
		}
		if err != nil {
			return fmt.Errorf("writing a result: %w", err)
		}
		last[h.Bug] = h
		h.say(i+1, len(list))
	}
	var all []honest
	for _, t := range list {
		if h, ok := last[t.Bug]; ok {
			all = append(all, h)
		}
	}
	var text bytes.Buffer
	writeHonest(&text, all)
	_, err = os.Stdout.Write(text.Bytes())
	if o.report != "" {
		err = errors.Join(err, os.WriteFile(o.report, text.Bytes(), 0o644)) //nolint:gosec // a report is for all to read
	}
	return err
}

// truths are the fixes of the bugs that the flags name, and of the cases.
func (o *options) truths() ([]truth, error) {
	list, err := o.chosen()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []truth
	for _, j := range list {
		b := j.folder.Bug
		t := truth{honest: honest{Bug: b.ID, Language: b.Language, Origin: b.Origin, Class: b.Class, Sealed: b.Sealed()}}
		t.broken = func(ctx context.Context, repo string) error {
			if j.broken != nil {
				return j.broken
			}
			dir, err := o.tree(ctx, b)
			if err != nil {
				return err
			}
			return (&runner{options: o}).lay(ctx, dir, repo, j.folder)
		}
		t.mend = func(ctx context.Context, repo string) error {
			dir, err := o.tree(ctx, b)
			if err != nil {
				return err
			}
			right := bugs.Files{}
			for p := range j.folder.Broken {
				if right[p], err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(p))); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
			return bugs.Lay(repo, right)
		}
		out = append(out, t)
	}
	cases, err := o.caseTruths()
	return append(out, cases...), err
}

// caseTruths are the reference fixes of eval/cases/mechanical.
func (o *options) caseTruths() ([]truth, error) {
	dirs, err := filepath.Glob(filepath.Join("eval", "cases", "mechanical", "*", "*", "case.json"))
	if err != nil {
		return nil, err
	}
	var out []truth
	for _, name := range dirs {
		var c struct {
			Name     string `json:"name"`
			Language string `json:"language"`
			Class    string `json:"fault_class"`
		}
		data, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, &c)
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		dir, err := filepath.Abs(filepath.Dir(name))
		if err != nil {
			return nil, err
		}
		t := truth{honest: honest{Bug: "case-" + c.Name, Language: c.Language, Origin: caseOrigin, Class: c.Class, Sealed: filepath.Base(filepath.Dir(dir)) == "sealed"}}
		if !o.wants(bugs.Bug{ID: t.Bug, Language: t.Language, Origin: t.Origin}) || o.half != "all" && t.Sealed != (o.half == "sealed") {
			continue
		}
		t.broken = func(ctx context.Context, repo string) error {
			return (&runner{options: o}).lay(ctx, filepath.Join(dir, "repo"), repo, bugs.Folder{})
		}
		t.mend = func(ctx context.Context, repo string) error {
			_, err := git(ctx, repo, "apply", "--", filepath.Join(dir, "fix.patch"))
			return err
		}
		out = append(out, t)
	}
	return out, nil
}

// judged sets a bug up, measures it as a run of fettle does, mends it and asks
// the judge.
func (t truth) judged(ctx context.Context, whole *sandbox.Sandbox, room string) honest {
	h := t.honest
	v, err := t.verdict(ctx, whole, filepath.Join(room, "repo"), filepath.Join(room, "base"))
	if err != nil {
		h.Verdict, h.Error = invalid, err.Error()
		if h.Sealed {
			h.Error, _, _ = strings.Cut(h.Error, ":")
		}
		return h
	}
	h.Grade, h.Fixed, h.Judge = v.Grade, len(v.Fixed), round(v.Elapsed)
	for _, c := range v.Checks {
		if c.Name != "syntax" && c.Name != "cross-examination" {
			h.Suite += c.Seconds
		}
	}
	switch {
	case !v.Green:
		h.Verdict = honestRed
	case len(v.Doubts)+len(v.Reach) > 0:
		h.Verdict = honestDraft
	default:
		h.Verdict = honestReady
	}
	h.Whys = whys(v)
	if !h.Sealed {
		h.Doubts, h.Reach, h.Reasons, h.Flaky, h.Checks = v.Doubts, v.Reach, v.Reasons, v.Flaky, v.Checks
	}
	return h
}

func (t truth) verdict(ctx context.Context, whole *sandbox.Sandbox, repo, base string) (verify.Verdict, error) {
	none := verify.Verdict{}
	defer os.RemoveAll(base)
	if err := errors.Join(os.RemoveAll(base), t.broken(ctx, repo)); err != nil {
		return none, fmt.Errorf("setting up: %w", err)
	}
	if err := bugs.Copy(ctx, repo, base); err != nil {
		return none, fmt.Errorf("setting up: %w", err)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return none, fmt.Errorf("setting up: %w", err)
	}
	defer root.Close()
	box := whole.Session() // as each run of fettle has its own
	defer box.Close()
	v := verify.New(verify.Config{Sandbox: box, Warm: true})
	suites, err := v.Detect(root.FS())
	if err != nil {
		return none, fmt.Errorf("measuring: %w", err)
	}
	before, err := v.Baseline(ctx, repo, suites)
	if err != nil {
		return none, fmt.Errorf("measuring: %w", err)
	}
	if err := t.mend(ctx, repo); err != nil {
		return none, fmt.Errorf("mending: %w", err)
	}
	return v.Judge(ctx, verify.Judge{Dir: repo, Base: root.FS(), Baseline: before})
}

// words of the judge that tell why; what they are part of names tests and lines.
var whyWords = []string{
	"do not pass when they run without the others", "pass although the changed functions were made to fail", "passes also when what it expects is made wrong",
	"its result is forged", "turned red", "not seen to run and pass", "cannot be run now", "no test that failed before passes now", "no test was run", "syntax error",
	"cannot be made wrong", "was not seen to run without the others", "was not seen to run with a wrong expectation", "was not seen to run on sabotaged code", "was not found",
	"more than are examined", "no function was changed that could be sabotaged", "was not seen to pass by itself", "no mended test could be asked about",
}

// whys are the classes of what keeps a fix from being ready and signed.
func whys(v verify.Verdict) []string {
	var out []string
	add := func(kind, text string) {
		at := slices.IndexFunc(whyWords, func(w string) bool { return strings.Contains(text, w) })
		if text = "something else"; at >= 0 {
			text = whyWords[at]
		}
		out = append(out, kind+": "+text)
	}
	for _, r := range v.Reasons {
		add(honestRed, r)
	}
	for _, d := range v.Doubts {
		add("doubt", d)
	}
	for _, f := range v.Reach {
		why, _, _ := strings.Cut(f.Why, ":")
		out = append(out, "reach: "+why)
	}
	for _, c := range v.Checks {
		if said, open := strings.CutPrefix(c.Detail, string(verify.Witnessed)+": "); open && c.Name == "cross-examination" {
			add(string(verify.Witnessed), said)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// say prints a line of progress; of sealed bugs only how many are done.
func (h honest) say(n, of int) {
	if h.Sealed {
		fmt.Fprintf(os.Stderr, "%d/%d sealed\n", n, of)
		return
	}
	fmt.Fprintf(os.Stderr, "%d/%d %-46s %-8s %-10s judge %5.1f s, suite %5.1f s  %s\n", n, of, h.Bug, h.Verdict, h.Grade, h.Judge, h.Suite, strings.Join(append(h.Whys, oneLine(h.Error)), "; "))
}

// writeHonest writes the figures, the open ones that are not ready and signed
// one by one, and of the sealed ones how many there are of each kind.
func writeHonest(w io.Writer, all []honest) {
	fmt.Fprintf(w, "# What the judge says of true fixes\n\nWritten by `mend honest`, %s. Ready is green without doubts and findings of what a change reaches for; times are the judge's seconds by those of its one run of all suites.\n\n", machine.Line())
	fmt.Fprintf(w, "| bugs | n | ready | signed | witnessed | draft | red | median times | 90th | invalid |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, half := range []string{"", ", open", ", sealed"} {
		for _, lang := range []string{"python", "javascript", "go", "all"} {
			honestRow(w, lang+half, slices.DeleteFunc(slices.Clone(all), func(h honest) bool {
				return lang != "all" && h.Language != lang || half == ", open" && h.Sealed || half == ", sealed" && !h.Sealed
			}))
		}
	}
	byWhy := map[string][2]int{}
	for _, h := range all {
		for _, why := range h.Whys {
			n := byWhy[why]
			n[map[bool]int{true: 1}[h.Sealed]]++
			byWhy[why] = n
		}
	}
	var kinds []string
	for why := range byWhy {
		kinds = append(kinds, why)
	}
	slices.SortFunc(kinds, func(a, b string) int {
		return cmp.Or(byWhy[b][0]+byWhy[b][1]-byWhy[a][0]-byWhy[a][1], strings.Compare(a, b))
	})
	fmt.Fprintf(w, "\nWhy fixes are not ready and signed:\n\n| why | open | sealed |\n| --- | --- | --- |\n")
	for _, why := range kinds {
		fmt.Fprintf(w, "| %s | %d | %d |\n", why, byWhy[why][0], byWhy[why][1])
	}
	fmt.Fprintf(w, "\nOpen ones that are not ready and signed:\n\n")
	for _, h := range all {
		if h.Sealed || h.Verdict == honestReady && h.Grade == verify.Signed {
			continue
		}
		fmt.Fprintf(w, "- %s (%s), %s %s: %s\n", h.Bug, h.Class, h.Verdict, h.Grade, h.said())
	}
}

// said is what the judge has against an open fix, in its own words.
func (h honest) said() string {
	out := slices.Concat(h.Reasons, h.Doubts)
	for _, f := range h.Reach {
		out = append(out, f.String())
	}
	for _, c := range h.Checks {
		if c.Name == "cross-examination" {
			out = append(out, c.Detail)
		}
	}
	if h.Error != "" {
		out = append(out, oneLine(h.Error))
	}
	return strings.Join(out, "; ")
}

func honestRow(w io.Writer, name string, all []honest) {
	n := map[string]int{}
	var times []float64
	for _, h := range all {
		n[h.Verdict]++
		if h.Verdict != invalid && h.Verdict != honestRed {
			n[string(h.Grade)]++
		}
		if h.Verdict != invalid && h.Suite > 0 {
			times = append(times, h.Judge/h.Suite)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(times)
	valid := len(all) - n[invalid]
	fmt.Fprintf(w, "| %s | %d | %s | %d | %d | %d | %d | %.1f | %.1f | %d |\n", name, valid, ratio(n[honestReady], valid),
		n[string(verify.Signed)], n[string(verify.Witnessed)], n[honestDraft], n[honestRed], quantile(times, 0.5), quantile(times, 0.9), n[invalid])
}
