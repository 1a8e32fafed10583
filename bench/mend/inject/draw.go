package inject

import (
	"cmp"
	"slices"
)

// draw decides which fault of a subject is tried next. It depends on the seed,
// the faults and what became of those tried before.
type draw struct {
	queues map[string][]Fault // by rule, each in the order of chance
	first  int                // the rule that begins: another for each subject
	tried  map[string]int     // by rule
	bugs   map[string]int     // by rule
	spots  map[string]int     // bugs by file, and by file and function
	weak   int                // bugs of which no failing test can be held back
	total  int
}

// Limits that spread the bugs of a subject.
const (
	perFile     = 12
	perFunction = 2
	weakShare   = 5 // at most every fifth bug is weak
)

func newDraw(seed uint64, first int, faults []Fault) *draw {
	d := &draw{queues: map[string][]Fault{}, first: first, tried: map[string]int{}, bugs: map[string]int{}, spots: map[string]int{}}
	for _, f := range faults {
		d.queues[f.Rule] = append(d.queues[f.Rule], f)
	}
	for _, q := range d.queues {
		slices.SortStableFunc(q, func(a, b Fault) int { return cmp.Compare(rank(seed, a.Key()), rank(seed, b.Key())) })
	}
	return d
}

// next is the fault to try now; ok is false when none is left. Of the rules it
// takes the one that has come to the fewest bugs for its tries. fits is asked
// last whether a fault can be tried at all.
func (d *draw) next(fits func(Fault) bool) (f Fault, ok bool) {
	order := make([]string, 0, len(table))
	for i := range table {
		order = append(order, table[(i+d.first)%len(table)].name)
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(3*d.bugs[a]+d.tried[a], 3*d.bugs[b]+d.tried[b]) })
	for _, rule := range order {
		for len(d.queues[rule]) > 0 {
			f := d.queues[rule][0]
			d.queues[rule] = d.queues[rule][1:]
			if d.spots[f.Path] < perFile && d.spots[spot(f)] < perFunction && fits(f) {
				d.tried[rule]++
				return f, true
			}
		}
	}
	return Fault{}, false
}

// spot names the function of a fault; what stands in none goes by its line.
func spot(f Fault) string {
	if f.Function == "" {
		return f.Path + "\x00" + string(rune(f.Line))
	}
	return f.Path + "\x00" + f.Function
}

// take counts a fault that became a bug.
func (d *draw) take(f Fault, weak bool) {
	d.bugs[f.Rule]++
	d.spots[f.Path]++
	d.spots[spot(f)]++
	d.total++
	if weak {
		d.weak++
	}
}

// bears tells whether one more weak bug is bearable.
func (d *draw) bears() bool { return (d.weak+1)*weakShare <= d.total+weakShare }
