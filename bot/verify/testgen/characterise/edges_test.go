package characterise

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code"
)

// drawnValue is any literal that the drivers could tell of.
func drawnValue(t *rapid.T, depth int) value {
	kinds := []string{"nil", "bool", "int", "float", "str", "raw"}
	if depth > 0 {
		kinds = append(kinds, "list", "tuple", "set", "map")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "nil":
		return value{Kind: kind, Text: "None"}
	case "bool":
		return value{Kind: kind, Text: rapid.SampledFrom([]string{"True", "False"}).Draw(t, "bool")}
	case "int":
		return value{Kind: kind, Text: rapid.StringMatching(`-?[1-9][0-9]{0,4}|0`).Draw(t, "int")}
	case "float":
		return value{Kind: kind, Text: rapid.StringMatching(`-?[0-9]{1,3}\.[0-9]`).Draw(t, "float")}
	case "str":
		raw := rapid.StringMatching(`[a-z' "\\é]{0,6}`).Draw(t, "str")
		return value{Kind: kind, Raw: raw, Text: quote(raw, code.Python)}
	case "raw":
		return value{Kind: kind, Text: "b'x'"}
	default:
		around := map[string][2]string{"list": {"[", "]"}, "tuple": {"(", ")"}, "set": {"{", "}"}, "map": {"{", "}"}}[kind]
		v := value{Kind: kind, Open: around[0], Close: around[1]}
		for i := range rapid.IntRange(0, 3).Draw(t, "parts") {
			p := drawnValue(t, depth-1)
			if kind == "map" {
				p.Prefix = quote(strings.Repeat("k", i+1), code.Python) + ": "
			}
			v.Parts = append(v.Parts, p)
		}
		return v
	}
}

func TestC5EachEdgeIsAnotherLiteralAndLeavesTheFirstAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := &target{lang: code.Python, numbers: []string{"7", "2.5"}, texts: []string{"word"}}
		v := drawnValue(t, 2)
		before := text(v, code.Python)
		for _, ch := range changes(v, one, 2) {
			if ch.words == "" {
				t.Fatalf("a change of %s has no words", before)
			}
			src := "x = " + text(ch.value, code.Python) + "\n"
			tree, err := code.Parse(t.Context(), code.Python, []byte(src))
			if err != nil || tree.HasError() {
				t.Fatalf("%s does not parse: %v", src, err)
			}
		}
		if text(v, code.Python) != before {
			t.Fatalf("%s became %s", before, text(v, code.Python))
		}
	})
}

func TestC5InputsAreBoundedDistinctAndBeginWithWhatWasSeen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := &target{lang: code.Python, numbers: []string{"7"}}
		one.Name = "f"
		var seen []record
		for range rapid.IntRange(1, 4).Draw(t, "seen") {
			var r record
			for range rapid.IntRange(0, 3).Draw(t, "args") {
				r.Args = append(r.Args, drawnValue(t, 2))
			}
			seen = append(seen, r)
		}
		list := inputs(one, seen, 1)
		if len(list) == 0 || len(list) > maxCalls || list[0].edge != "" {
			t.Fatalf("%d inputs, the first %q", len(list), list[0].edge)
		}
		keys := []string{}
		for _, c := range list {
			if slices.Contains(keys, c.key()) {
				t.Fatalf("%s twice", c.key())
			}
			keys = append(keys, c.key())
		}
	})
}

func TestC5WhatACallLeavesAtItsDefaultIsGiven(t *testing.T) {
	t.Parallel()
	src := "def ship(weight, express=False, zone: int = 3, *, note='x', to=None):\n    return weight\n"
	all, err := code.Callables(t.Context(), "m.py", []byte(src))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v %+v", err, all)
	}
	one := &target{Callable: all[0], lang: code.Python}
	weight := value{Kind: "int", Text: "5"}
	for _, tc := range []struct {
		args []value
		want []string
	}{
		{[]value{weight}, []string{"ship(5, express=True)", "ship(5, zone=0)", "ship(5, note=\"\")"}},
		{[]value{weight, {Kind: "bool", Text: "True"}}, []string{"ship(5, True, zone=0)", "ship(5, True, note=\"\")"}},
		{[]value{weight, {Kind: "int", Text: "4", Prefix: "zone="}}, []string{"ship(5, zone=4, express=True)", "ship(5, zone=4, note=\"\")"}},
	} {
		var got []string
		for _, c := range one.left(record{Args: tc.args}) {
			got = append(got, c.write(false).call)
		}
		for _, want := range tc.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q lacks %s", got, want)
			}
		}
		for _, call := range got {
			for name, is := range map[string]bool{"to=": false, "express=": len(tc.args) == 1 || tc.args[1].Prefix != ""} {
				if strings.Contains(call, name) && !is {
					t.Errorf("%s gives %s", call, name)
				}
			}
		}
	}
	if got := accented("1 ana"); got != "1 éna" {
		t.Errorf("accented: %s", got)
	}
}
