// Package queue holds the jobs that wait to be handed out.
package queue

import (
	"fmt"
	"sort"

	"example.com/dispatch/job"
)

// Queue is an ordered list of jobs. Jobs of equal rank keep the order in
// which they came in.
type Queue struct {
	jobs []job.Job
	ids  map[string]bool
}

// New makes a queue of jobs.
func New(jobs ...job.Job) (*Queue, error) {
	q := &Queue{ids: map[string]bool{}}
	for _, j := range jobs {
		if err := q.Add(j); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// Add files one more job.
func (q *Queue) Add(j job.Job) error {
	if err := j.Validate(); err != nil {
		return err
	}
	if q.ids[j.ID] {
		return fmt.Errorf("queue: %s is queued already", j.ID)
	}
	q.ids[j.ID] = true
	q.jobs = append(q.jobs, j)
	sort.SliceStable(q.jobs, func(i, k int) bool { return before(q.jobs[i], q.jobs[k]) })
	return nil
}

// Len is the number of jobs that wait.
func (q *Queue) Len() int { return len(q.jobs) }

// List returns the jobs in order.
func (q *Queue) List() []job.Job { return append([]job.Job(nil), q.jobs...) }

// Take removes and returns the first job that fits.
func (q *Queue) Take(fits func(job.Job) bool) (job.Job, bool) {
	for i, j := range q.jobs {
		if fits(j) {
			q.jobs = append(q.jobs[:i], q.jobs[i+1:]...)
			delete(q.ids, j.ID)
			return j, true
		}
	}
	return job.Job{}, false
}
