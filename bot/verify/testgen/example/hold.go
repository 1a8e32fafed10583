package example

import (
	"context"
	"fmt"
)

// Held says what became of an example of the issue on a changed tree.
type Held struct {
	Example Example `json:"example"`
	Holds   bool    `json:"holds"`
	Got     string  `json:"got,omitempty"` // what came out instead, where that was told
}

// Hold runs the examples that say what to expect on a changed tree, which
// Dir and Base are. What cannot be bound to its code, or cannot be run, is left
// out: it says nothing. The error is of the sandbox or the context.
func Hold(ctx context.Context, in Input) ([]Held, error) {
	var found []statement
	for _, e := range Read(in.Title, in.Body) {
		if !e.Unsure && (e.Want != "" || e.WantError != "") {
			found = append(found, statement{boundExample{Example: e}, "the issue"})
		}
	}
	s, err := bound(ctx, in.Base, found, in.Title+"\n"+in.Body)
	if err != nil || len(s.list) == 0 {
		return nil, err
	}
	answers, err := s.Ask(ctx, in.Runner, in.Dir, nil)
	if err != nil {
		return nil, fmt.Errorf("asking what became of the issue's examples: %w", err)
	}
	var out []Held
	for i, a := range answers {
		if a.Ran {
			out = append(out, Held{s.list[i].Example, a.Holds, a.Got})
		}
	}
	return out, nil
}
