package plan

import (
	"reflect"
	"testing"
	"time"
)

func TestMakeGoesByUrgencyThenDue(t *testing.T) {
	q := jobs(t,
		"r; routine; 2024-03-05 08:00; 1h;",
		"s; soon; 2024-03-05 09:00; 1h;",
		"u2; urgent; -; 1h;",
		"u1; urgent; 2024-03-06 12:00; 1h;",
	)
	got := Make(q, []Engineer{{Name: "Ann", Day: 3 * time.Hour}})
	if !reflect.DeepEqual(got[0].Jobs, []string{"u1", "u2", "s"}) {
		t.Errorf("got %v", got)
	}
}
