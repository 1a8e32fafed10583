package chart

import (
	"reflect"
	"strings"
	"testing"

	"roster/people"
)

const list = "id;name;role;days;boss\n1;Ann;director;30;\n2;Bo;editor;20;1\n3;Cy;;10;2\n4;Al;printer;25;1\n"

func mustBuild(t *testing.T, content string) *Chart {
	t.Helper()
	parsed, err := people.Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Build(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func wantError(t *testing.T, content, want string) {
	t.Helper()
	parsed, err := people.Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(parsed); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestSize(t *testing.T) {
	if got := mustBuild(t, list).Size(); got != 4 {
		t.Errorf("got %d", got)
	}
}

func TestText(t *testing.T) {
	want := "Ann (director)\n  Al (printer)\n  Bo (editor)\n    Cy\n"
	if got := mustBuild(t, list).Text(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestTeam(t *testing.T) {
	c := mustBuild(t, list)
	if got := c.Team(2); !reflect.DeepEqual(got, []int{2, 3}) {
		t.Errorf("got %v", got)
	}
	if got := c.Team(1); !reflect.DeepEqual(got, []int{1, 4, 2, 3}) {
		t.Errorf("got %v", got)
	}
	if got := c.Team(9); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestCommon(t *testing.T) {
	c := mustBuild(t, list)
	if got := c.Common(3, 4); got != 1 {
		t.Errorf("got %d", got)
	}
	if got := c.Common(3, 2); got != 2 {
		t.Errorf("got %d", got)
	}
}

func TestNobody(t *testing.T) {
	c := mustBuild(t, list)
	if c.Person(9) != nil || c.Chain(9) != nil || c.Reports(9) != nil {
		t.Error("found somebody")
	}
}

func TestOnePerson(t *testing.T) {
	c := mustBuild(t, "5;Ed;;3;\n")
	if c.Text() != "Ed\n" || c.Person(5).Days != 3 {
		t.Errorf("got %s", c.Text())
	}
}

func TestErrors(t *testing.T) {
	wantError(t, "1;A;;0;\n1;B;;0;\n", "used twice")
	wantError(t, "1;A;;0;\n2;B;;0;7\n", "B reports to unknown 7")
	wantError(t, "1;A;;0;\n2;B;;0;3\n3;C;;0;2\n", "2 people report in a ring")
}

func TestEmpty(t *testing.T) {
	if got := mustBuild(t, "").Text(); got != "" {
		t.Errorf("got %q", got)
	}
}
