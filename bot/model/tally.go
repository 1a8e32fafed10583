package model

import (
	"cmp"
	"slices"
	"sync"
)

// Kind is what failures are counted by.
type Kind struct {
	PromptClass string `json:"prompt_class"`
	Action      string `json:"action,omitempty"` // that was aimed at, for answers that could not be read
	Class       string `json:"class"`            // of the call's Error, or of the malformed answer
}

// Count is how often a kind of failure was seen. Asked is the number of calls
// with the same prompt class.
type Count struct {
	Kind
	Times int `json:"times"`
	Asked int `json:"asked"`
}

// Tally counts calls and failures by prompt class (SPEC A2). It may be used
// by several goroutines at once.
type Tally struct {
	mu       sync.Mutex
	calls    map[string]int
	failures map[Kind]int
}

func newTally() *Tally { return &Tally{calls: map[string]int{}, failures: map[Kind]int{}} }

func (t *Tally) asked(r Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[r.PromptClass]++
}

func (t *Tally) failed(r Request, err error) {
	if e, ok := err.(*Error); ok && e.Class != Cancelled { //nolint:errorlint // route returns no other
		t.Add(Kind{PromptClass: r.PromptClass, Class: string(e.Class)})
	}
}

// Add counts a failure; a role that could not read an answer tells it here.
func (t *Tally) Add(k Kind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failures[k]++
}

// Counts lists the failures, sorted.
func (t *Tally) Counts() []Count {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]Count, 0, len(t.failures))
	for k, n := range t.failures {
		out = append(out, Count{Kind: k, Times: n, Asked: t.calls[k.PromptClass]})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.PromptClass, b.PromptClass), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Class, b.Class))
	})
	return out
}
