package characterise

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
)

// inverses looks for functions beside the changed ones that by their names undo
// them, and tells where going there and back gave what was put in before the
// change and no longer does.
func (v *view) inverses(ctx context.Context, m *matrix, out []string) ([]string, error) {
	all, err := v.beside(ctx, m)
	if err != nil {
		return out, err
	}
	for _, t := range v.targets {
		own := slices.DeleteFunc(slices.Clone(m.calls), func(c call) bool {
			return c.t != t || c.rec.Recv != nil || c.rec.Property || c.rec.Generator || len(c.rec.Args) == 0 || m.before[c.id].Value == nil || m.now[c.id].Value == nil
		})
		for _, s := range all {
			if len(own) < fewestAlike || !code.Inverse(t.Name, s.Name) || !v.standsIn(s, t) {
				continue
			}
			held, err := v.back(ctx, own, s, m.before, v.change.Before)
			var broken []call
			if err == nil && len(held) >= fewestAlike {
				var holds []call
				holds, err = v.back(ctx, held, s, m.now, v.change.After)
				broken = slices.DeleteFunc(held, func(c call) bool { return slices.ContainsFunc(holds, func(h call) bool { return h.id == c.id }) })
			}
			if errors.Is(err, errNotSeen) {
				continue
			}
			if err != nil {
				return out, err
			}
			if n := len(held); 2*len(broken) > n { // a rounded result may not come back from each
				out = append(out, fmt.Sprintf("%s undid %s on %d inputs tried before the change, and on %d of them it does not any more, such as %s", s.Name, t.Name, n, len(broken), broken[0].write(false).call))
			}
		}
	}
	return out, nil
}

// back gives the calls whose result, handed to the inverse in place of their
// first argument, comes back as that argument.
func (v *view) back(ctx context.Context, calls []call, inverse code.Callable, results map[int]outcome, src []byte) ([]call, error) {
	undoing := *calls[0].t
	undoing.Callable = inverse
	var undo []call
	for _, c := range calls {
		c.t = &undoing
		c.rec.Args = slices.Clone(c.rec.Args)
		c.rec.Args[0] = value{Text: *results[c.id].Value}
		undo = append(undo, c)
	}
	got, err := v.once(ctx, undo, here, src)
	if err != nil {
		return nil, err
	}
	var out []call
	for _, c := range calls {
		if o := got[c.id]; o.Value != nil && *o.Value == text(c.rec.Args[0], c.t.lang) {
			out = append(out, c)
		}
	}
	return out, nil
}
