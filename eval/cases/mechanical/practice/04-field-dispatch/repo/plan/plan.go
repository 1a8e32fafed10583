// Package plan fills the day of the engineers.
package plan

import (
	"time"

	"example.com/dispatch/job"
	"example.com/dispatch/queue"
)

// Engineer is somebody with skills and a working day of some length.
type Engineer struct {
	Name   string
	Skills map[string]bool
	Day    time.Duration
}

func (e Engineer) can(j job.Job) bool {
	for _, skill := range j.Skills {
		if !e.Skills[skill] {
			return false
		}
	}
	return true
}

// Assignment is what one engineer does, in order.
type Assignment struct {
	Engineer string
	Jobs     []string
	Busy     time.Duration
}

// Make takes jobs from the queue in turns, one job per engineer and turn, for
// as long as somebody finds one that fits skills and time.
func Make(q *queue.Queue, engineers []Engineer) []Assignment {
	plan := make([]Assignment, len(engineers))
	for i, e := range engineers {
		plan[i].Engineer = e.Name
	}
	for progress := true; progress; {
		progress = false
		for i, e := range engineers {
			left := e.Day - plan[i].Busy
			j, ok := q.Take(func(j job.Job) bool { return j.Takes <= left && e.can(j) })
			if !ok {
				continue
			}
			plan[i].Jobs = append(plan[i].Jobs, j.ID)
			plan[i].Busy += j.Takes
			progress = true
		}
	}
	return plan
}
