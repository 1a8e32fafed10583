package eval

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

//go:embed report.html
var page string

// The page has no script and loads nothing.
var pageTemplate = template.Must(template.New("report").Parse(page))

// bars is a chart of bars beside their names.
type bars struct {
	Title string
	Bars  []bar
}

type bar struct {
	Name, Value string
	Parts       []part
}

type part struct {
	Class, Words string
	Width        float64 // percent
}

// curve is a chart of points.
type curve struct {
	Title, Top, From, To, Points string
	Dots                         []dot
}

type dot struct {
	X, Y, Words string
}

// HTML is the report as one page that needs nothing from the network. past are
// reports of the same cases, the oldest first.
func HTML(r Report, past []Report) ([]byte, error) {
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, map[string]any{
		"Plan": r.Plan, "Results": r.Results, "Started": r.Started, "Ended": r.Ended, "Skipped": r.Skipped, "All": r.All, "Figures": r.All.lines(),
		"Charts": r.charts(), "Lines": r.curves(past),
	})
	return b.Bytes(), err
}

// mostBars is the number of groups above which a chart says less than the list of cases.
const mostBars = 12

func (r Report) charts() (out []bars) {
	for _, by := range []string{"kind", "language", "class"} {
		if groups := r.By[by]; len(groups) > 1 && len(groups) <= mostBars {
			out = append(out, bars{"Right by " + by, groups.bars()})
		}
	}
	ends := bars{Title: "How cases ended"}
	for _, v := range slices.SortedFunc(maps.Keys(r.All.Ends), func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(r.All.Ends[b], r.All.Ends[a]), cmp.Compare(a, b))
	}) {
		class := "other"
		switch v {
		case Right:
			class = "right"
		case WrongReady, NotRefused:
			class = "wrong"
		}
		n := r.All.Ends[v]
		ends.Bars = append(ends.Bars, bar{string(v), fmt.Sprint(n), []part{{class, fmt.Sprint(n), percent(n, r.All.Cases)}}})
	}
	out = append(out, ends)
	if failed := r.failures(); len(failed.Bars) > 0 {
		out = append(out, failed)
	}
	if len(r.All.Ladder) > 0 {
		rungs := bars{Title: "Right up to a tier, and what it cost"}
		for _, rung := range r.All.Ladder {
			rungs.Bars = append(rungs.Bars, bar{string(rung.Tier), fmt.Sprintf("%d of %d, %s", rung.Solved.N, rung.Solved.Of, rung.Cost), []part{{"right", rung.Solved.String(), 100 * rung.Solved.Rate}}})
		}
		out = append(out, rungs)
	}
	return append(out, r.times())
}

// failures is what kept cases from ending right: how the run ended, where it says more
// than the verdict, and answers of models that could not be used.
func (r Report) failures() bars {
	counts, most := map[string]int{}, 0
	for _, res := range r.Results {
		if res.Verdict == Right {
			continue
		}
		name := string(res.Verdict)
		if res.Outcome != "" && res.Outcome != task.Success {
			name = strings.ReplaceAll(string(res.Outcome), "_", " ")
		}
		counts[name]++
		for what := range res.Unread {
			counts["unreadable: "+what]++
		}
	}
	for _, n := range counts {
		most = max(most, n)
	}
	out := bars{Title: "What went with cases that are not right"}
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}) {
		if len(out.Bars) < mostBars {
			out.Bars = append(out.Bars, bar{name, fmt.Sprint(counts[name]), []part{{"other", task.Count(counts[name], "case"), percent(counts[name], most)}}})
		}
	}
	return out
}

// bars shows of each group how many are right: ready, and as drafts or otherwise.
func (g Groups) bars() (out []bar) {
	for _, name := range slices.Sorted(maps.Keys(g)) {
		f := g[name]
		ready := f.ReadyOK.N
		out = append(out, bar{name, fmt.Sprintf("%d of %d", f.Success.N, f.Cases), []part{
			{"right", fmt.Sprintf("%d called ready and right", ready), percent(ready, f.Cases)},
			{"part", fmt.Sprintf("%d right otherwise", f.Success.N-ready), percent(f.Success.N-ready, f.Cases)},
		}})
	}
	return out
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// times is how many cases took how long.
func (r Report) times() bars {
	steps := []float64{5, 10, 20, 40, 60, 120, 300, math.Inf(1)}
	counts := make([]int, len(steps))
	for _, res := range r.Results {
		counts[slices.IndexFunc(steps, func(s float64) bool { return res.Seconds <= s })]++
	}
	most := slices.Max(counts)
	out := bars{Title: "Seconds of a case"}
	for i, n := range counts {
		name := fmt.Sprintf("up to %g", steps[i])
		if math.IsInf(steps[i], 1) {
			name = "more"
		}
		out.Bars = append(out.Bars, bar{name, fmt.Sprint(n), []part{{"other", task.Count(n, "case"), percent(n, most)}}})
	}
	return out
}

func (r Report) curves(past []Report) (out []curve) {
	if r.All.Cost > 0 {
		c := curve{Title: "Right against what was spent, the cheapest first", Top: fmt.Sprint(r.All.Success.N), From: "$0", To: r.All.Cost.String()}
		sorted := slices.SortedStableFunc(slices.Values(r.Results), func(a, b Result) int { return cmp.Compare(a.Cost, b.Cost) })
		n, usd := 0, task.USD(0)
		for _, res := range sorted {
			if usd += res.Cost; res.Verdict == Right {
				n++
			}
			c.at(float64(usd)/float64(r.All.Cost), float64(n)/float64(max(r.All.Success.N, 1)), "")
		}
		out = append(out, c)
	}
	if len(past) > 1 {
		c := curve{Title: "Success over the runs of these cases", Top: "100 %", From: past[0].Started.Format("2 Jan 15:04"), To: past[len(past)-1].Started.Format("2 Jan 15:04")}
		for i, p := range past {
			c.at(float64(i)/float64(len(past)-1), p.All.Success.Rate, p.Started.Format("2 Jan 15:04")+": "+p.All.Success.String())
		}
		out = append(out, c)
	}
	return out
}

// at adds a point; x and y are shares. Words make it a dot.
func (c *curve) at(x, y float64, words string) {
	px, py := fmt.Sprintf("%.1f", 40+390*x), fmt.Sprintf("%.1f", 150-140*y)
	c.Points = strings.TrimSpace(c.Points + " " + px + "," + py)
	if words != "" {
		c.Dots = append(c.Dots, dot{px, py, words})
	}
}
