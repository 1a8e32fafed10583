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

// Shape is how the tasks of a made-up table come about.
type Shape struct {
	Name      string
	traits    [4][]trait // class, language, size, kind of failure
	strengths [3]float64 // logit of a plain task for each tier
	means     [3]float64 // USD
	shared    float64    // how much the hardness of a task differs for all tiers together, logits
	own       float64    // and for each alone
}

var (
	classes  = []trait{{"bug", 5, [3]float64{0, 0, 0}}, {"feature", 2, [3]float64{1.5, 0.7, 0.4}}, {"refactor", 1.5, [3]float64{2.2, 1.4, 0.6}}, {"test", 1.5, [3]float64{-0.8, -0.4, -0.4}}}
	tongues  = []trait{{"python", 5, [3]float64{-0.2, -0.2, -0.1}}, {"go", 2, [3]float64{0.2, 0, 0}}, {"typescript", 3, [3]float64{0.4, 0.2, 0.1}}}
	sizes    = []trait{{"short", 4, [3]float64{-0.3, -0.2, -0.1}}, {"medium", 4, [3]float64{0, 0, 0}}, {"long", 2, [3]float64{1.2, 0.5, 0.3}}}
	failures = []trait{{"assertion", 5, [3]float64{0, 0, 0}}, {"exception", 3, [3]float64{-0.4, -0.3, -0.2}}, {"timeout", 1, [3]float64{2.5, 1.8, 0.7}}, {"", 1, [3]float64{0.8, 0.5, 0.3}}}
	paces    = [3]float64{40, 90, 150} // seconds

	mixed = Shape{Name: "mixed", traits: [4][]trait{classes, tongues, sizes, failures},
		strengths: [3]float64{0.8, 1.3, 1.9}, means: [3]float64{0.02, 0.12, 0.4}, shared: 1.2, own: 0.7}
)

// Shapes are the tables that a policy has to stand on: what helps on one of
// them only was fitted to it.
func Shapes() []Shape {
	flat, hopeless, middle, close, together := mixed, mixed, mixed, mixed, mixed
	flat.Name = "nothing to learn"
	for i, column := range mixed.traits {
		flat.traits[i] = plain(column)
	}
	hopeless.Name = "a class is hopeless on tier 1"
	hopeless.traits = flat.traits
	hopeless.traits[0] = []trait{{"bug", 5, [3]float64{0, 0, 0}}, {"feature", 2, [3]float64{0, 0, 0}}, {"refactor", 3, [3]float64{8, 0.5, 0.3}}}
	middle.Name = "a weak middle tier"
	middle.strengths[1] = 0.4
	close.Name = "prices close together"
	close.means = [3]float64{0.1, 0.16, 0.4}
	together.Name = "tiers fail together"
	together.shared, together.own = 2.2, 0.3
	return []Shape{mixed, flat, hopeless, middle, close, together}
}

// plain takes the difference out of a column.
func plain(column []trait) []trait {
	out := append([]trait(nil), column...)
	for i := range out {
		out[i].hard = [3]float64{}
	}
	return out
}

// Synthetic makes a table of n tasks of the mixed shape.
func Synthetic(seed uint64, n int) *Table { return mixed.Table(seed, n) }

// Table makes a table of n tasks. Each task has a hardness that all tiers
// share, so that failures come together, as they do in reality.
func (s Shape) Table(seed uint64, n int) *Table {
	r := rand.New(rand.NewPCG(seed, 0x6c6164646572)) //nolint:gosec // made-up figures
	t := &Table{Name: "synthetic table (made up)", Tiers: []task.Tier{task.Tier1, task.Tier2, task.Tier3}}
	for i := range n {
		var picked [4]trait
		for k, column := range s.traits {
			picked[k] = pick(r, column)
		}
		x := Task{ID: fmt.Sprintf("synthetic-%04d", i+1), By: map[task.Tier]Did{},
			Case: estimate.Case{Class: picked[0].name, Language: picked[1].name, Size: picked[2].name, Failure: picked[3].name}}
		shared := s.shared * r.NormFloat64()
		for k, tier := range t.Tiers {
			logit := s.strengths[k] - shared + s.own*r.NormFloat64()
			for _, p := range picked {
				logit -= p.hard[k]
			}
			solved := r.Float64() < 1/(1+math.Exp(-logit))
			effort := math.Exp(0.5*r.NormFloat64() - 0.15*logit)
			x.By[tier] = Did{Solved: solved, Cost: task.Dollars(round(s.means[k]*effort, 5)),
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
