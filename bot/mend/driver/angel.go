package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
)

// fettleSites stands at the places that are looked into. What the expressions come
// to in an execution goes to the file that the environment names, a line each; an
// execution that shows nothing new is left out.
var fettleSites struct {
	sync.Mutex
	busy  bool
	seen  map[string]bool
	count int
}

const (
	fettleEnough = 400 // executions that are looked into
	fettleMost   = 16  // that are told
	fettleText   = 300 // bytes of a value
)

// fettleSite gives what own does, and tells what it and the others come to.
func fettleSite[T any](own func() T, others ...func() any) T {
	v := own()
	if os.Getenv("FETTLE_SITE") == "" {
		return v
	}
	fettleSites.Lock()
	if fettleSites.busy || fettleSites.count >= fettleEnough || len(fettleSites.seen) >= fettleMost {
		fettleSites.Unlock()
		return v
	}
	fettleSites.busy = true
	fettleSites.count++
	fettleSites.Unlock()
	fettleTell(fettleText0(v), others)
	fettleSites.Lock()
	fettleSites.busy = false
	fettleSites.Unlock()
	return v
}

func fettleTell(old string, others []func() any) {
	table := map[string]int{}
	var texts []string
	values := make([]int, len(others))
	for i, f := range others {
		v := fettleValue(f)
		if _, ok := table[v]; !ok {
			table[v] = len(texts)
			texts = append(texts, v)
		}
		values[i] = table[v]
	}
	raw, err := json.Marshal(map[string]any{"old": old, "table": texts, "values": values})
	if err != nil || fettleSites.seen[string(raw)] {
		return
	}
	if fettleSites.seen == nil {
		fettleSites.seen = map[string]bool{}
	}
	fettleSites.seen[string(raw)] = true
	out, err := os.OpenFile(os.Getenv("FETTLE_SITE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer out.Close()
	_, _ = out.Write(append(raw, '\n'))
}

// fettleValue works an expression out; "!" stands for a panic.
func fettleValue(f func() any) (text string) {
	defer func() {
		if recover() != nil {
			text = "!panic"
		}
	}()
	return fettleText0(f())
}

func fettleText0(v any) string {
	text := fmt.Sprintf("%T %+v", v, v)
	if s, ok := v.(string); ok {
		text = fmt.Sprintf("%q", s)
	}
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "int "), "bool "), "float64 ")
	return text[:min(len(text), fettleText)]
}
