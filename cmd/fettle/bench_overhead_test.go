package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/task"
)

// way is one demo's way from the label to the pull request, by the clock of
// the simulator and of the audit log.
type way struct {
	pickUp, baseline, repeated, localise, search, judge, publish time.Duration
	red                                                          []string // ids of the tests that failed before
}

// own is the time without the repair search, whose length is the fault's and
// not fettle's to choose. Localising is the search's first part; while it goes
// on the red tests are run a second time, which counts.
func (w way) own() time.Duration { return w.pickUp + w.baseline + w.repeated + w.judge + w.publish }

// overhead is the demo of a sample beside .ci/plain.sh on the same repository
// with the same runs of tests, in turns: as many rounds as begin within a time,
// the first one, which fills the caches of both, left out.
func (b *bencher) overhead(sample string, within time.Duration) {
	b.Helper()
	var ways []way
	var plains, owns, wholes []time.Duration
	var ratios, all []float64
	begun := time.Now()
	for i := 0; i < 2 || i < 10 && time.Since(begun) < within; i++ {
		w, plain := b.demoAndPlain(sample, i)
		if i == 0 {
			continue
		}
		whole := w.own() - w.repeated + w.localise
		ways, plains, owns, wholes = append(ways, w), append(plains, plain), append(owns, w.own()), append(wholes, whole)
		ratios = append(ratios, float64(w.own())/float64(plain))
		all = append(all, float64(whole)/float64(plain))
	}
	ratio := median(ratios)
	plain := "plain script " + ms(median(plains))
	b.row("own overhead, "+sample, ms(median(owns)), plain, fmt.Sprintf("x %.2f, +%s", ratio, ms(median(owns)-median(plains))), "<= x 1.5", ratio <= 1.5)
	b.row("  with localising, which the script does not do", ms(median(wholes)), plain, fmt.Sprintf("x %.2f", median(all)), "", true)
	phase := func(f func(way) time.Duration) string {
		var d []time.Duration
		for _, w := range ways {
			d = append(d, f(w))
		}
		return ms(median(d))
	}
	b.note("%s, %d counted: pick-up %s, checkout and baseline %s, the red tests again %s, [localising %s and search %s, not counted], judging %s, pull request %s", sample, len(ways),
		phase(func(w way) time.Duration { return w.pickUp }), phase(func(w way) time.Duration { return w.baseline }),
		phase(func(w way) time.Duration { return w.repeated }), phase(func(w way) time.Duration { return w.localise }),
		phase(func(w way) time.Duration { return w.search }),
		phase(func(w way) time.Duration { return w.judge }), phase(func(w way) time.Duration { return w.publish }))
}

// targets are the red tests as the language's own command takes them: a file, or
// a package's folder for Go. Ids are "suite:folder:native id".
func (w way) targets() string {
	var out []string
	for _, id := range w.red {
		native := strings.SplitN(id, ":", 3)[2]
		for _, cut := range []string{" > ", "::", ":"} {
			native, _, _ = strings.Cut(native, cut)
		}
		if strings.HasPrefix(id, "go:") {
			native = "./" + native
		}
		if !slices.Contains(out, native) {
			out = append(out, native)
		}
	}
	return strings.Join(out, " ")
}

func (b *bencher) demoAndPlain(sample string, round int) (way, time.Duration) {
	b.Helper()
	state := filepath.Join(b.dir, fmt.Sprintf("%s-%d", sample, round))
	_, out := b.timed(b.command(b.fettle, "demo", "--quiet", "--sample", sample, "--keep", state, "--json"))
	var sum bot.Summary
	if err := json.Unmarshal(out, &sum); err != nil || sum.Diff == "" {
		b.Fatalf("the demo's document has no diff: %v\n%s", err, out)
	}
	w := b.way(state, sum.RunID)
	diff := filepath.Join(state, "plain.diff")
	if err := os.WriteFile(diff, []byte(sum.Diff), 0o600); err != nil {
		b.Fatal(err)
	}
	bare := filepath.Join(state, "github", "repos", demoOwner, "sample-"+sample+".git")
	script := b.command("sh", "../../.ci/plain.sh", bare, filepath.Join(state, "plain"), diff, "plain", sample, w.targets())
	script.Env = append(script.Env, "PYTHON="+b.python)
	plain, _ := b.timed(script)
	if err := os.RemoveAll(state); err != nil {
		b.Fatal(err)
	}
	return w, plain
}

// way reads a kept demo: the label and the pull request from the simulator's
// state, what was in between from the audit log.
func (b *bencher) way(state, run string) way {
	b.Helper()
	conf := filepath.Join(state, "bench.yml")
	if err := os.WriteFile(conf, []byte("state_dir: "+filepath.Join(state, "fettle")+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	_, out := b.timed(b.command(b.fettle, "runs", "log", "--config", conf, run))
	at := map[string]time.Time{}
	var w way
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var d task.Decision
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			b.Fatalf("the audit log holds %q: %v", lines.Text(), err)
		}
		at[d.Kind] = d.At
		switch d.Kind {
		case "baseline":
			for _, id := range d.Data["red"].([]any) {
				w.red = append(w.red, id.(string))
			}
		case "baseline.repeated":
			w.repeated = time.Duration(d.Data["seconds"].(float64) * float64(time.Second))
		}
	}
	for _, e := range b.timeline(state) {
		switch key := e.Kind + " " + e.Detail; {
		case key == "labeled agent:fix", key == "labeled agent:working":
			at[key] = e.At
		case e.Kind == "opened":
			at["opened"] = e.At
		}
	}
	span := func(from, to string) time.Duration {
		if at[from].IsZero() || at[to].IsZero() {
			b.Fatalf("no time of %q or %q in %v", from, to, at)
		}
		return at[to].Sub(at[from])
	}
	w.pickUp, w.baseline = span("labeled agent:fix", "labeled agent:working"), span("labeled agent:working", "baseline")
	w.localise, w.search = span("baseline", "localised"), span("localised", "mend.searched")
	w.judge, w.publish = span("mend.searched", "attempt.judged"), span("attempt.judged", "opened")
	return w
}

type happened struct {
	Kind   string    `json:"kind"`
	Detail string    `json:"detail"`
	At     time.Time `json:"at"`
}

// timeline is what happened to the issues and pull requests of a simulator.
func (b *bencher) timeline(state string) []happened {
	b.Helper()
	raw, err := os.ReadFile(filepath.Join(state, "github", "state.json"))
	if err != nil {
		b.Fatal(err)
	}
	var kept struct {
		Repos map[string]struct {
			Issues []struct {
				Timeline []happened `json:"timeline"`
			} `json:"issues"`
		} `json:"repos"`
	}
	if err := json.NewDecoder(strings.NewReader(string(raw))).Decode(&kept); err != nil {
		b.Fatal(err)
	}
	var out []happened
	for _, r := range kept.Repos {
		for _, i := range r.Issues {
			out = append(out, i.Timeline...)
		}
	}
	return out
}
