// Command flaky measures how well the baseline recognises unstable tests, on
// suites made with known rates: tests that fail with p = 0.05 to 0.5, tests
// that fail only after another one ran, and tests that are red or green each
// time. It prints precision and recall by the number of re-runs; "make
// bench-flaky".
//
// Chance is the sandbox's own, so that figures differ from run to run by what
// the size of the sample allows; suites and their rates are always the same.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

var rates = []float64{0.05, 0.1, 0.2, 0.3, 0.5}

// kinds of made tests, as they stand in the tests' names.
const (
	chance = "chance"
	order  = "order"
	red    = "red"
)

func main() {
	suites := flag.Int("suites", 5, "suites for each number of re-runs")
	each := flag.Int("each", 8, "flaky tests of each rate in a suite")
	most := flag.Int("reruns", 5, "highest number of re-runs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *suites, *each, *most); err != nil {
		fmt.Fprintln(os.Stderr, "flaky:", err)
		os.Exit(1)
	}
}

// tally counts over suites.
type tally struct {
	seen, found, wrong    int // unstable tests that were red, those recognised, stable ones taken for unstable
	ordered, named, taken int // order-dependent ones that were red, those named as such, others named so
	byRate                map[string][2]int
	seconds               float64
}

func run(ctx context.Context, suites, each, most int) error {
	box, err := sandbox.New(ctx, sandbox.Config{})
	if err != nil {
		return err
	}
	defer box.Close()
	out := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprint(out, "re-runs\tprecision\trecall\torder precision\torder recall\tseconds a suite")
	for _, r := range rates {
		fmt.Fprintf(out, "\trecall p=%.2f", r)
	}
	fmt.Fprintln(out)
	for reruns := 1; reruns <= most; reruns++ {
		t := tally{byRate: map[string][2]int{}}
		for range suites {
			if err := t.measure(ctx, box, each, reruns); err != nil {
				return err
			}
		}
		fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%s\t%.1f", reruns, share(t.found, t.found+t.wrong), share(t.found, t.seen),
			share(t.named, t.named+t.taken), share(t.named, t.ordered), t.seconds/float64(suites))
		for _, r := range rates {
			n := t.byRate[rateName(r)]
			fmt.Fprintf(out, "\t%s", share(n[1], n[0]))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

func share(n, of int) string {
	if of == 0 {
		return "none"
	}
	return fmt.Sprintf("%.0f %% of %d", 100*float64(n)/float64(of), of)
}

// measure makes a suite, takes its baseline and compares with what was made.
// A test that was green in the first run is no part of it: nothing was wrong
// with it that the baseline could have seen.
func (t *tally) measure(ctx context.Context, box *sandbox.Sandbox, each, reruns int) error {
	dir, err := os.MkdirTemp("", "fettle-bench-flaky-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "test_made.py"), []byte(suite(each)), 0o600); err != nil {
		return err
	}
	v := verify.New(verify.Config{Sandbox: box, Reruns: reruns})
	found, err := v.Detect(os.DirFS(dir))
	if err != nil {
		return err
	}
	base, err := v.Measure(ctx, dir, found)
	if err != nil {
		return err
	}
	un, err := v.Flakes(ctx, dir, base)
	if err != nil {
		return err
	}
	t.seconds += base.Report.Elapsed.Seconds()
	for _, id := range base.Report.Red() {
		_, name, _ := strings.Cut(id, "::T::test_")
		kind, rate, _ := strings.Cut(name, "_")
		rate, _, _ = strings.Cut(rate, "_")
		flaky, named := slices.Contains(un.Flaky, id), slices.Contains(un.Order, id)
		switch kind {
		case red:
			t.wrong += one(flaky)
			t.taken += one(named)
			continue
		case order:
			t.ordered++
			t.named += one(named)
		case chance:
			n := t.byRate[rate]
			t.byRate[rate] = [2]int{n[0] + 1, n[1] + one(flaky)}
			t.taken += one(named)
		}
		t.seen++
		t.found += one(flaky)
	}
	return nil
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func rateName(p float64) string { return fmt.Sprintf("p%02.0f", 100*p) }

// suite is a unittest file: a polluter that runs first, tests that its state
// makes red, flaky ones of each rate, red ones and green ones.
func suite(each int) string {
	var b strings.Builder
	b.WriteString("import random\nimport unittest\n\nSTATE = []\nCHANCE = random.SystemRandom()\n\n\nclass T(unittest.TestCase):\n    def test_a_polluter(self):\n        STATE.append(1)\n")
	add := func(name, body string) { fmt.Fprintf(&b, "\n    def test_%s(self):\n        %s\n", name, body) }
	for i := range each {
		for _, p := range rates {
			add(fmt.Sprintf("%s_%s_%d", chance, rateName(p), i), fmt.Sprintf("self.assertGreaterEqual(CHANCE.random(), %.2f)", p))
		}
		add(fmt.Sprintf("%s_%d", order, i), "self.assertEqual(STATE, [])")
		add(fmt.Sprintf("%s_%d", red, i), "self.assertEqual(1, 2)")
		add(fmt.Sprintf("steady_%d", i), "self.assertEqual(1, 1)")
	}
	return b.String()
}
