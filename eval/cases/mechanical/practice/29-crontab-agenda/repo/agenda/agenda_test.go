package agenda

import (
	"strings"
	"testing"

	"agenda/civil"
)

func at(t *testing.T, s string) civil.Moment {
	t.Helper()
	m, err := civil.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParseTable(t *testing.T) {
	jobs, err := ParseTable("# jobs\n0 9 * * 1-5 backup\n\n@daily cleanup\n")
	if err != nil || len(jobs) != 2 || jobs[1].Name != "cleanup" {
		t.Fatalf("%v %v", jobs, err)
	}
}

func TestParseTableError(t *testing.T) {
	_, err := ParseTable("@daily a\n0 9 * * backup")
	if err == nil || !strings.HasPrefix(err.Error(), "line 2") {
		t.Fatalf("got %v", err)
	}
}

func TestBetween(t *testing.T) {
	jobs, _ := ParseTable("0 */6 * * * six\n30 6 * * * once")
	runs := Between(jobs, at(t, "2024-06-03 00:00"), at(t, "2024-06-03 12:00"))
	var got []string
	for _, r := range runs {
		got = append(got, r.Name)
	}
	if strings.Join(got, " ") != "six once six" {
		t.Fatalf("got %v", got)
	}
}

func TestUpcomingMixed(t *testing.T) {
	jobs, _ := ParseTable("0 3 15 * * bill\n10 10 * * * tea")
	want := "2024-06-03 10:10  tea\n2024-06-15 03:00  bill\n"
	if got := Upcoming(jobs, at(t, "2024-06-03 09:45")); got != want {
		t.Fatalf("got\n%s", got)
	}
}
