package mend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// madeExpr is an expression that was made of what is in scope at a place.
type madeExpr struct {
	text, code string // as it would stand there, and as it is worked out
	cost       float64
}

// UnmarshalJSON reads ["text", "code", cost].
func (e *madeExpr) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, &[]any{&e.text, &e.code, &e.cost}); err != nil {
		return fmt.Errorf("an expression made for a place: %w", err)
	}
	return nil
}

// MarshalJSON is what UnmarshalJSON reads.
func (e madeExpr) MarshalJSON() ([]byte, error) { return json.Marshal([]any{e.text, e.code, e.cost}) }

// siteRecord is what the expressions came to in one execution of a place. A value
// is the text of its parts; "!" and a name stand for an exception.
type siteRecord struct {
	Red    bool              `json:"red"` // a failing test's
	Old    string            `json:"old"`
	Table  []string          `json:"table"`
	Values []int             `json:"values"` // of each expression, its index in the table
	Where  map[string]string `json:"where"`
}

func (r siteRecord) value(i int) string {
	if i >= len(r.Values) || r.Values[i] < 0 || r.Values[i] >= len(r.Table) {
		return "!"
	}
	return r.Table[r.Values[i]]
}

const (
	maxMade   = 6000 // expressions that are judged at one place
	keptWish  = 80   // values of a place that are kept
	keptExprs = 40   // expressions of one value
)

// mergeMade puts together what was made in several executions, the likeliest first.
func mergeMade(lists ...[]madeExpr) []madeExpr {
	at := map[string]int{}
	var out []madeExpr
	for _, e := range slices.Concat(lists...) {
		if i, ok := at[e.text]; !ok {
			at[e.text] = len(out)
			out = append(out, e)
		} else if e.cost < out[i].cost {
			out[i] = e
		}
	}
	slices.SortStableFunc(out, func(a, b madeExpr) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(len(a.text), len(b.text)), cmp.Compare(a.text, b.text))
	})
	return out[:min(len(out), maxMade)]
}

// wishesOf puts expressions together that come to the same in all failing executions,
// and tells in how many passing ones each comes to something else than the place
// does. What comes to what stands there is no wish.
func wishesOf(exprs []madeExpr, records []siteRecord) []wish {
	var reds, greens []siteRecord
	for _, r := range records {
		if r.Red {
			reds = append(reds, r)
		} else {
			greens = append(greens, r)
		}
	}
	at := map[string]int{}
	var out []wish
	for i, e := range exprs {
		key, first, fails := vector(reds, i)
		if first < 0 || fails {
			continue
		}
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key] = k
			r := reds[first]
			out = append(out, wish{Want: r.value(i), Was: r.Old, Where: r.Where, Reds: len(reds), Wanted: wanted(reds, i), Greens: len(greens)})
		}
		broken := 0
		for _, r := range greens {
			if r.value(i) != r.Old {
				broken++
			}
		}
		out[k].Exprs = append(out[k].Exprs, wishExpr{Text: e.text, Cost: e.cost, Broken: broken})
	}
	for i := range out {
		slices.SortStableFunc(out[i].Exprs, likelier)
		out[i].Exprs = out[i].Exprs[:min(len(out[i].Exprs), keptExprs)]
	}
	slices.SortStableFunc(out, func(a, b wish) int { return likelier(a.Exprs[0], b.Exprs[0]) })
	return out[:min(len(out), keptWish)]
}

// likelier puts what keeps passing executions as they are first, then what is
// smaller.
func likelier(a, b wishExpr) int {
	return cmp.Or(cmp.Compare(a.Broken, b.Broken), cmp.Compare(a.Cost, b.Cost), cmp.Compare(len(a.Text), len(b.Text)), cmp.Compare(a.Text, b.Text))
}

// vector is what an expression comes to in the failing executions, the first in
// which it differs from the place (-1 for none), and whether it fails in all.
func vector(reds []siteRecord, i int) (key string, first int, fails bool) {
	var b strings.Builder
	first, fails = -1, true
	for k, r := range reds {
		v := r.value(i)
		if v != r.Old && first < 0 {
			first = k
		}
		fails = fails && strings.HasPrefix(v, "!")
		fmt.Fprintf(&b, "%d:%s", len(v), v)
	}
	return b.String(), first, fails
}

// wanted is how many different values an expression comes to in failing executions
// in which the place comes to something else.
func wanted(reds []siteRecord, i int) int {
	values := map[string]bool{}
	for _, r := range reds {
		if v := r.value(i); v != r.Old {
			values[v] = true
		}
	}
	return len(values)
}
