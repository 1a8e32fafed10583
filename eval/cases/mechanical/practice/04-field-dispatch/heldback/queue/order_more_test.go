package queue

import (
	"testing"
	"time"

	"example.com/dispatch/job"
)

func TestOrderMore(t *testing.T) {
	none := time.Time{}
	for _, c := range []struct {
		name string
		jobs []job.Job
		want string
	}{
		{"urgent without due before routine with", []job.Job{mk("a", job.Routine, at(8)), mk("b", job.Urgent, none)}, "b a"},
		{"urgent late, routine early", []job.Job{mk("a", job.Urgent, at(20)), mk("b", job.Routine, at(8))}, "a b"},
		{"same due, other urgency", []job.Job{mk("a", job.Soon, at(8)), mk("b", job.Urgent, at(8))}, "b a"},
		{"same urgency, one without due", []job.Job{mk("a", job.Soon, none), mk("b", job.Soon, at(23))}, "b a"},
		{"none has a due time", []job.Job{mk("b", job.Soon, none), mk("a", job.Soon, none)}, "b a"},
		{"all ranks", []job.Job{
			mk("r1", job.Routine, at(1)), mk("s2", job.Soon, at(9)), mk("e1", job.Emergency, none),
			mk("u1", job.Urgent, at(12)), mk("s1", job.Soon, at(2)), mk("u2", job.Urgent, none), mk("r2", job.Routine, none),
		}, "e1 u1 u2 s1 s2 r1 r2"},
	} {
		if got := order(t, c.jobs...); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestBeforeIsAStrictOrder(t *testing.T) {
	var all []job.Job
	for u := job.Routine; u <= job.Emergency; u++ {
		all = append(all, mk("x", u, time.Time{}), mk("y", u, at(6)), mk("z", u, at(18)))
	}
	for _, a := range all {
		if before(a, a) {
			t.Errorf("%v before itself", a)
		}
		for _, b := range all {
			if before(a, b) && before(b, a) {
				t.Errorf("%v and %v are each before the other", a, b)
			}
			if a.Urgency > b.Urgency && !before(a, b) {
				t.Errorf("%v not before %v", a, b)
			}
		}
	}
}
