package chart_test

import (
	"fmt"
	"reflect"
	"testing"

	"roster/chart"
	"roster/leave"
	"roster/people"
)

func flat(n int) []people.Person {
	list := []people.Person{{ID: 100, Name: "top", Days: 9}}
	for i := 1; i <= n; i++ {
		list = append(list, people.Person{ID: i, Name: fmt.Sprintf("p%02d", i), Days: i, Boss: 100})
	}
	return list
}

func build(t *testing.T, list []people.Person) *chart.Chart {
	t.Helper()
	c, err := chart.Build(list)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEverybodyIsFound(t *testing.T) {
	for n := 0; n < 10; n++ {
		list := flat(n)
		c := build(t, list)
		for _, want := range list {
			if got := c.Person(want.ID); got == nil || *got != want {
				t.Errorf("%d of %d: got %v", want.ID, n, got)
			}
		}
	}
}

func TestPointersAreOfDifferentPeople(t *testing.T) {
	c := build(t, flat(5))
	seen := map[*people.Person]bool{c.Person(100): true}
	for _, id := range c.Reports(100) {
		person := c.Person(id)
		if seen[person] {
			t.Errorf("twice: %v", person)
		}
		seen[person] = true
	}
}

func TestPointersAreStable(t *testing.T) {
	c := build(t, flat(3))
	if c.Person(2) != c.Person(2) || c.Person(c.Reports(100)[1]) != c.Person(2) {
		t.Error("different pointers for one person")
	}
	c.Person(2).Name = "a first"
	if got := c.Reports(100)[0]; got != 2 {
		t.Errorf("got %d", got)
	}
}

func TestBookingChangesOnePerson(t *testing.T) {
	c := build(t, flat(4))
	if err := leave.Book(c, 3, 2); err != nil {
		t.Fatal(err)
	}
	got := []int{c.Person(100).Days, c.Person(1).Days, c.Person(2).Days, c.Person(3).Days, c.Person(4).Days}
	if !reflect.DeepEqual(got, []int{9, 1, 2, 1, 4}) {
		t.Errorf("got %v", got)
	}
	if left := leave.Left(c, 100); left != 17 {
		t.Errorf("left %d", left)
	}
}

func TestGrantCountsOnceForEach(t *testing.T) {
	c := build(t, flat(4))
	leave.Grant(c, 100, 10)
	if left := leave.Left(c, 100); left != 9+10+50 {
		t.Errorf("left %d", left)
	}
}

func TestListIsLeftAlone(t *testing.T) {
	list := flat(2)
	c := build(t, list)
	leave.Grant(c, 100, 10)
	c.Person(1).Name = "new"
	if !reflect.DeepEqual(list, flat(2)) {
		t.Errorf("got %v", list)
	}
	list[1].Name = "other"
	if c.Person(1).Name != "new" {
		t.Errorf("got %v", c.Person(1))
	}
}

func TestTwoChartsOfOneList(t *testing.T) {
	list := flat(2)
	a, b := build(t, list), build(t, list)
	leave.Grant(a, 100, 1)
	if leave.Left(a, 100) != 15 || leave.Left(b, 100) != 12 {
		t.Errorf("got %d and %d", leave.Left(a, 100), leave.Left(b, 100))
	}
}

func TestChains(t *testing.T) {
	c := build(t, []people.Person{{ID: 1, Name: "a"}, {ID: 2, Name: "b", Boss: 1}, {ID: 3, Name: "c", Boss: 2}, {ID: 4, Name: "d"}})
	if got := c.Chain(3); !reflect.DeepEqual(got, []int{3, 2, 1}) {
		t.Errorf("got %v", got)
	}
	if c.Common(3, 4) != 0 || c.Common(3, 3) != 3 || c.Common(1, 3) != 1 {
		t.Error("wrong common boss")
	}
	if got := c.Text(); got != "a\n  b\n    c\nd\n" {
		t.Errorf("got %q", got)
	}
}

func TestBossAfterTheReports(t *testing.T) {
	c := build(t, []people.Person{{ID: 3, Name: "c", Boss: 2}, {ID: 2, Name: "b", Boss: 1}, {ID: 1, Name: "a"}})
	if got := c.Team(1); !reflect.DeepEqual(got, []int{1, 2, 3}) || c.Person(2).Name != "b" {
		t.Errorf("got %v", got)
	}
}
