package plan

import (
	"reflect"
	"testing"
	"time"

	"example.com/dispatch/job"
	"example.com/dispatch/queue"
)

func jobs(t *testing.T, lines ...string) *queue.Queue {
	t.Helper()
	q, _ := queue.New()
	for _, line := range lines {
		j, err := job.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Add(j); err != nil {
			t.Fatal(err)
		}
	}
	return q
}

func TestMakeTakesTurns(t *testing.T) {
	q := jobs(t, "a; soon; -; 1h;", "b; soon; -; 1h;", "c; soon; -; 1h;")
	got := Make(q, []Engineer{{Name: "Ann", Day: 8 * time.Hour}, {Name: "Ben", Day: 8 * time.Hour}})
	want := []Assignment{{"Ann", []string{"a", "c"}, 2 * time.Hour}, {"Ben", []string{"b"}, time.Hour}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestMakeNeedsSkills(t *testing.T) {
	q := jobs(t, "a; soon; -; 1h; gas", "b; soon; -; 1h;")
	got := Make(q, []Engineer{{Name: "Ann", Day: 8 * time.Hour}})
	if !reflect.DeepEqual(got[0].Jobs, []string{"b"}) || q.Len() != 1 {
		t.Errorf("got %v", got)
	}
}

func TestMakeStopsAtTheEndOfTheDay(t *testing.T) {
	q := jobs(t, "a; urgent; -; 3h;", "b; soon; -; 2h;", "c; routine; -; 1h;")
	got := Make(q, []Engineer{{Name: "Ann", Day: 4 * time.Hour}})
	if !reflect.DeepEqual(got[0].Jobs, []string{"a", "c"}) || got[0].Busy != 4*time.Hour {
		t.Errorf("got %v", got)
	}
}

func TestMakeEmergencyFirst(t *testing.T) {
	q := jobs(t, "leak; emergency; 2024-03-05 17:00; 1h;", "meter; routine; 2024-03-05 09:00; 1h;")
	got := Make(q, []Engineer{{Name: "Ann", Day: 8 * time.Hour}})
	if !reflect.DeepEqual(got[0].Jobs, []string{"leak", "meter"}) {
		t.Errorf("got %v", got)
	}
}
