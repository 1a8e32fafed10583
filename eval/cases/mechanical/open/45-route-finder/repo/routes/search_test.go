package routes_test

import (
	"reflect"
	"testing"

	"ferries/network"
	"ferries/routes"
	"ferries/text"
)

func mustParse(t *testing.T, content string) *network.Network {
	t.Helper()
	net, err := text.ParseNetwork(content)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func names(journeys []routes.Journey) []string {
	var result []string
	for _, journey := range journeys {
		result = append(result, journey.String())
	}
	return result
}

func wantNames(t *testing.T, got []routes.Journey, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(names(got), want) {
		t.Errorf("got %q, want %q", names(got), want)
	}
}

const small = "A - B 35 5\nB > C 50 2\nA - C 120 4\n"

// A row of harbours that parts at its end.
const fork = "A > B 10\nB > C 10\nC > D 10\nD > E 10\nE > F 10\nF > X 10\nF > Y 20\nX > Z 10\nY > Z 10\n"

func TestDirectAndWithChange(t *testing.T) {
	wantNames(t, routes.All(mustParse(t, small), "A", "C", 6), "A > B > C", "A > C")
}

func TestOneWay(t *testing.T) {
	wantNames(t, routes.All(mustParse(t, small), "C", "B", 6), "C > A > B")
}

func TestLimit(t *testing.T) {
	wantNames(t, routes.All(mustParse(t, small), "A", "C", 1), "A > C")
}

func TestUnknownHarbour(t *testing.T) {
	if got := routes.All(mustParse(t, small), "A", "Q", 6); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestSameHarbour(t *testing.T) {
	if got := routes.All(mustParse(t, small), "A", "A", 6); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestForkAtTheEnd(t *testing.T) {
	wantNames(t, routes.All(mustParse(t, fork), "A", "Z", 8), "A > B > C > D > E > F > X > Z", "A > B > C > D > E > F > Y > Z")
}

func TestForkEarly(t *testing.T) {
	net := mustParse(t, "A > B 10\nB > C 10\nC > D 10\nC > E 15\nD > Z 10\nE > Z 10\n")
	wantNames(t, routes.All(net, "A", "Z", 6), "A > B > C > D > Z", "A > B > C > E > Z")
}

func TestCheapest(t *testing.T) {
	got, ok := routes.Cheapest(mustParse(t, small), "A", "C")
	if !ok || got.Fare() != 4 {
		t.Errorf("got %v", got)
	}
}

func TestCheapestOfAFork(t *testing.T) {
	net := mustParse(t, "A > B 1\nB > C 1\nC > D 1\nD > E 1\nE > F 1\nF > X 1 1\nF > Y 2 5\nX > Z 1\nY > Z 1\n")
	got, _ := routes.Cheapest(net, "A", "Z")
	if got.Fare() != 1 || !got.Via("X") {
		t.Errorf("got %v for %d", got, got.Fare())
	}
}

func TestFastest(t *testing.T) {
	got, ok := routes.Fastest(mustParse(t, small), "A", "C")
	if !ok || got.Minutes() != 85 {
		t.Errorf("got %v", got)
	}
	if _, ok := routes.Fastest(mustParse(t, "A > B 1\n"), "B", "A"); ok {
		t.Error("found a way back")
	}
}

func TestAvoiding(t *testing.T) {
	all := routes.All(mustParse(t, small), "A", "C", 6)
	wantNames(t, routes.Avoiding(all, "B"), "A > C")
}
