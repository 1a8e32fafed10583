package characterise

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// pin is the part of an outcome that a test of the call would hold on to.
func (m *matrix) pin(c call, o outcome) outcome {
	out := outcome{Raises: o.Raises, Panic: o.Panic, Late: o.Late}
	switch {
	case o.Error != "":
		out.Error = "error"
	case o.Raises != "" || o.Panic != "" || o.Late:
	default:
		if i := m.changedArgument(c, m.now[c.id]); i >= 0 {
			if i < len(o.After) {
				out.After = o.After[i : i+1]
			}
			return out
		}
		out.Value, out.Opaque = o.Value, o.Opaque
	}
	return out
}

// changedArgument is the variable that a call with no result changes, or -1.
func (m *matrix) changedArgument(c call, o outcome) int {
	none := o.Value == nil && !o.Opaque || o.Value != nil && (*o.Value == "None" || *o.Value == "undefined")
	if !none && !o.Opaque {
		return -1
	}
	at := 0
	for _, a := range c.rec.Args {
		if len(a.Open) == 0 || a.Kind == "tuple" {
			continue
		}
		a.Prefix = ""
		if at < len(o.After) && o.After[at] != "" && o.After[at] != text(a, c.t.lang) {
			return at
		}
		at++
	}
	return -1
}

// pinned tells whether a test can hold on to what the call came to.
func (m *matrix) pinned(c call) bool {
	o := m.now[c.id]
	switch {
	case o.Late || o.Impure || o.Panic != "":
		return false
	case o.Raises != "":
		return m.raisesItself(c, o)
	case o.Error != "":
		return true
	case m.changedArgument(c, o) >= 0:
		return true
	}
	if o.Value == nil || *o.Value == "undefined" {
		return false
	}
	return *o.Value != "None" || !m.never(c)
}

// never: the target gives nothing in all of its calls, so that nothing is what
// says least.
func (m *matrix) never(c call) bool {
	for _, other := range m.calls {
		if o := m.now[other.id]; other.t == c.t && o.Value != nil && *o.Value != "None" {
			return false
		}
	}
	return true
}

// raisesItself: the file raises that exception by name; others are what the
// language says of arguments that make no sense.
func (m *matrix) raisesItself(c call, o outcome) bool {
	how := map[code.Language]string{code.Python: `raise\s+`, code.JavaScript: `throw\s+new\s+`}[c.t.lang]
	if how == "" || !regexp.MustCompile(how+regexp.QuoteMeta(o.Raises)+`\b`).Match(m.src) {
		return false
	}
	if o.Home == "" || o.Home == "builtins" {
		return true
	}
	return regexp.MustCompile(`(?m)^class\s+` + regexp.QuoteMeta(o.Raises) + `\b`).Match(m.src)
}

// nonsense: the call ended with what the language says of bad arguments.
func (m *matrix) nonsense(o outcome) bool {
	return o.Panic != "" || slices.Contains([]string{"TypeError", "AttributeError", "NameError", "ReferenceError", "RecursionError"}, o.Raises)
}

// choose takes of each target the nominal and an edge case that see most of the
// planted faults, then what sees further ones.
func (c *Characteriser) choose(m *matrix, most int) []call {
	var out []call
	open := map[int]bool{}
	for i := range m.faults {
		open[i] = true
	}
	var order []*target
	for _, one := range m.calls {
		if !slices.Contains(order, one.t) {
			order = append(order, one.t)
		}
	}
	for _, t := range order {
		n := 0
		for step := 0; n < c.cfg.PerFunc && len(out) < most; step++ {
			best, gain := m.best(t, out, open, step)
			if best == nil || step > 1 && gain == 0 {
				if step > 1 {
					break
				}
				continue
			}
			n++
			out = append(out, *best)
			for i := range m.faults {
				if m.killed[i][best.id] {
					delete(open, i)
				}
			}
		}
	}
	return out
}

// best is the call of a target that sees most open faults: of those as seen
// (step 0), of the edges (step 1), of all. What the change made different goes
// first among equals, then what is said in few words.
func (m *matrix) best(t *target, taken []call, open map[int]bool, step int) (*call, int) {
	var best *call
	var score []int
	for i := range m.calls {
		one := &m.calls[i]
		if one.t != t || !m.pinned(*one) || step == 0 && one.edge != "" || step == 1 && one.edge == "" ||
			slices.ContainsFunc(taken, func(c call) bool { return c.id == one.id }) {
			continue
		}
		if m.now[one.id].Raises != "" && step == 0 {
			continue // nominal is what works
		}
		gain := 0
		for f := range open {
			if m.killed[f][one.id] {
				gain++
			}
		}
		changed := 0
		if was, ok := m.before[one.id]; ok && !m.pin(*one, was).same(m.pin(*one, m.now[one.id])) {
			changed = 1
		}
		w := one.write(false)
		s := []int{gain, changed, -len(w.call) - len(strings.Join(w.setup, ""))}
		if best == nil || slices.CompareFunc(s, score, cmp.Compare[int]) > 0 {
			best, score = one, s
		}
	}
	if best == nil {
		return nil, 0
	}
	return best, score[0]
}

var notWords = lazyregexp.New(`[^A-Za-z0-9]+`)

// cases are the chosen calls as tests to be written.
func (m *matrix) cases(chosen []call) []example.Case {
	var out []example.Case
	titles := map[string]int{}
	for _, c := range chosen {
		o := m.now[c.id]
		title := "nominal"
		if c.edge != "" {
			title = "edge " + strings.ToLower(strings.TrimSpace(notWords.ReplaceAllString(c.edge, " ")))
		}
		if titles[c.t.Name+title]++; titles[c.t.Name+title] > 1 {
			title += " " + string(rune('0'+titles[c.t.Name+title]))
		}
		w := c.write(false)
		one := example.Case{Path: c.t.path, Names: c.names(), Title: title, Result: c.t.Result, Raises: o.Raises}
		switch i := m.changedArgument(c, o); {
		case o.Error != "":
			one.Raises = o.Error
		case o.Raises != "":
			if o.Home != "" && o.Home != "builtins" {
				one.Names = append(one.Names, o.Raises)
			}
		case i >= 0:
			w = c.write(true)
			one.About, one.Want = w.vars[i], o.After[i]
		default:
			one.Want = *o.Value
		}
		one.Setup, one.Call = w.setup, w.call
		out = append(out, one)
	}
	return out
}

// words say what a call came to.
func (m *matrix) words(c call, o outcome) string {
	switch {
	case o.Late:
		return "does not end"
	case o.Panic != "":
		return "panics: " + o.Panic
	case o.Raises != "":
		return "raises " + o.Raises
	case o.Error != "":
		return "error: " + o.Error
	}
	if i := m.changedArgument(c, m.now[c.id]); i >= 0 && i < len(o.After) {
		return c.write(true).vars[i] + " is " + o.After[i]
	}
	if o.Value == nil {
		return "something that is no literal"
	}
	return *o.Value
}
