package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// maxMissing bounds the failures made up for missing tests; all are listed.
const maxMissing = 20

// compare holds a report against the baseline (SPEC C6) and writes the lists
// and the reasons of a verdict, but for the one that nothing was fixed.
func compare(base Baseline, now Report, only, newTests []string, out *Verdict) {
	asked := func(id string) bool { return len(only) == 0 || slices.Contains(only, id) }
	flaky := setFrom(base.Flaky)
	status := statuses(now)
	known, brokenUnits := setFrom(nil), units(now)
	for _, id := range base.Report.Green() {
		known[id] = true
		if flaky[id] || !asked(id) {
			continue
		}
		switch status[id] {
		case StatusPassed:
		case StatusFailed, StatusError:
			out.Broken = append(out.Broken, id)
		default:
			out.Missing = append(out.Missing, id)
		}
	}
	aside := setFrom(base.Aside)
	for _, id := range base.Report.Red() {
		known[id] = true
		if flaky[id] || !asked(id) {
			continue
		}
		switch green := status[id] == StatusPassed || unitFixed(id, base, now, brokenUnits); {
		case green && aside[id]:
			out.Besides = append(out.Besides, id)
		case green:
			out.Fixed = append(out.Fixed, id)
		default:
			out.StillRed = append(out.StillRed, id)
		}
	}
	newRed(base, now, newTests, known, out)
	newBroken(base, now, out)
	reasons(status, out)
	failures(now, flaky, out)
}

func setFrom(list []string) map[string]bool {
	out := map[string]bool{}
	for _, x := range list {
		out[x] = true
	}
	return out
}

// unitFixed: a file, class or package that could not be run at the base runs
// now, shows tests that were not green before, and none of them is red.
func unitFixed(id string, base Baseline, now Report, broken map[string]bool) bool {
	if !units(base.Report)[id] || broken[id] {
		return false
	}
	green, fresh := setFrom(base.Report.Green()), false
	for _, t := range now.Tests {
		if !InUnit(id, t.ID) {
			continue
		}
		if t.Red() {
			return false
		}
		fresh = fresh || t.Status == StatusPassed && !green[t.ID]
	}
	return fresh
}

// newRed sorts red tests that the baseline does not know: those of a unit that
// was red before are still red, others are broken.
func newRed(base Baseline, now Report, newTests []string, known map[string]bool, out *Verdict) {
	skipped := map[string]bool{}
	for _, t := range base.Report.Tests {
		skipped[t.ID] = t.Status == StatusSkipped
	}
	was := units(base.Report)
	for _, t := range now.Tests {
		if !t.Red() || known[t.ID] {
			continue
		}
		old := false
		for unit := range was {
			old = old || InUnit(unit, t.ID)
		}
		parent := t.ID
		for at := strings.LastIndexByte(parent, '/'); t.Suite == suiteGo && at > 0 && !old; at = strings.LastIndexByte(parent, '/') {
			parent = parent[:at] // a subtest of a test that was red before
			old = known[parent] && slices.Contains(out.StillRed, parent)
		}
		switch {
		case slices.Contains(newTests, t.File):
			out.StillRed = append(out.StillRed, t.ID)
			out.Reasons = append(out.Reasons, "the new test "+t.ID+" fails")
		case old:
			out.StillRed = append(out.StillRed, t.ID)
		default:
			out.Broken = append(out.Broken, t.ID)
		}
	}
	slices.Sort(out.StillRed)
	slices.Sort(out.Broken)
}

// newBroken: what could not be run now and could be, or was broken in another
// way, before.
func newBroken(base Baseline, now Report, out *Verdict) {
	was, prints := units(base.Report), map[string]bool{}
	for _, f := range base.Report.Broken {
		prints[f.Fingerprint] = true
	}
	for _, f := range now.Broken {
		if f.Test != "" && was[f.Test] || prints[f.Fingerprint] {
			continue
		}
		what := f.Test
		if what == "" {
			what = f.Suite
		}
		out.Reasons = append(out.Reasons, fmt.Sprintf("%s cannot be run now (%s): %s", what, f.Kind, firstLine(f.Message)))
	}
}

func reasons(status map[string]string, out *Verdict) {
	executed := 0
	for _, s := range status {
		if s != StatusSkipped {
			executed++
		}
	}
	if executed == 0 {
		out.Reasons = append(out.Reasons, "no test was run")
	}
	if n := len(out.Broken); n > 0 {
		out.Reasons = append(out.Reasons, fmt.Sprintf("%s turned red, first %s", task.Count(n, "test"), out.Broken[0]))
	}
	if n := len(out.Missing); n > 0 {
		out.Reasons = append(out.Reasons, fmt.Sprintf("%d %s that passed before not seen to run and pass, first %s",
			n, map[bool]string{true: "test", false: "tests"}[n == 1], out.Missing[0]))
	}
}

// failures lists what is red now, regressions first, and the missing.
func failures(now Report, flaky map[string]bool, out *Verdict) {
	var later []task.Failure
	for _, f := range now.Failures() {
		switch {
		case flaky[f.Test]:
		case f.Test == "" || slices.Contains(out.Broken, f.Test):
			out.Failures = append(out.Failures, f)
		default:
			later = append(later, f)
		}
	}
	for i, id := range out.Missing {
		if i == maxMissing {
			break
		}
		suite, _, _ := strings.Cut(id, ":")
		out.Failures = append(out.Failures, parse.Finish(task.Failure{Test: id, Suite: suite, Kind: task.FailMissing,
			Message: "the test passed before the change and was not seen to run and pass after it"}))
	}
	out.Failures = append(out.Failures, later...)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return parse.Clip(s, 200)
}
