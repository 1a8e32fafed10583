package characterise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// Compared is a call of a function, and what it comes to with each of some texts of
// its source file.
type Compared struct {
	Input    string
	Function string // its name
	Seen     bool   // a test makes the call as it is
	Results  []Result
}

// Result is what a call came to.
type Result struct {
	Value    string // as a literal, or "raises X"; empty: it was not seen
	After    string // its arguments afterwards
	Nonsense bool   // the language says that the arguments made no sense
}

// Compare does the calls that the tests make of functions, and calls near them,
// with each of some texts of a file. The first is that of the tree in in.Dir; the
// functions are those that the others change. What cannot be looked at gives no
// calls; the error is of the sandbox or the context.
func (c *Characteriser) Compare(ctx context.Context, in Input, file string, texts [][]byte) ([]Compared, error) {
	root, err := os.OpenRoot(in.Dir)
	if err != nil {
		return nil, fmt.Errorf("reading the tree: %w", err)
	}
	defer root.Close()
	v := &view{c: c, root: in.Dir, change: gate.Change{Path: file, After: texts[0]}}
	if v.targets, err = changed(ctx, file, texts); err != nil || len(v.targets) == 0 {
		return nil, err
	}
	v.lang, v.rules = languageOf(v.targets[0].lang), rules{lang: v.targets[0].lang}
	var ok bool
	if v.dir, v.runner, ok = c.suite(in, *v.targets[0]); !ok {
		return nil, nil
	}
	if v.tests = mentions(root.FS(), v, nil); len(v.tests) == 0 {
		return nil, nil
	}
	if v.box, err = c.cfg.Sandbox.Workspace(ctx, in.Dir); err != nil {
		return nil, fmt.Errorf("a workspace to compare changes: %w", err)
	}
	defer v.box.Close()
	calls, err := v.calls(ctx, &Found{})
	if err == nil {
		err = v.lang.prepare(ctx, v, calls, texts)
	}
	var got []seen
	if err == nil {
		got, err = v.observe(ctx, watch{calls, here, texts, v.observeWall()})
	}
	if errors.Is(err, errNotSeen) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Compared
	for _, one := range calls {
		w := one.write(false)
		r := Compared{Input: strings.Join(append(slices.Clone(w.setup), w.call), "; "), Function: one.t.Name, Seen: one.edge == ""}
		for _, s := range got {
			r.Results = append(r.Results, result(s, one.id))
		}
		out = append(out, r)
	}
	return out, nil
}

// Differences compares what calls come to with two texts of a file, the second that of
// the tree in in.Dir, and lists what differs as Characterise does.
func (c *Characteriser) Differences(ctx context.Context, in Input, file string, before, after []byte) ([]task.Behaviour, error) {
	all, err := c.Compare(ctx, in, file, [][]byte{after, before})
	if err != nil {
		return nil, err
	}
	var out []task.Behaviour
	for _, x := range all {
		now, was := x.Results[0], x.Results[1]
		if now.Value != "" && was.Value != "" && now != was && (!now.Nonsense || x.Seen) {
			out = append(out, task.Behaviour{Input: x.Input, Before: was.words(now), After: now.words(was)})
		}
	}
	return shortest(out), nil
}

// words say what a call came to, with its arguments afterwards where they differ.
func (r Result) words(other Result) string {
	if r.After != "" && r.After != other.After {
		return r.Value + ", arguments afterwards " + r.After
	}
	return r.Value
}

// changed are the functions of the first text that the others change.
func changed(ctx context.Context, file string, texts [][]byte) ([]*target, error) {
	all, err := code.Callables(ctx, file, texts[0])
	if err != nil {
		return nil, err
	}
	var out []*target
	for _, text := range texts[1:] {
		list, _, err := targets(ctx, gate.Change{Path: file, Before: texts[0], After: text}, nil)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			i := slices.IndexFunc(all, func(c code.Callable) bool { return c.QualifiedName == t.QualifiedName })
			if i < 0 || slices.ContainsFunc(out, func(o *target) bool { return o.ID == all[i].ID }) {
				continue
			}
			t.Callable, t.src = all[i], texts[0]
			out = append(out, &t)
		}
	}
	return out[:min(len(out), maxTargets)], nil
}

// result is what a call came to with a text, where that can be told.
func result(s seen, id int) Result {
	o, ok := s.calls[id]
	switch {
	case !ok || o.Late || o.Impure || o.Twice || o.Opaque && len(o.After) == 0:
		return Result{}
	case o.Raises != "" || o.Panic != "":
		return Result{Value: "raises " + o.Raises + o.Panic, Nonsense: (&matrix{}).nonsense(o)}
	}
	out := Result{Value: "something", After: strings.Join(o.After, ", ")}
	if o.Value != nil {
		out.Value = *o.Value + o.Error
	}
	return out
}
