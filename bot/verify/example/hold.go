package example

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/verify"
)

// Held says what became of an example on a changed tree.
type Held struct {
	Example Example `json:"example"`
	Holds   bool    `json:"holds"`
	Why     string  `json:"why,omitempty"` // what came out instead
}

const (
	maxGroups  = 3 // functions whose examples are run
	maxInGroup = 5
)

// Hold runs the examples that say what to expect on a changed tree, which Dir and
// Base are. What cannot be bound to its code, or cannot be run, is left out: it
// says nothing. The error is of the sandbox or the context.
func Hold(ctx context.Context, in Input) ([]Held, error) {
	var list []Example
	for _, e := range Read(in.Title, in.Body) {
		if !e.Unsure && (e.Want != "" || e.WantError != "") {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	x, err := newIndex(ctx, in.Base)
	if err != nil {
		return nil, fmt.Errorf("reading the names of the changed tree: %w", err)
	}
	var left []string
	groups, err := x.groups(ctx, list, &left)
	if err != nil {
		return nil, err
	}
	var out []Held
	for _, g := range groups[:min(len(groups), maxGroups)] {
		g = g[:min(len(g), maxInGroup)]
		w, err := x.write(ctx, g, false)
		if errors.Is(err, errRefused) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("writing a test: %w", err)
		}
		rep, err := in.Runner.Try(ctx, verify.Trial{Dir: in.Dir, Files: map[string][]byte{w.path: []byte(w.text)}, Tests: []string{w.path}})
		if errors.Is(err, verify.ErrNoTests) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("running the issue's example on the change: %w", err)
		}
		for i, b := range g {
			switch t := find(rep, w.path, w.names[i]); {
			case t == nil:
			case t.Status == verify.StatusPassed:
				out = append(out, Held{Example: b.Example, Holds: true})
			case t.Red() && verify.Ran(t.Failure):
				out = append(out, Held{Example: b.Example, Why: t.Failure.Words()})
			}
		}
	}
	return out, nil
}
