package check

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// Change is a changed tree, and what gives its base back.
type Change struct {
	Dir      string            // the changed tree; it is not written to
	Before   map[string][]byte // the changed files as they were; nil: the file was not there
	Base     fs.FS             // the pristine base: its manifests say how it is checked
	Declared []settings.Check  // what the base's own file names; empty: linters and type checkers are detected
}

// Judged is what a change did to one check. Its Check is of the changed tree,
// and its Failures are the new ones only.
type Judged struct {
	Check
	// Known counts the failures that the base has too. They are not held against
	// the change.
	Known int `json:"known"`
	// Open says why the check proves nothing about the change, "" when it does.
	Open string `json:"open,omitempty"`
}

// Red tells whether the check holds the change up: it is required, and found
// something that the base does not have.
func (j Judged) Red() bool { return j.Required && len(j.Failures) > 0 }

// Judge runs the checks that a repository names on a changed tree, and those
// that are red, and all tests, on its base too: only new failures count, told
// by their fingerprints, each as often as it occurs. A new failure of a test
// has to be there in a second run as well. Where the repository names no
// checks, its linters and type checkers are run if they are installed. A linter is
// advice; what a type checker finds outside of new tests counts where it found nothing
// in the base. The error is of the sandbox or the context.
func (r *Runner) Judge(ctx context.Context, ch Change) ([]Judged, error) {
	plan, err := detect.Detect(ch.Base)
	if err != nil {
		return nil, err
	}
	if plan = plan.Declared(ch.Declared); len(ch.Declared) == 0 {
		plan.Commands = slices.DeleteFunc(plan.Commands, func(c detect.Command) bool { return c.Kind != detect.Lint && c.Kind != detect.Types })
		for i := range plan.Commands {
			plan.Commands[i].Required = false
		}
	}
	if len(plan.Commands) == 0 {
		return nil, nil
	}
	after, err := r.Run(ctx, ch.Dir, whole(plan, nil))
	if err != nil {
		return nil, fmt.Errorf("running the repository's checks: %w", err)
	}
	on := func(before map[string][]byte, want func(Check) bool) (map[string]Check, error) {
		part := plan
		part.Commands = slices.DeleteFunc(slices.Clone(plan.Commands), func(c detect.Command) bool {
			at := slices.IndexFunc(after.Checks, func(a Check) bool { return a.Name == c.Name })
			return at < 0 || !want(after.Checks[at])
		})
		if len(part.Commands) == 0 {
			return nil, nil
		}
		res, err := r.Run(ctx, ch.Dir, whole(part, before))
		out := map[string]Check{}
		for _, c := range res.Checks {
			out[c.Name] = c
		}
		return out, err
	}
	base, err := on(ch.Before, func(c Check) bool {
		return c.Status == Failed || c.Kind == string(detect.Test) && c.Status == Passed
	})
	if err != nil {
		return nil, fmt.Errorf("running the repository's checks on the base: %w", err)
	}
	out := make([]Judged, len(after.Checks))
	doubtful := map[string]bool{}
	for i, c := range after.Checks {
		out[i] = compare(c, base[c.Name])
		if len(ch.Declared) == 0 {
			out[i].Required = c.Kind == string(detect.Types) && base[c.Name].Status == Passed && slices.ContainsFunc(out[i].Failures, func(f task.Failure) bool {
				was, changed := ch.Before[f.File]
				return !changed || was != nil || !code.IsTest(f.File) // a new test may be typed less strictly than the rest
			})
		}
		doubtful[c.Name] = c.Kind == string(detect.Test) && len(out[i].Failures) > 0
	}
	again, err := on(nil, func(c Check) bool { return doubtful[c.Name] })
	if err != nil {
		return nil, fmt.Errorf("running the repository's red checks again: %w", err)
	}
	for i, c := range out {
		if second, ok := again[c.Name]; ok {
			out[i].confirm(compare(second, base[c.Name]))
		}
	}
	return out, nil
}

