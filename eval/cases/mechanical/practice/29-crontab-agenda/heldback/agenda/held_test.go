package agenda

import "testing"

func TestHeldWeekend(t *testing.T) {
	jobs, _ := ParseTable("0 9 * * 1-5 backup\n15 7 20 * * bill")
	runs := Between(jobs, at(t, "2024-06-15 13:20"), at(t, "2024-06-21 23:59"))
	want := []string{"2024-06-17 09:00", "2024-06-18 09:00", "2024-06-19 09:00", "2024-06-20 07:15", "2024-06-20 09:00", "2024-06-21 09:00"}
	if len(runs) != len(want) {
		t.Fatalf("got %v", runs)
	}
	for i, r := range runs {
		if r.At.String() != want[i] {
			t.Errorf("%d: got %v, want %s", i, r.At, want[i])
		}
	}
}
