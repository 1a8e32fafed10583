package characterise

import (
	"context"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// What is told of calls is written by a process in which the repository's code
// runs, to a place that this code can write to as well. All of it that becomes
// source text is therefore read again here, and has to be the literal or the
// name that it claims to be.

const (
	longestText = 4000 // bytes of a record's or an outcome's literal
	longestWord = 1000 // bytes of what an error says
	mostArgs    = 40
	mostParts   = 64
	deepest     = 8 // levels of values in values
	mostBefore  = 10
)

var (
	plainName  = lazyregexp.New(`^[\pL_][\pL\pN_]*$`)
	scriptName = lazyregexp.New(`^[A-Za-z_$][\w$]*$`)
	dottedName = lazyregexp.New(`^[\pL_][\pL\pN_]*(?:\.[\pL_<][\pL\pN_>]*)*$`)
	moduleName = lazyregexp.New(`^[\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)*$`)
)

// rules tell what may be written in a test of a package or module.
type rules struct {
	lang  code.Language
	types map[string]bool // of Go: names at the top of the package, true of types
}

// literal tells whether a text is one literal of the language and no more.
func (r rules) literal(ctx context.Context, s string) bool {
	if s == "" || len(s) > longestText || s != strings.TrimSpace(s) || hidden(s) {
		return false
	}
	if r.lang == code.Go {
		return r.goLiteral(s)
	}
	return treeLiteral(ctx, r.lang, s)
}

// name tells whether a text is an identifier.
func (r rules) name(s string) bool {
	switch r.lang {
	case code.Go:
		return token.IsIdentifier(s)
	case code.JavaScript:
		return scriptName.MatchString(s)
	}
	return plainName.MatchString(s)
}

// value tells whether a value and each of its parts are the literals that they
// claim to be: parts are taken apart and put together again for the edges.
func (r rules) value(ctx context.Context, v value) bool {
	return r.parts(ctx, v, 0) && r.literal(ctx, r.whole(v))
}

// whole is a value without the name that it is given under.
func (r rules) whole(v value) string {
	v.Prefix = ""
	return text(v, r.lang)
}

func (r rules) parts(ctx context.Context, v value, depth int) bool {
	if depth > deepest || len(v.Parts) > mostParts {
		return false
	}
	if v.Open == "" && v.Close == "" {
		return len(v.Parts) == 0 && r.leaf(ctx, v)
	}
	if v.Text != "" || v.Raw != "" || !r.around(v, depth) {
		return false
	}
	for _, p := range v.Parts {
		if !r.prefix(ctx, v.Kind, p.Prefix) || !r.parts(ctx, p, depth+1) {
			return false
		}
	}
	return true
}

// leaf: its kind, by which it is changed, is that of its text.
func (r rules) leaf(ctx context.Context, v value) bool {
	switch v.Kind {
	case "nil":
		if !slices.Contains(map[code.Language][]string{code.Go: {"nil"}, code.Python: {"None"}, code.JavaScript: {"null", "undefined"}}[r.lang], v.Text) {
			return false
		}
	case "bool":
		if !slices.Contains([]string{"true", "false", "True", "False"}, v.Text) {
			return false
		}
	case "int", "uint", "float":
		if !number.MatchString(v.Text) {
			return false
		}
	case "str":
		if quote(v.Raw, r.lang) != v.Text {
			return false
		}
	case "raw":
	default:
		return false
	}
	return r.literal(ctx, v.Text)
}

// around: what stands before and behind the parts is of the kind.
func (r rules) around(v value, depth int) bool {
	if r.lang == code.Go {
		name, ok := strings.CutSuffix(strings.TrimPrefix(v.Open, "&"), "{")
		elided := v.Open == "{" && depth > 0
		return ok && v.Close == "}" && slices.Contains([]string{"list", "map", "struct"}, v.Kind) && (elided || r.goType(name))
	}
	pairs := map[string][]string{"list": {"[ ]"}, "tuple": {"( )"}, "set": {"{ }", "frozenset({ })"}, "map": {"{ }"}}
	if r.lang == code.JavaScript {
		pairs = map[string][]string{"list": {"[ ]"}, "map": {"{   }"}}
	}
	return slices.Contains(pairs[v.Kind], v.Open+" "+v.Close)
}

// prefix of a part: the key of a map, the name of a field, else none.
func (r rules) prefix(ctx context.Context, kind, prefix string) bool {
	key, ok := strings.CutSuffix(prefix, ": ")
	switch {
	case kind == "map" && r.lang == code.JavaScript:
		return ok && (r.name(key) || r.literal(ctx, key))
	case kind == "map":
		return ok && r.literal(ctx, key)
	case kind == "struct" && prefix != "":
		return ok && r.name(key)
	}
	return prefix == ""
}

// arguments: only Python has names in front of them.
func (r rules) arguments(ctx context.Context, list []value) bool {
	return len(list) <= mostArgs && !slices.ContainsFunc(list, func(v value) bool {
		name, named := strings.CutSuffix(v.Prefix, "=")
		if v.Prefix != "" && (r.lang != code.Python || !named || !r.name(name)) {
			return true
		}
		return !r.value(ctx, v)
	})
}

// record tells whether a call of a target can be written as it was told.
func (r rules) record(ctx context.Context, t *target, c record) bool {
	if !r.arguments(ctx, c.Args) || len(c.Before) > mostBefore || c.Module != "" && !moduleName.MatchString(c.Module) {
		return false
	}
	if r.lang != code.Python && (c.Generator || c.Property) {
		return false
	}
	for _, m := range c.Before {
		if c.Recv == nil || !r.name(m.Name) || !t.siblings[m.Name] || !r.arguments(ctx, m.Args) {
			return false
		}
	}
	if c.Recv == nil {
		return t.class == ""
	}
	if t.class == "" || !r.name(c.Recv.Class) || !r.arguments(ctx, c.Recv.Args) {
		return false
	}
	if r.lang == code.Go {
		return c.Recv.made != nil && c.Recv.made.Prefix == "" && !c.Recv.Static && c.Recv.Class == t.class && r.value(ctx, *c.Recv.made)
	}
	return c.Recv.made == nil
}

// outcome tells the same of what a call came to.
func (r rules) outcome(ctx context.Context, o outcome) bool {
	if o.Value != nil && !r.literal(ctx, *o.Value) || len(o.After) > mostArgs || len(o.Error) > longestWord || len(o.Panic) > longestWord {
		return false
	}
	for _, s := range o.After {
		if s != "" && !r.literal(ctx, s) { // "" is no literal, and said to be none
			return false
		}
	}
	return (o.Raises == "" || r.name(o.Raises)) && (o.Home == "" || dottedName.MatchString(o.Home))
}

// sound keeps what may be written, of what the tests told.
func (v *view) sound(ctx context.Context, seen []record) []record {
	dropped := 0
	out := slices.DeleteFunc(seen, func(c record) bool {
		bad := c.Spot < 0 || c.Spot >= len(v.targets) || !v.rules.record(ctx, v.targets[c.Spot], c)
		if bad {
			dropped++
		}
		return bad
	})
	if dropped > 0 {
		v.c.cfg.Log.WithField("dropped", dropped).Warn(fmt.Sprintf("what was told of calls in %s is not what it claims to be", v.change.Path))
	}
	return out
}

// observe gives what calls come to, without what may not be written. A text that
// ends the driver costs itself: it begins again with the next one.
func (v *view) observe(ctx context.Context, w watch) ([]seen, error) {
	out := make([]seen, len(w.texts))
	until := v.c.cfg.Now().Add(w.wall)
	for from := 0; from < len(out) && w.wall > 0; w.wall = until.Sub(v.c.cfg.Now()) {
		got, err := v.lang.observe(ctx, v, w)
		if err != nil {
			return nil, err
		}
		n := copy(out[from:], begun(got))
		if n == 0 {
			break
		}
		from, w.texts = from+n, w.texts[n:]
	}
	for _, one := range out {
		for id, o := range one.calls {
			if !v.rules.outcome(ctx, o) {
				delete(one.calls, id)
			}
		}
	}
	return out, nil
}

// begun are the texts that were looked at: the first ones.
func begun(all []seen) []seen {
	if i := slices.IndexFunc(all, func(s seen) bool { return !s.begun }); i >= 0 {
		return all[:i]
	}
	return all
}