// New asks the red checks of a Run about the base, whose files before gives back (nil:
// the file was not there). A check whose failures the base has too, each as often, is
// no longer held against the change; its detail says so.
func (r *Runner) New(ctx context.Context, dir string, after Result, opt Options, before map[string][]byte) (Result, error) {
	opt.Files, opt.Only = before, nil
	for _, c := range after.Checks {
		if c.Status == Failed && c.Command != "" {
			opt.Only = append(opt.Only, c.Name)
		}
	}
	if len(opt.Only) == 0 {
		return after, nil
	}
	base, err := r.Run(ctx, dir, opt)
	if err != nil {
		return after, fmt.Errorf("running the red checks on the base: %w", err)
	}
	for _, was := range base.Checks {
		for i := range after.Checks {
			c := &after.Checks[i]
			if c.Name != was.Name || c.Status != Failed {
				continue
			}
			if j := compare(*c, was); j.Known > 0 && len(j.Failures) == 0 && j.Open == "" {
				c.Status, c.Failures = Passed, nil
				c.Detail += "; red before this change too, in the same places"
			}
		}
	}
	after.settle(false)
	after.Seconds += base.Seconds
	return after, nil
}

// whole are the options that run each command of a plan, and nothing else.
func whole(plan detect.Plan, before map[string][]byte) Options {
	plan.Wants = nil // told to a person who checks, not held against a change
	opt := Options{Profile: Full, Plan: plan, Files: before}
	for _, c := range plan.Commands {
		opt.Only = append(opt.Only, c.Name)
	}
	return opt
}

// compare takes out of a check's failures those that its base has too.
func compare(after, base Check) Judged {
	j := Judged{Check: after}
	j.Failures = nil
	if after.Status == NotRun || after.Status == Failed && base.Status == NotRun {
		j.Open = after.Detail
		if after.Status == Failed {
			j.Open = "it could not be run on the base: " + base.Detail
		}
		return j
	}
	known := map[string]int{}
	for _, f := range base.Failures {
		known[identity(f)]++
	}
	for _, f := range after.Failures {
		if known[identity(f)] > 0 {
			known[identity(f)]--
			j.Known++
		} else {
			j.Failures = append(j.Failures, f)
		}
	}
	if len(j.Failures) > 0 {
		return j
	}
	lost := base.Passed - after.Passed
	switch {
	case after.Kind == string(detect.Test) && lost > 0:
		f := task.Failure{Suite: after.Name, Kind: task.FailMissing, Message: fmt.Sprintf("%d tests passed before the change and %d after it; nothing says that the others failed", base.Passed, after.Passed)}
		f.Fingerprint = parse.Fingerprint(f)
		j.Failures = []task.Failure{f}
	case after.Status == Failed && !named(after.Failures):
		j.Open = "it fails on the base too and names no single finding: " + after.Detail
	}
	return j
}

// identity is what a failure is known again by. A test keeps its name wherever its
// trace ends; a finding is about a file, and files of one name are many.
func identity(f task.Failure) string {
	if f.Test == "" {
		return f.File + " " + f.Fingerprint
	}
	return f.Fingerprint
}

// named tells whether failures say what they are about, so that the same one
// is known again; "it ended with status 1" does not.
func named(all []task.Failure) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(f task.Failure) bool { return f.Test == "" && f.File == "" })
}

// confirm drops new failures that a second run of the same tree does not show.
// It has to be a whole run that saw these tests pass: one that was cut off or
// lost tests takes nothing back. What failed once stays a doubt, for a change
// can bring a flaky test as well as meet one.
func (j *Judged) confirm(second Judged) {
	prints := map[string]bool{}
	for _, f := range second.Failures {
		prints[f.Fingerprint] = true
	}
	once := func(f task.Failure) bool { return !prints[f.Fingerprint] }
	n := 0
	for _, f := range j.Failures {
		if once(f) {
			n++
		}
	}
	ended := second.Status == Passed || second.Status == Failed
	if n == 0 || !ended || second.Open != "" || second.Passed < j.Passed+n {
		return
	}
	j.Failures = slices.DeleteFunc(j.Failures, once)
	told := fmt.Sprintf("%d failed once and not in a second run", n)
	j.Detail += "; " + told
	if len(j.Failures) == 0 {
		j.Open = told
	}
}
