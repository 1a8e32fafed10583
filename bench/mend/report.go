package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bench/machine"
	"github.com/fettle-dev/fettle/bench/mend/bugs"
)

// bound is what a run shall not take longer than, in seconds.
const bound = 60

// writeReport writes what the results say.
func (o *options) writeReport(ctx context.Context) error {
	all, _, err := readResults(o.results)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s holds no results; run bugs first", o.results)
	}
	var text bytes.Buffer
	o.print(&text, latest(all))
	if _, err := os.Stdout.Write(text.Bytes()); err != nil {
		return err
	}
	if o.diffs {
		o.fixes(ctx, os.Stdout, latest(all))
	}
	if o.report == "" {
		return nil
	}
	if err := os.WriteFile(o.report, text.Bytes(), 0o644); err != nil { //nolint:gosec // a report is for all to read
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func (o *options) print(w io.Writer, all group) {
	all = all.where(func(r result) bool { return o.wants(r.bug()) })
	fmt.Fprintf(w, "# Mechanical repair on bugs of real code\n\nWritten by `make bench-mend`; BENCH_MEND=\"-half sealed -jobs 2 -ablate 14\" makes all that stands here. %s, build %s.\n\n", machine.Line(), strings.Join(builds(all), ", "))
	fmt.Fprintf(w, "A bug is mended when all tests of the subject pass, of which `fettle fix` saw about half. Sealed bugs, half of all by a hash, were not looked at while the engine was built. What the figures miss is told in MISSES.md.\n")
	halves := []struct {
		name   string
		sealed bool
	}{{"Sealed half", true}, {"Open half", false}}
	for _, h := range halves {
		if asked := o.half == "all" || h.sealed == (o.half == "sealed") || o.ablate > 0 && !h.sealed; !asked {
			continue
		}
		part := all.where(func(r result) bool { return r.Sealed == h.sealed })
		if len(part) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n## %s\n\n", h.name)
		section(w, part, h.sealed)
		calibration(w, part.where(whole).valid(), all.where(func(r result) bool { return !r.Sealed && whole(r) }).valid())
	}
}

func (r result) bug() bugs.Bug { return bugs.Bug{ID: r.Bug, Language: r.Language, Origin: r.Origin} }

func builds(g group) []string {
	words, _ := g.by(func(r result) string { return r.Build })
	return words
}

func section(w io.Writer, part group, sealed bool) {
	whole := part.where(whole)
	headline(w, whole)
	curve(w, whole.valid())
	for _, t := range []struct {
		name string
		word func(result) string
	}{
		{"Language", func(r result) string { return r.Language }},
		{"Origin", func(r result) string { return r.Origin }},
		{"Language and origin", func(r result) string { return r.Language + ", " + r.Origin }},
		{"Places", func(r result) string { return places(r.Places) }},
		{"Held-back tests", strength},
		{"Class", func(r result) string { return r.Origin + ": " + r.Class }},
		{"Subject", func(r result) string { return r.Subject }},
	} {
		table(w, t.name, whole, t.word)
	}
	ablation(w, part)
	troubles(w, part)
	if !sealed {
		misses(w, whole)
	}
}

// whole tells a result of the engine with all its parts.
func whole(r result) bool { return r.Without == "" }

func places(n int) string {
	if n <= 1 {
		return "one place"
	}
	return "two places or more"
}

func strength(r result) string {
	if r.Weak {
		return "weak: no failing test is held back"
	}
	return "a failing test is held back"
}

// headline are the figures that the aims are about.
func headline(w io.Writer, all group) {
	g := all.valid()
	one := g.where(func(r result) bool { return r.Places <= 1 })
	ready := g.where(func(r result) bool { return r.Ready && (r.Verdict == mended || r.Verdict == plausible) })
	strong := ready.where(func(r result) bool { return !r.Weak })
	right := ready.where(is(mended))
	s := g.seconds()
	fmt.Fprintf(w, "| figure | measured | aim |\n| --- | --- | --- |\n")
	row := func(name, got, aim string) { fmt.Fprintf(w, "| %s | %s | %s |\n", name, got, aim) }
	row("bugs (invalid)", fmt.Sprintf("%d (%d)", len(all), len(all)-len(g)), "")
	row("one-place bugs mended", ratio(one.count(is(mended)), len(one)), "at least 60 %")
	row("of these, as the true fix, word for word", ratio(one.count(func(r result) bool { return r.Verdict == mended && r.Same }), one.count(is(mended))), "")
	row("right of what is called ready", ratio(len(right), len(ready)), "at least 90 %")
	row("the same, where a failing test is held back", ratio(strong.count(is(mended)), len(strong)), "at least 90 %")
	drafts := g.where(func(r result) bool { return !r.Ready && (r.Verdict == mended || r.Verdict == plausible) })
	row("right of the drafts", ratio(drafts.count(is(mended)), len(drafts)), "")
	row("median seconds", fmt.Sprintf("%.1f", quantile(s, 0.5)), "under 15")
	row("90th percentile, most", fmt.Sprintf("%.1f, %.1f", quantile(s, 0.9), quantile(s, 1)), "")
	row(fmt.Sprintf("over %d s", bound), fmt.Sprint(g.count(func(r result) bool { return r.Seconds > bound })), "0")
	words, parts := g.by(func(r result) string { return r.Language })
	for _, lang := range words {
		whole, median := parts[lang].rate()
		row("candidates a second, "+lang+": in all; median search", fmt.Sprintf("%.0f; %.0f", whole, median), map[bool]string{true: "200 on a suite of 0.05 s", false: "20"}[lang == "python"])
	}
}

// curve is how many of the one-place bugs were mended within a time.
func curve(w io.Writer, g group) {
	one := g.where(func(r result) bool { return r.Places <= 1 })
	fmt.Fprintf(w, "\nMended against time, one-place bugs:\n\n| within | mended | share |\n| --- | --- | --- |\n")
	for _, limit := range []float64{5, 10, 15, 20, 30, 45, 60} {
		n := one.count(func(r result) bool { return r.Verdict == mended && r.Seconds <= limit })
		share := 0.0
		if len(one) > 0 {
			share = float64(n) / float64(len(one))
		}
		fmt.Fprintf(w, "| %.0f s | %d | %s %.0f %% |\n", limit, n, strings.Repeat("█", int(share*40+0.5)), 100*share)
	}
}

// table is a row of figures for each part.
func table(w io.Writer, name string, g group, word func(result) string) {
	words, parts := g.by(word)
	fmt.Fprintf(w, "\n| %s | bugs | mended (ready, draft) | plausible only (ready, draft) | missed | invalid | median s | 90th s | candidates/s |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n", name)
	for _, v := range words {
		line(w, v, parts[v])
	}
	if len(words) > 1 {
		line(w, "**all**", g)
	}
}

func line(w io.Writer, name string, all group) {
	g := all.valid()
	s := g.seconds()
	whole, _ := g.rate()
	fmt.Fprintf(w, "| %s | %d | %s: %d, %d | %d: %d, %d | %d | %d | %.1f | %.1f | %.0f |\n", name, len(all),
		ratio(g.count(is(mended)), len(g)), g.count(isAnd(mended, true)), g.count(isAnd(mended, false)),
		g.count(is(plausible)), g.count(isAnd(plausible, true)), g.count(isAnd(plausible, false)),
		g.count(is(missed)), len(all)-len(g), quantile(s, 0.5), quantile(s, 0.9), whole)
}

// ablation compares, on the bugs that both were run on, the engine without a
// part with the whole one.
func ablation(w io.Writer, part group) {
	words, variants := part.by(func(r result) string { return r.Without })
	if len(words) < 2 {
		return
	}
	full := map[string]result{}
	for _, r := range variants[""].valid() {
		full[r.Bug] = r
	}
	fmt.Fprintf(w, "\nWhat each part is worth, on the bugs that were also run without it:\n\n| without | bugs | mended with it | mended without it | its share | ready right with, without | median s with, without |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, v := range words {
		var with, without group
		for _, r := range variants[v].valid() {
			if f, ok := full[r.Bug]; ok && v != "" {
				with, without = append(with, f), append(without, r)
			}
		}
		if len(without) == 0 {
			continue
		}
		a, b := with.count(is(mended)), without.count(is(mended))
		fmt.Fprintf(w, "| %s | %d | %d | %d | %+d: %d lost, %d won | %s; %s | %.1f; %.1f |\n", v, len(without), a, b, a-b, lost(with, without), lost(without, with),
			precision(with), precision(without), quantile(with.seconds(), 0.5), quantile(without.seconds(), 0.5))
	}
}

// lost counts what a mended and b did not, bug by bug.
func lost(a, b group) int {
	n := 0
	for i := range a {
		if a[i].Verdict == mended && b[i].Verdict != mended {
			n++
		}
	}
	return n
}

func precision(g group) string {
	ready := g.where(func(r result) bool { return r.Ready && (r.Verdict == mended || r.Verdict == plausible) })
	return fmt.Sprintf("%d of %d", ready.count(is(mended)), len(ready))
}

// troubles lists what could not be measured, and what pins say of weak bugs.
func troubles(w io.Writer, part group) {
	weak := part.where(func(r result) bool { return r.Without == "" && r.Pins != "" })
	if len(weak) > 0 {
		said := func(word string) int {
			return weak.count(func(r result) bool { return strings.HasPrefix(r.Pins, word) })
		}
		fmt.Fprintf(w, "\nOf weak bugs called mended by a change that is not the true fix, %d were compared with the correct code on recorded and edge inputs: %d do the same, %d do something else, of %d nothing can be said.\n",
			len(weak), said(pinsSame), said(pinsOther), said(pinsNone))
	}
	bad := part.where(is(invalid))
	if len(bad) == 0 {
		return
	}
	fmt.Fprintf(w, "\nInvalid, and in no figure above:\n\n")
	for _, r := range bad {
		fmt.Fprintf(w, "- %s%s: %s\n", r.Bug, prefixed(" without ", r.Without), oneLine(r.Why))
	}
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// misses lists the open bugs that were not mended.
func misses(w io.Writer, whole group) {
	bad := whole.notMended()
	if len(bad) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Not mended\n\n| bug | class | came to | seconds | candidates tried |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range bad {
		tried := 0
		if r.Search != nil {
			tried = r.Search.Tried
		}
		fmt.Fprintf(w, "| %s | %s: %s | %s | %.1f | %d |\n", r.Bug, r.Origin, r.Class, r.cameTo(), r.Seconds, tried)
	}
}

// fixes are the changes that would have been right for these. They are the
// subjects' code, for whoever works here and not for a report that is kept.
func (o *options) fixes(ctx context.Context, w io.Writer, all group) {
	for _, r := range all.where(func(r result) bool { return !r.Sealed && r.Without == "" && o.wants(r.bug()) }).notMended() {
		fmt.Fprintf(w, "\n#### %s: %s\n\n", r.Bug, r.cameTo())
		if why := oneLine(r.Why); why != "" {
			fmt.Fprintf(w, "%s\n\n", why)
		}
		fmt.Fprintf(w, "The true fix:\n\n```diff\n%s```\n", o.truth(ctx, r.Bug))
		if r.Diff != "" {
			fmt.Fprintf(w, "\nWhat fettle did:\n\n```diff\n%s\n```\n", strings.TrimRight(clipLines(r.Diff, 30), "\n"))
		}
	}
}

func (g group) notMended() group {
	bad := g.where(func(r result) bool { return r.Verdict == missed || r.Verdict == plausible })
	slices.SortStableFunc(bad, func(a, b result) int { return strings.Compare(a.Verdict+a.Language, b.Verdict+b.Language) })
	return bad
}

// cameTo is the verdict in words for a bug that was not mended.
func (r result) cameTo() string {
	if r.Verdict != plausible {
		return r.Verdict
	}
	return map[bool]string{true: "ready and wrong", false: "draft and wrong"}[r.Ready]
}

// truth is the difference between a bug's broken and correct sources.
func (o *options) truth(ctx context.Context, id string) string {
	f, err := bugs.Load(filepath.Join(o.work, "bugs", id))
	if err != nil {
		return fmt.Sprintf("# cannot be read: %v\n", err)
	}
	return clipLines(o.fixOf(ctx, f), 40)
}
