package ladder

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Against is how a policy compares with always tier 1 → 3 on the tables of one
// shape: medians over their seeds.
type Against struct {
	Shape  string  `json:"shape"`
	Policy string  `json:"policy"`
	Solved float64 `json:"solved"` // share of tasks with a right patch
	Points float64 `json:"points"` // difference of that, in percentage points
	Cost   float64 `json:"cost"`   // difference of the cost of a task, as a share
	Lowest float64 `json:"lowest"` // of Points, over the seeds
	Dear   float64 `json:"dear"`   // highest of Cost, over the seeds
}

// Suite compares the policies on tables of n made-up tasks, one for each shape
// and seed.
func Suite(s Settings, seeds []uint64, n int) []Against {
	var out []Against
	for _, shape := range Shapes() {
		points, cost, solved := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
		var order []string
		for _, seed := range seeds {
			s.Seed = seed
			results := Compare(shape.Table(seed, n), s)
			base := results[0]
			for _, r := range results {
				if !slices.Contains(order, r.Policy) {
					order = append(order, r.Policy)
				}
				solved[r.Policy] = append(solved[r.Policy], r.Solved)
				points[r.Policy] = append(points[r.Policy], 100*(r.Solved-base.Solved))
				cost[r.Policy] = append(cost[r.Policy], r.Cost.Float()/max(base.Cost.Float(), 1e-9)-1)
			}
		}
		for _, p := range order {
			out = append(out, Against{Shape: shape.Name, Policy: p, Solved: median(solved[p]), Points: median(points[p]), Cost: median(cost[p]),
				Lowest: slices.Min(points[p]), Dear: slices.Max(cost[p])})
		}
	}
	return out
}

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	n := len(of)
	return (of[(n-1)/2] + of[n/2]) / 2
}

// PrintSuite writes what Suite found as a table.
func PrintSuite(out io.Writer, s Settings, seeds, n int, rows []Against) error {
	_, err := fmt.Fprintf(out, "synthetic tables (made up) of %d tasks: medians of %d seeds, %d orders each; checks: %.1f %% false green, %.1f %% false red; beside always tier 1 → 3\n",
		n, seeds, max(s.Rounds, 1), 100*s.FalseGreen, 100*s.FalseRed)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(w, "table\tpolicy\tsolved\tpoints\tcost\tlowest points\thighest cost\t\n")
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%.1f %%\t%+.1f\t%+.1f %%\t%+.1f\t%+.1f %%\t\n", r.Shape, r.Policy, 100*r.Solved, r.Points, 100*r.Cost, r.Lowest, 100*r.Dear)
	}
	return w.Flush()
}
