package ladder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/task"
)

// SyntheticSeed and SyntheticTasks make the table that is kept beside this
// file, synthetic.csv. It is made up: it shows how policies differ, and says
// nothing about any model.
const (
	SyntheticSeed  = 1
	SyntheticTasks = 600
)

// trait is a value of a column with how common it is and how much harder
// tasks with it are for each tier (logits).
type trait struct {
	name string
	much float64
	hard [3]float64
}

var (
	classes   = []trait{{"bug", 5, [3]float64{0, 0, 0}}, {"feature", 2, [3]float64{1.5, 0.7, 0.4}}, {"refactor", 1.5, [3]float64{2.2, 1.4, 0.6}}, {"test", 1.5, [3]float64{-0.8, -0.4, -0.4}}}
	tongues   = []trait{{"python", 5, [3]float64{-0.2, -0.2, -0.1}}, {"go", 2, [3]float64{0.2, 0, 0}}, {"typescript", 3, [3]float64{0.4, 0.2, 0.1}}}
	sizes     = []trait{{"short", 4, [3]float64{-0.3, -0.2, -0.1}}, {"medium", 4, [3]float64{0, 0, 0}}, {"long", 2, [3]float64{1.2, 0.5, 0.3}}}
	failures  = []trait{{"assertion", 5, [3]float64{0, 0, 0}}, {"exception", 3, [3]float64{-0.4, -0.3, -0.2}}, {"timeout", 1, [3]float64{2.5, 1.8, 0.7}}, {"", 1, [3]float64{0.8, 0.5, 0.3}}}
	strengths = [3]float64{0.8, 1.3, 1.9}   // logit of a plain task
	means     = [3]float64{0.02, 0.12, 0.4} // USD
	paces     = [3]float64{40, 90, 150}     // seconds
)

// Synthetic makes a table of n tasks. Each task has a hardness that all tiers
// share, so that failures come together, as they do in reality.
func Synthetic(seed uint64, n int) *Table {
	r := rand.New(rand.NewPCG(seed, 0x6c6164646572)) //nolint:gosec // made-up figures
	t := &Table{Name: "synthetic table (made up)", Tiers: []task.Tier{task.Tier1, task.Tier2, task.Tier3}}
	for i := range n {
		picked := []trait{pick(r, classes), pick(r, tongues), pick(r, sizes), pick(r, failures)}
		x := Task{ID: fmt.Sprintf("synthetic-%04d", i+1), By: map[task.Tier]Did{},
			Case: estimate.Case{Class: picked[0].name, Language: picked[1].name, Size: picked[2].name, Failure: picked[3].name}}
		shared := 1.2 * r.NormFloat64()
		for k, tier := range t.Tiers {
			logit := strengths[k] - shared + 0.7*r.NormFloat64()
			for _, p := range picked {
				logit -= p.hard[k]
			}
			solved := r.Float64() < 1/(1+math.Exp(-logit))
			effort := math.Exp(0.5*r.NormFloat64() - 0.15*logit)
			x.By[tier] = Did{Solved: solved, Cost: task.Dollars(round(means[k]*effort, 5)),
				Took: time.Duration(round(paces[k]*effort, 1) * float64(time.Second)).Round(100 * time.Millisecond)}
		}
		t.Tasks = append(t.Tasks, x)
	}
	return t
}

func round(f float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(f*p) / p
}

func pick(r *rand.Rand, of []trait) trait {
	total := 0.0
	for _, t := range of {
		total += t.much
	}
	at := r.Float64() * total
	for _, t := range of {
		if at -= t.much; at < 0 {
			return t
		}
	}
	return of[len(of)-1]
}
