package characterise

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
)

// fewestAlike is how many results have to differ among themselves before two
// functions that agree on all inputs are said to do the same.
const fewestAlike = 3

// beside are the functions of the changed file, where the calls seen before the
// change can be done with another one: of Go they are built in once.
func (v *view) beside(ctx context.Context, m *matrix) ([]code.Callable, error) {
	if m.before == nil || v.targets[0].lang == code.Go {
		return nil, nil
	}
	return code.Callables(ctx, v.change.Path, v.change.After)
}

// standsIn tells whether a function can be called in a target's place.
func (v *view) standsIn(s code.Callable, t *target) bool {
	return s.Parent == t.Parent && len(s.Params) == len(t.Params) && callable(s, t.lang, v.change.After)
}

// alike does the calls of the changed functions with the functions beside them,
// and tells which agree on all inputs now and did not before.
func (v *view) alike(ctx context.Context, m *matrix, out []string) ([]string, error) {
	all, err := v.beside(ctx, m)
	if err != nil {
		return out, err
	}
	for _, t := range v.targets {
		var own []call
		results := map[string]bool{}
		for _, c := range m.calls {
			if o := m.now[c.id]; c.t == t && o.Value != nil && !c.rec.Property {
				own = append(own, c)
				results[*o.Value] = true
			}
		}
		if len(results) < fewestAlike {
			continue
		}
		for _, s := range all {
			if s.Name == t.Name || !v.standsIn(s, t) {
				continue
			}
			same, err := v.agrees(ctx, m, own, s)
			if errors.Is(err, errNotSeen) || !same && err == nil {
				continue
			}
			if err != nil {
				return out, err
			}
			out = append(out, fmt.Sprintf("%s now gives the same as %s on all %d inputs tried, which it did not before", t.Name, s.Name, len(own)))
		}
	}
	return out, nil
}

// agrees: with a sibling's name in their place, the calls come to the same now, and
// some did not before.
func (v *view) agrees(ctx context.Context, m *matrix, own []call, sibling code.Callable) (bool, error) {
	var calls []call
	other := *own[0].t
	other.Callable = sibling
	for _, c := range own {
		c.t = &other
		calls = append(calls, c)
	}
	now, err := v.once(ctx, calls, here, v.change.After)
	if err != nil {
		return false, err
	}
	before, err := v.once(ctx, calls, here, v.change.Before)
	if err != nil {
		return false, err
	}
	same := func(c call, a, b map[int]outcome) bool { return a[c.id].same(b[c.id]) }
	return !slices.ContainsFunc(own, func(c call) bool { return !same(c, m.now, now) }) &&
		slices.ContainsFunc(own, func(c call) bool { return !same(c, m.before, before) }), nil
}
