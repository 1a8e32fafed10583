package leave

import (
	"testing"

	"roster/chart"
	"roster/people"
)

func TestBookForOne(t *testing.T) {
	c, err := chart.Build([]people.Person{{ID: 1, Name: "A", Days: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if err := Book(c, 1, 3); err != nil || c.Person(1).Days != 2 || Left(c, 1) != 2 {
		t.Errorf("got %v, %d", err, c.Person(1).Days)
	}
	if Book(c, 1, 3) == nil || Book(c, 1, 0) == nil || Book(c, 2, 1) == nil {
		t.Error("no error")
	}
}
