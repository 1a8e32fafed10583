package routes_test

import (
	"fmt"
	"testing"

	"ferries/network"
	"ferries/routes"
)

// row gives a way of n harbours from A that ends in D.
func row(t *testing.T, net *network.Network, n int) {
	t.Helper()
	at := "A"
	for i := 1; i <= n; i++ {
		next := fmt.Sprintf("m%d", i)
		add(t, net, at, next)
		at = next
	}
	add(t, net, at, "D")
}

func add(t *testing.T, net *network.Network, from, to string) {
	t.Helper()
	if err := net.Add(network.Hop{From: from, To: to, Minutes: 10, Fare: 1}); err != nil {
		t.Fatal(err)
	}
}

func connected(t *testing.T, journeys []routes.Journey, from, to string) {
	t.Helper()
	seen := map[string]bool{}
	for _, journey := range journeys {
		if seen[journey.String()] {
			t.Errorf("twice: %s", journey)
		}
		seen[journey.String()] = true
		at := from
		for _, hop := range journey.Hops {
			if hop.From != at {
				t.Errorf("gap in %v", journey.Hops)
			}
			at = hop.To
		}
		if at != to {
			t.Errorf("%v does not end in %s", journey.Hops, to)
		}
	}
}

func TestManyWaysAfterRowsOfAnyLength(t *testing.T) {
	for n := 0; n <= 12; n++ {
		for ways := 1; ways <= 4; ways++ {
			net := network.New()
			row(t, net, n)
			for i := 0; i < ways; i++ {
				add(t, net, "D", fmt.Sprintf("w%d", i))
				add(t, net, fmt.Sprintf("w%d", i), "Z")
			}
			got := routes.All(net, "A", "Z", 20)
			if len(got) != ways {
				t.Errorf("row of %d, %d ways: got %d", n, ways, len(got))
			}
			connected(t, got, "A", "Z")
		}
	}
}

func TestManyWaysStraightToTheGoal(t *testing.T) {
	for n := 0; n <= 9; n++ {
		net := network.New()
		row(t, net, n)
		for fare := 1; fare <= 3; fare++ {
			if err := net.Add(network.Hop{From: "D", To: "Z", Minutes: 10 * fare, Fare: 9 - fare}); err != nil {
				t.Fatal(err)
			}
		}
		got := routes.All(net, "A", "Z", 20)
		if len(got) != 3 {
			t.Fatalf("row of %d: got %d", n, len(got))
		}
		for i, journey := range got {
			if last := journey.Hops[len(journey.Hops)-1]; last.Minutes != 10*(i+1) || last.Fare != 8-i {
				t.Errorf("row of %d: journey %d ends with %v", n, i, last)
			}
		}
	}
}

func TestMesh(t *testing.T) {
	net := network.New()
	all := []string{"A", "B", "C", "D", "E", "F", "G"}
	for i, from := range all {
		for _, to := range all[i+1:] {
			if err := net.AddBoth(network.Hop{From: from, To: to, Minutes: 5}); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := routes.All(net, "A", "G", 6)
	// 1 + 5 + 5*4 + 5*4*3 + 5*4*3*2 + 5*4*3*2*1
	if len(got) != 326 {
		t.Errorf("got %d", len(got))
	}
	connected(t, got, "A", "G")
}

func TestLimitIsInclusive(t *testing.T) {
	net := mustParse(t, fork)
	if got := routes.All(net, "A", "Z", 7); len(got) != 2 {
		t.Errorf("got %v", got)
	}
	if got := routes.All(net, "A", "Z", 6); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestFaresOfForks(t *testing.T) {
	net := mustParse(t, "A > B 1 1\nB > C 1 1\nC > D 1 1\nD > E 1 1\nE > F 1 1\nF > X 1 5\nF > Y 2 1\nX > Z 1 1\nY > Z 1 1\n")
	cheap, _ := routes.Cheapest(net, "A", "Z")
	fast, _ := routes.Fastest(net, "A", "Z")
	if cheap.Fare() != 7 || !cheap.Via("Y") || fast.Fare() != 11 || !fast.Via("X") {
		t.Errorf("got %v and %v", cheap, fast)
	}
}

func TestResultsAreIndependent(t *testing.T) {
	net := mustParse(t, fork)
	first := routes.All(net, "A", "Z", 8)
	first[0].Hops[0].Minutes = 99
	first[0].Hops = append(first[0].Hops[:3], network.Hop{From: "D", To: "Q"})
	if first[1].Minutes() != 80 || first[1].String() != "A > B > C > D > E > F > Y > Z" {
		t.Errorf("got %v", first[1])
	}
	if again := routes.All(net, "A", "Z", 8); again[0].Minutes() != 70 {
		t.Errorf("got %v", again[0])
	}
}

func TestNetworkIsNotChanged(t *testing.T) {
	net := mustParse(t, fork)
	routes.All(net, "A", "Z", 8)
	wantNames(t, routes.All(net, "B", "Y", 6), "B > C > D > E > F > Y")
	if got := net.From("F"); len(got) != 2 || got[0].To != "X" || got[1].To != "Y" {
		t.Errorf("got %v", got)
	}
}
