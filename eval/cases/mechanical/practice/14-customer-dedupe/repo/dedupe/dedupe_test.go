package dedupe

import (
	"reflect"
	"testing"
	"time"

	"example.com/dedupe/record"
)

func on(day int) time.Time { return time.Date(2024, 6, day, 0, 0, 0, 0, time.UTC) }

func ids(groups [][]record.Customer) [][]int {
	var out [][]int
	for _, group := range groups {
		var members []int
		for _, c := range group {
			members = append(members, c.ID)
		}
		out = append(out, members)
	}
	return out
}

func TestMatchNobody(t *testing.T) {
	got := ids(Match([]record.Customer{{ID: 1, Email: "a@x.org"}, {ID: 2, Email: "b@x.org"}, {ID: 3}}))
	if !reflect.DeepEqual(got, [][]int{{1}, {2}, {3}}) {
		t.Errorf("got %v", got)
	}
}

func TestMatchByEmail(t *testing.T) {
	got := ids(Match([]record.Customer{{ID: 1, Email: "a@x.org"}, {ID: 2, Email: "b@x.org"}, {ID: 3, Email: "A+shop@x.org"}}))
	if !reflect.DeepEqual(got, [][]int{{1, 3}, {2}}) {
		t.Errorf("got %v", got)
	}
}

func TestMatchByPhone(t *testing.T) {
	got := ids(Match([]record.Customer{{ID: 1, Phone: "+44 20 7946 0000"}, {ID: 2, Phone: "0044-20-79460000"}}))
	if !reflect.DeepEqual(got, [][]int{{1, 2}}) {
		t.Errorf("got %v", got)
	}
}

func TestMatchByWayOfAThirdRecord(t *testing.T) {
	got := ids(Match([]record.Customer{
		{ID: 1, Email: "ada@x.org"},
		{ID: 2, Phone: "020 7946 0000"},
		{ID: 3, Email: "ada@x.org", Phone: "020 7946 0000"},
	}))
	if !reflect.DeepEqual(got, [][]int{{1, 2, 3}}) {
		t.Errorf("got %v", got)
	}
}

func TestMatchEmptyFieldsDoNotMatch(t *testing.T) {
	got := ids(Match([]record.Customer{{ID: 1, Name: "Ada"}, {ID: 2, Name: "Ada"}}))
	if !reflect.DeepEqual(got, [][]int{{1}, {2}}) {
		t.Errorf("got %v", got)
	}
}

func TestMergeTakesTheNewestValues(t *testing.T) {
	got := Merge([]record.Customer{
		{ID: 7, Name: "A. Lovelace", Email: "ada@x.org", Updated: on(9)},
		{ID: 4, Name: "Ada Byron", Phone: "020 7946 0000", Updated: on(2)},
	})
	want := Merged{record.Customer{ID: 4, Name: "A. Lovelace", Email: "ada@x.org", Phone: "020 7946 0000", Updated: on(9)}, []int{7, 4}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestMergeSkipsEmptyValues(t *testing.T) {
	got := Merge([]record.Customer{
		{ID: 1, Name: "Ada", Email: "ada@x.org", Updated: on(1)},
		{ID: 2, Email: "ada@y.org", Updated: on(5)},
	})
	if got.Name != "Ada" || got.Email != "ada@y.org" {
		t.Errorf("got %+v", got)
	}
}

func TestRunSinglesStayAsTheyAre(t *testing.T) {
	in := []record.Customer{{ID: 3, Name: "Ada", Email: "ada@x.org", Updated: on(1)}, {ID: 5, Name: "Bob", Updated: on(2)}}
	got := Run(in)
	if len(got) != 2 || got[0].Customer != in[0] || got[1].Customer != in[1] {
		t.Errorf("got %+v", got)
	}
}
