package rule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/fettle-dev/fettle/bot/code"
)

// maxLearned bounds a learned pattern: what is longer fits nowhere else.
const maxLearned = 600

// Abstract makes a rule of one edit: the smallest part that differs, with its
// variables as metavariables; names of functions and fields, numbers and texts stay
// as they are. The caller gives it a name, a class and a sentence. It fails where
// the edit is none of syntax, is too long, or would fit everything.
func Abstract(ctx context.Context, lang code.Language, before, after []byte) (Rule, error) {
	word := family(lang)
	if word == "" {
		return Rule{}, fmt.Errorf("abstract an edit: no grammar for %q", lang)
	}
	a, err1 := code.Parse(ctx, lang, before)
	b, err2 := code.Parse(ctx, lang, after)
	if err := errors.Join(err1, err2); err != nil {
		return Rule{}, fmt.Errorf("abstract an edit: %w", err)
	}
	if a.HasError() || b.HasError() {
		return Rule{}, errors.New("abstract an edit: one side does not parse")
	}
	was, now, ok := differing(a.Root(), b.Root())
	if !ok {
		return Rule{}, errors.New("abstract an edit: the two sides are the same code")
	}
	names := map[string]string{}
	rule := Rule{Name: "learned", Class: "learned", Share: 0.01, Languages: List{word}, Form: Form{
		Match: List{general(was, names, true)}, To: Choices{{general(now, names, false), 1}}, Says: "Make the change that was made before.",
	}}
	if n := len(rule.Match[0]) + len(rule.To[0].Text); n > maxLearned {
		return Rule{}, fmt.Errorf("abstract an edit: its smallest part has %d bytes, more than %d", n, maxLearned)
	}
	if _, err := Compile(lang, []Rule{rule}); err != nil {
		return Rule{}, fmt.Errorf("abstract an edit: %w", err)
	}
	return rule, nil
}

// differing are the smallest rows of nodes in which two trees differ.
func differing(a, b code.Node) (was, now []code.Node, ok bool) {
	if Same(a, b) {
		return nil, nil, false
	}
	x, y := kidsOf(a), kidsOf(b)
	head := 0
	for head < len(x) && head < len(y) && Same(x[head], y[head]) {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && Same(x[len(x)-1-tail], y[len(y)-1-tail]) {
		tail++
	}
	p, q := x[head:len(x)-tail], y[head:len(y)-tail]
	list := len(x) > 0 && isStatement(x[0]) && len(y) > 0 && isStatement(y[0])
	switch {
	case a.Kind() != b.Kind() || len(x) == 0 || len(y) == 0:
		return []code.Node{a}, []code.Node{b}, true
	case len(p) == 1 && len(q) == 1 && (list || !isWord(p[0]) && !isWord(q[0])):
		was, now, ok := differing(p[0], q[0])
		if ok && len(was) == 1 && partOfCall[was[0].Kind()] { // alone it reads as something else
			return []code.Node{a}, []code.Node{b}, true
		}
		return was, now, ok
	case list:
		if len(p) == 0 || len(q) == 0 { // a statement that is added or removed stands beside another
			if tail > 0 {
				p, q = x[head:len(x)-tail+1], y[head:len(y)-tail+1]
			} else if head > 0 {
				p, q = x[head-1:], y[head-1:]
			}
		}
		return p, q, len(p) > 0 && len(q) > 0
	}
	return []code.Node{a}, []code.Node{b}, true
}

// partOfCall are nodes that are no code by themselves: (x) would be read as x.
var partOfCall = map[string]bool{"argument_list": true, "arguments": true, "parameters": true, "parameter_list": true, "formal_parameters": true, "subscript_argument": true}

func kidsOf(n code.Node) []code.Node {
	var out []code.Node
	for k, ok := firstKid(n); ok; k, ok = nextKid(k) {
		out = append(out, k)
	}
	return out
}

// general is the text of some nodes with their variables as metavariables. Names
// that the first side does not have stay names.
func general(row []code.Node, names map[string]string, add bool) string {
	src := row[0].Tree().Src
	var out strings.Builder
	from := row[0].Start()
	for _, n := range row {
		n.Walk(func(k code.Node) bool {
			if k.Kind() != "identifier" || k.Field() == "function" || k.Field() == "attribute" || k.Field() == "name" || k.Is("self") || k.Is("this") {
				return true
			}
			name, known := names[k.Text()]
			if !known {
				if !add || len(names) == 26 {
					return true
				}
				name = "$" + string(rune('A'+len(names)))
				names[k.Text()] = name
			}
			out.Write(src[from:k.Start()])
			out.WriteString(name)
			from = k.End()
			return true
		})
	}
	last := row[len(row)-1].End()
	out.Write(src[from:last])
	lay := layoutAt(row[0])
	lines := strings.Split(strings.ReplaceAll(out.String(), "\r\n", "\n"), "\n")
	for i := range lines {
		if i == 0 {
			continue
		}
		rest := strings.TrimPrefix(lines[i], lay.indent)
		tabs := 0
		for lay.unit != "" && strings.HasPrefix(rest, lay.unit) {
			rest, tabs = rest[len(lay.unit):], tabs+1
		}
		lines[i] = strings.Repeat("\t", tabs) + rest
	}
	return strings.Join(lines, "\n")
}

// MarshalYAML writes choices as they are read.
func (c Choices) MarshalYAML() (any, error) {
	if !slices.ContainsFunc(c, func(x Choice) bool { return x.Weight != 1 }) {
		var out []string
		for _, x := range c {
			out = append(out, x.Text)
		}
		return out, nil
	}
	var out yaml.MapSlice
	for _, x := range c {
		out = append(out, yaml.MapItem{Key: x.Text, Value: x.Weight})
	}
	return out, nil
}

// MarshalYAML writes generators as they are read.
func (e Each) MarshalYAML() (any, error) {
	var out yaml.MapSlice
	for _, g := range e {
		out = append(out, yaml.MapItem{Key: g.Hole, Value: g.Call})
	}
	return out, nil
}

// Format writes rules as a file that Parse reads.
func Format(rules []Rule) ([]byte, error) {
	out, err := yaml.MarshalWithOptions(rules, yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, fmt.Errorf("write rules: %w", err)
	}
	return out, nil
}
