package eval

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Read reads a report, or the one in the folder of a run.
func Read(name string) (r Report, err error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, reportFile)
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("reading %s: %w", name, err)
	}
	if r.Plan.Version != planVersion {
		return r, fmt.Errorf("%s is of version %d, and this fettle reads %d", name, r.Plan.Version, planVersion)
	}
	return r, nil
}

// Comparison holds two runs against each other, case by case.
type Comparison struct {
	Pairs   int         `json:"pairs"`
	Fell    []string    `json:"fell"`        // right before, and not after
	Rose    []string    `json:"rose"`        // right after, and not before
	P       float64     `json:"p"`           // that chance alone lets so many fall
	Lied    []string    `json:"wrong_ready"` // wrongly called ready after, and not before
	Honest  []string    `json:"not_wrong_ready"`
	PLied   float64     `json:"p_wrong_ready"`
	Cost    [2]task.USD `json:"cost_usd"` // of the pairs, before and after
	Dearer  int         `json:"dearer"`
	Cheaper int         `json:"cheaper"`
	PCost   float64     `json:"p_cost"`
	Seconds [2]float64  `json:"seconds"` // median, before and after; they depend on the machine
}

// Significant is the chance below which a change is taken for more than noise.
const Significant = .05

// Compare pairs the results of two runs by case and repeat. The test is McNemar's, exact
// and one-sided: of cases that changed sides, as many fall as rise by chance.
func Compare(before, after Report) (c Comparison) {
	was := map[string]Result{}
	for _, r := range before.Results {
		was[key(r.Case, r.Repeat)] = r
	}
	var seconds [2][]float64
	for _, r := range after.Results {
		old, ok := was[key(r.Case, r.Repeat)]
		if !ok {
			continue
		}
		c.Pairs++
		sides(&c.Fell, &c.Rose, r.Case, old.Verdict == Right, r.Verdict == Right)
		sides(&c.Honest, &c.Lied, r.Case, old.Verdict == WrongReady, r.Verdict == WrongReady)
		c.Cost[0], c.Cost[1] = c.Cost[0]+old.Cost, c.Cost[1]+r.Cost
		switch {
		case r.Cost > old.Cost:
			c.Dearer++
		case r.Cost < old.Cost:
			c.Cheaper++
		}
		seconds[0], seconds[1] = append(seconds[0], old.Seconds), append(seconds[1], r.Seconds)
	}
	c.P, c.PLied, c.PCost = chance(len(c.Fell), len(c.Rose)), chance(len(c.Lied), len(c.Honest)), chance(c.Dearer, c.Cheaper)
	c.Seconds = [2]float64{spread(seconds[0]).Median, spread(seconds[1]).Median}
	return c
}

func sides(left, came *[]string, name string, before, after bool) {
	switch {
	case before && !after:
		*left = append(*left, name)
	case !before && after:
		*came = append(*came, name)
	}
}

// chance is the probability of at least n heads in n+m throws of a coin.
func chance(n, m int) (p float64) {
	for k := n; k <= n+m; k++ {
		all, _ := math.Lgamma(float64(n + m + 1))
		in, _ := math.Lgamma(float64(k + 1))
		out, _ := math.Lgamma(float64(n + m - k + 1))
		p += math.Exp(all - in - out - float64(n+m)*math.Ln2)
	}
	return min(p, 1)
}

// Regressions are what is worse by more than noise.
func (c Comparison) Regressions() (out []string) {
	if len(c.Fell) > len(c.Rose) && c.P < Significant {
		out = append(out, fmt.Sprintf("%s fell and %d rose (p = %.3f): %s", task.Count(len(c.Fell), "case"), len(c.Rose), c.P, strings.Join(c.Fell, ", ")))
	}
	if len(c.Lied) > len(c.Honest) && c.PLied < Significant {
		out = append(out, fmt.Sprintf("%s more wrongly called ready (p = %.3f): %s", task.Count(len(c.Lied), "change"), c.PLied, strings.Join(c.Lied, ", ")))
	}
	if c.Cost[1] > c.Cost[0]*11/10 && c.PCost < Significant {
		out = append(out, fmt.Sprintf("the cost went from %s to %s (%d dearer, %d cheaper, p = %.3f)", c.Cost[0], c.Cost[1], c.Dearer, c.Cheaper, c.PCost))
	}
	return out
}

// String is the comparison for a terminal.
func (c Comparison) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on both sides\n", task.Count(c.Pairs, "case"))
	fmt.Fprintf(&b, "fell              %d %s\nrose              %d %s\np                 %.3f\n", len(c.Fell), strings.Join(c.Fell, ", "), len(c.Rose), strings.Join(c.Rose, ", "), c.P)
	fmt.Fprintf(&b, "wrong, ready      %d more, %d fewer (p = %.3f)\n", len(c.Lied), len(c.Honest), c.PLied)
	fmt.Fprintf(&b, "cost              %s, then %s\nmedian seconds    %.1f, then %.1f\n", c.Cost[0], c.Cost[1], c.Seconds[0], c.Seconds[1])
	return b.String()
}
