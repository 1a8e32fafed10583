package text

import (
	"reflect"
	"testing"

	"ferries/routes"
)

func TestHarbours(t *testing.T) {
	net, err := ParseNetwork("# north\nB - A 10\n\nB > C 5 3\n")
	if err != nil || !reflect.DeepEqual(net.Harbours(), []string{"A", "B", "C"}) {
		t.Errorf("got %v, %v", net, err)
	}
}

func TestBadLines(t *testing.T) {
	for _, line := range []string{"A - B", "A = B 5", "A - B x", "A - A 5", "A > B 0", "A > B 5 -1"} {
		if _, err := ParseNetwork(line); err == nil {
			t.Errorf("no error for %q", line)
		}
	}
}

func TestTable(t *testing.T) {
	net, _ := ParseNetwork("A > B 65 12\n")
	if got := Table(routes.All(net, "A", "B", 6)); got != " 1:05    12  A > B\n" {
		t.Errorf("got %q", got)
	}
	if got := Table(nil); got != "no journey\n" {
		t.Errorf("got %q", got)
	}
}
