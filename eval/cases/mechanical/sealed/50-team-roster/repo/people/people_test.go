package people

import "testing"

func TestParse(t *testing.T) {
	list, err := Parse("id;name;role;days;boss\n 4 ; Ann ;; 12 ; 3\n")
	if err != nil || len(list) != 1 || list[0] != (Person{ID: 4, Name: "Ann", Days: 12, Boss: 3}) {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestBadLines(t *testing.T) {
	for _, line := range []string{"1;A;;0", "0;A;;0;", "1;;;0;", "1;A;;x;", "1;A;;0;-1"} {
		if _, err := Parse(line); err == nil {
			t.Errorf("no error for %q", line)
		}
	}
}

func TestLabel(t *testing.T) {
	if got := (Person{Name: "A", Role: "b"}).Label(); got != "A (b)" {
		t.Errorf("got %q", got)
	}
}
