package mend

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestR1WhatReadsLikeTheProjectIsLikelier(t *testing.T) {
	t.Parallel()
	var own strings.Builder
	for i := range 12 {
		fmt.Fprintf(&own, "def f%d(items, limit):\n    for i in range(len(items)):\n        if items[i] >= limit:\n            return i\n    return None\n\n\n", i)
	}
	buggy := "def g(items, limit):\n    for i in range(len(items)):\n        if items[i] >= items:\n            return i\n    return None\n"
	base := fstest.MapFS{"own.py": {Data: []byte(own.String())}, "a.py": {Data: []byte(buggy)}}
	g := newNgrams(newSources(base), "a.py", "python", []string{"own.py", "a.py"})
	fits := g.natural(changed("a.py", buggy, ">= items", ">= limit"))
	strange := g.natural(changed("a.py", buggy, ">= items", ">= None"))
	worse := g.natural(changed("a.py", buggy, "range(len(items))", "range(len(limit))"))
	if fits <= 1 || fits <= strange || worse >= 1 {
		t.Errorf("what fits has %.2f, what does not %.2f, what was right before %.2f", fits, strange, worse)
	}
	if same := g.natural(changed("a.py", buggy, "items[i]", "items[ i ]")); same != 1 {
		t.Errorf("a change of blanks alone has %.2f", same)
	}
}

func TestR1ALineDoesNotSpeakForItself(t *testing.T) {
	t.Parallel()
	src := "def f(a, b):\n    total = a.first - b.second\n    return total\n"
	g := newNgrams(newSources(fstest.MapFS{"a.py": {Data: []byte(src)}}), "a.py", "python", []string{"a.py"})
	line := []string{"    total = a.first - b.second"}
	if alone, with := g.entropy(line, g.own("a.py", line)), g.entropy(line, nil); alone <= with {
		t.Errorf("without itself the line has %.2f nats a token, and with itself %.2f", alone, with)
	}
}

func TestR1TheModelOfALargeProjectIsBounded(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{}
	var files []string
	text := strings.Repeat("def f(a, b):\n    return a.value + b.other[0]\n", 4000)
	for i := range 40 {
		name := fmt.Sprintf("p/m%d.py", i)
		base[name], files = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "value", fmt.Sprintf("value%d", i)))}, append(files, name)
	}
	begun := time.Now()
	g := newNgrams(newSources(base), "p/m7.py", "python", files)
	t.Logf("%d tokens, %d sequences in %s", len(g.ids), len(g.three), time.Since(begun))
	if _, nearest := g.ids["value7"]; !nearest {
		t.Error("the changed file itself was left out")
	}
	if _, far := g.ids["value39"]; far {
		t.Errorf("all of a project of %d bytes was learnt", 40*len(text))
	}
}
