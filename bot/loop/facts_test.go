package loop

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

func TestM9OnlyCallsOfWhatIsShownAreTold(t *testing.T) {
	t.Parallel()
	f := facts{Times: 9, Calls: []seenCall{
		{"a.js", 3, "whole('x') gave 1", false, false}, {"b.js", 5, "shown('x') gave 2", false, false}, {"b.js", 5, "shown('y') gave 3", false, false}, {"b.js", 5, "shown('z') gave 4", false, false},
		{"b.js", 30, "elsewhere('x') gave 5", false, false}, {"c.js", 1, "thrower('x') raised TypeError", true, false},
	}}
	got := f.near(agent.Shown{Code: []agent.Text{{Path: "a.js", Start: 1, End: 90}, {Path: "b.js", ID: "function:shown@1", Start: 5, End: 9}, {Path: "c.js", Top: true, Start: 1, End: 3}}})
	want := "whole('x') gave 1   [a.js:3]\nshown('y') gave 3   [b.js:5]\nshown('z') gave 4\nthrower('x') raised TypeError   [c.js:1]\n(5 calls more: "
	if !strings.HasPrefix(got, want) {
		t.Errorf("told\n%s", got)
	}
	if got := f.near(agent.Shown{}); !strings.HasPrefix(got, "thrower") {
		t.Errorf("told\n%s", got)
	}
}

// What an attempt changed that mended a part is seen by the next one, as what was read is;
// what changed nothing for the better is not.
func TestM9WhatAPartlyRightAttemptChangedIsShownToTheNext(t *testing.T) {
	t.Parallel()
	at := []task.RegionRef{{Path: "a.py", ID: "function:f@1"}}
	got := lookedBefore([]task.Attempt{
		{Looked: []string{"b.py::g"}, Regions: []task.RegionRef{{Path: "a.py", ID: "function:wrong@2"}}},
		{Looked: []string{"b.py::g"}, Fixed: []string{"test_f"}, Regions: at},
		{On: []int{1}, Fixed: []string{"test_f"}, Regions: []task.RegionRef{{Path: "c.py", ID: "function:of_another_tree@3"}}},
	}, nil)
	if want := []string{"b.py::g", "a.py::function:f@1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Each function is told once before any of them twice, and what only makes an object is not.
func TestM9EachFunctionIsToldOnceBeforeAnyTwice(t *testing.T) {
	t.Parallel()
	calls := []characterise.Call{{Path: "a.js", Name: "Queue.constructor", Line: 1, Args: "Object {}", Gave: "undefined"}, {Path: "a.js", Name: "Delayed.put", Line: 50, Depth: 1, Args: "10", Gave: "undefined"}}
	for n := range mostCalls {
		for range 2 {
			calls = append(calls, characterise.Call{Path: "a.js", Name: fmt.Sprintf("f%d", n), Line: n + 2, Args: fmt.Sprint(len(calls)), Gave: "1"})
		}
	}
	got := (&real{}).describe(calls[:2*mostCalls], len(calls), nil).near(agent.Shown{Code: []agent.Text{{Path: "a.js", Start: 1, End: 90}}})
	if !strings.Contains(got, "Delayed.put(10)") || strings.Contains(got, "constructor") || strings.Count(got, "f0(") != 1 {
		t.Errorf("told\n%s", got)
	}
}

// Of many calls those are told that made what the assertion saw, and the last; the call
// that the test makes itself is not pushed out by those within it.
func TestM9OfALongTraceWhatMadeTheFailingValueIsTold(t *testing.T) {
	t.Parallel()
	var calls []characterise.Call
	for n := range 60 { // of other tests and of what is set up
		calls = append(calls, characterise.Call{Path: "shop.py", Name: fmt.Sprintf("load%d", n), Line: n + 1, Args: "1", Gave: fmt.Sprint(1000 + n)})
	}
	calls = append(calls, characterise.Call{Path: "shop.py", Name: "total", Line: 100, Args: "n=60", Gave: "199"})
	for n := range 60 {
		calls = append(calls, characterise.Call{Path: "shop.py", Name: "price", Line: 110, Depth: 1, Args: fmt.Sprint(n), Gave: fmt.Sprint(n)})
	}
	f := (&real{}).describe(calls, 5000, []string{"199"})
	if len(f.Calls) != mostSeen || f.Times != 5000 {
		t.Fatalf("%d calls of %d", len(f.Calls), f.Times)
	}
	got := f.near(agent.Shown{Code: []agent.Text{{Path: "shop.py", Start: 1, End: 200}}})
	if !strings.Contains(got, "total(n=60) gave 199   [shop.py:100]\n") || strings.Contains(got, "load0(") || !strings.Contains(got, "load59(") || !strings.Contains(got, "(4988 calls more") {
		t.Errorf("told\n%s", got)
	}
	f = (&real{}).describe(calls[60:], 61, []string{"199"})
	if got = f.near(agent.Shown{Code: []agent.Text{{Path: "shop.py", Start: 1, End: 200}}}); !strings.HasPrefix(got, "total(n=60) gave 199") || !strings.Contains(got, "\n  price(59) gave 59\n") {
		t.Errorf("told\n%s", got)
	}
}
