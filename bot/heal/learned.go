package heal

import (
	"context"
	"math"
)

// Learned is the learned data of an installation's repositories as heal needs it.
// The versions are the learning's own, such as "v07", or "" while nothing was learned: a
// later one has a higher number. heal only counts how runs ended under each.
type Learned interface {
	// Rollback puts a version back in use, "" for none at all, and says which one is in
	// use then: where to is not kept any more, it is what the nearest that is kept holds.
	// why goes on record.
	Rollback(ctx context.Context, installation int64, repo, to, why string) (now string, err error)
}

// Rate is how runs ended.
type Rate struct {
	Runs      int `json:"runs"`
	Successes int `json:"successes"`
}

func (r *Rate) add(success bool) {
	r.Runs++
	if success {
		r.Successes++
	}
}

// Share is the part of the runs that ended well, from 0 to 1; 0 where none ran.
func (r Rate) Share() float64 {
	if r.Runs == 0 {
		return 0
	}
	return float64(r.Successes) / float64(r.Runs)
}

// Lessons is what heal counts of a repository's learned data: how runs ended under
// the last version that proved itself, and under what was learned since. It survives
// a JSON round trip.
type Lessons struct {
	Good   string `json:"good"`             // the last version that proved itself; "" is no learned data
	Now    string `json:"now"`              // the version in use
	Before Rate   `json:"before"`           // under Good and older ones
	After  Rate   `json:"after"`            // under the versions since
	Worse  string `json:"worse,omitempty"`  // the version that was taken back last
	Return string `json:"return,omitempty"` // the version that a rollback still has to bring back
	Owed   bool   `json:"owed,omitempty"`   // that rollback was decided and is not done
}

// proven is how many runs a version has to stand without a fall to count as good.
const proven = 20

// Ended counts a run under a version, and says whether the version has to go.
func (l *Lessons) Ended(version string, success bool, points int, significance float64) (fell bool) {
	switch {
	case version == l.Good:
		l.Before.add(success)
		return false
	case !later(version, l.Good): // it began under one that is not in use any more
		return false
	case later(version, l.Now):
		l.Now = version
	}
	l.After.add(success)
	if fell = Fell(l.Before, l.After, points, significance); fell {
		l.Owed, l.Return = true, l.Good
		return true
	}
	if l.After.Runs >= proven { // it is the measure of the next one
		l.Good, l.Before, l.After = l.Now, l.After, Rate{}
	}
	return false
}

// later tells whether a version was made after another: its number is higher.
func later(version, than string) bool {
	return len(version) > len(than) || len(version) == len(than) && version > than
}

// RolledBack: the version that fell is not in use any more.
func (l *Lessons) RolledBack(now string) {
	l.Worse, l.Good, l.Now, l.After = l.Now, now, now, Rate{}
	l.Owed, l.Return = false, ""
}

// leastRuns is how many runs have to speak against a version: a single one says nothing,
// however well everything went before.
const leastRuns = 2

// Fell tells whether the share of successes is lower by more than so many points, and
// whether chance is an unlikely reason: Fisher's exact test, one-sided, since the
// counts are small.
func Fell(before, after Rate, points int, significance float64) bool {
	if before.Runs == 0 || after.Runs < leastRuns {
		return false
	}
	if 100*(before.Share()-after.Share()) <= float64(points)+1e-9 {
		return false
	}
	return chance(before, after) < significance
}

// chance is the probability of as few successes after as were seen, or fewer, if
// before and after do not differ: the lower tail of the hypergeometric distribution.
func chance(before, after Rate) float64 {
	all, good := before.Runs+after.Runs, before.Successes+after.Successes
	p := 0.0
	for k := max(0, after.Runs-(all-good)); k <= after.Successes; k++ {
		p += math.Exp(choose(good, k) + choose(all-good, after.Runs-k) - choose(all, after.Runs))
	}
	return min(p, 1)
}

// choose is the logarithm of n over k.
func choose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
