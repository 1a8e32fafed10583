package queue

import (
	"strings"
	"testing"
	"time"

	"example.com/dispatch/job"
)

func at(hour int) time.Time { return time.Date(2024, 3, 5, hour, 0, 0, 0, time.UTC) }

func mk(id string, urgency job.Urgency, due time.Time) job.Job {
	return job.Job{ID: id, Urgency: urgency, Due: due, Takes: time.Hour}
}

func order(t *testing.T, jobs ...job.Job) string {
	t.Helper()
	q, err := New(jobs...)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, j := range q.List() {
		ids = append(ids, j.ID)
	}
	return strings.Join(ids, " ")
}

func TestOrderByUrgency(t *testing.T) {
	none := time.Time{}
	got := order(t, mk("a", job.Routine, none), mk("b", job.Emergency, none), mk("c", job.Soon, none))
	if got != "b c a" {
		t.Errorf("got %s", got)
	}
}

func TestOrderByDue(t *testing.T) {
	got := order(t, mk("a", job.Soon, at(15)), mk("b", job.Soon, at(9)), mk("c", job.Soon, at(12)))
	if got != "b c a" {
		t.Errorf("got %s", got)
	}
}

func TestOrderByUrgencyThenDue(t *testing.T) {
	got := order(t, mk("a", job.Routine, at(8)), mk("b", job.Urgent, at(16)), mk("c", job.Urgent, at(10)))
	if got != "c b a" {
		t.Errorf("got %s", got)
	}
}

func TestNoDueComesLast(t *testing.T) {
	got := order(t, mk("a", job.Soon, time.Time{}), mk("b", job.Soon, at(9)))
	if got != "b a" {
		t.Errorf("got %s", got)
	}
}

func TestEqualJobsKeepTheirOrder(t *testing.T) {
	got := order(t, mk("a", job.Soon, at(9)), mk("b", job.Soon, at(9)), mk("c", job.Soon, at(9)))
	if got != "a b c" {
		t.Errorf("got %s", got)
	}
}

func TestAddTwice(t *testing.T) {
	if _, err := New(mk("a", job.Soon, at(9)), mk("a", job.Soon, at(9))); err == nil {
		t.Error("no error")
	}
}

func TestTakeRemoves(t *testing.T) {
	q, _ := New(mk("a", job.Soon, at(9)), mk("b", job.Soon, at(10)))
	j, ok := q.Take(func(j job.Job) bool { return j.ID == "b" })
	if !ok || j.ID != "b" || q.Len() != 1 {
		t.Errorf("got %v, %v", j, ok)
	}
	if err := q.Add(j); err != nil {
		t.Error(err)
	}
}

func TestTakeNothing(t *testing.T) {
	q, _ := New()
	if _, ok := q.Take(func(job.Job) bool { return true }); ok {
		t.Error("took something")
	}
}
