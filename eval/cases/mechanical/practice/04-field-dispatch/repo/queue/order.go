package queue

import (
	"time"

	"example.com/dispatch/job"
)

var never = time.Date(9999, 12, 31, 23, 59, 0, 0, time.UTC)

func deadline(j job.Job) time.Time {
	if j.Due.IsZero() {
		return never
	}
	return j.Due
}

// before reports whether a is handed out ahead of b.
func before(a, b job.Job) bool {
	return a.Urgency > b.Urgency || deadline(a).Before(deadline(b))
}
