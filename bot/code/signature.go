package code

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Param is a parameter of a function.
type Param struct {
	Name     string // without type, default and marks
	Mark     string // "*", "**" or "..." of one that takes the rest; "kw" of one that is given by name only
	Type     string // as written; of Python not compared
	Optional bool
	Given    string // its value where a call gives none, as written
}

// Callable is a function or method with what its callers have to know.
type Callable struct {
	Region
	Params []Param
	Result string // of Go
	Async  bool
	lang   Language
}

// Callables lists the functions and methods of a file that are not inside
// another function, with their parameters. Languages that are read in their
// outline give them as one parameter that is the signature's text.
func Callables(ctx context.Context, path string, src []byte) ([]Callable, error) {
	lang := LanguageIn(path, src)
	if lang == Unknown {
		return nil, nil
	}
	t, err := Parse(ctx, lang, src)
	if err != nil {
		if ctx.Err() == nil {
			return nil, nil // too large to read: nothing can be said
		}
		return nil, fmt.Errorf("read the signatures of %s: %w", path, err)
	}
	nodes := map[[2]int]Node{}
	t.Walk(func(n Node) bool {
		if d, ok := t.define(n); ok && (d.Kind == KindFunction || d.Kind == KindMethod) {
			nodes[[2]int{d.StartByte, d.EndByte}] = n
		}
		return true
	})
	var out []Callable
	local := map[string]bool{}
	for _, r := range t.Regions() {
		if r.Kind != KindFunction && r.Kind != KindMethod {
			continue
		}
		if n, ok := nodes[[2]int{r.StartByte, r.EndByte}]; ok && !local[r.Parent] {
			out = append(out, callable(r, n))
		}
		local[r.QualifiedName] = true
	}
	return out, nil
}

func callable(r Region, n Node) Callable {
	c := Callable{Region: r, lang: r.Language}
	f := functionNode(n)
	var read bool
	if c.Params, read = Parameters(f); !read {
		c.Params = []Param{{Name: r.Signature}}
	}
	if res, ok := f.ChildByField("result"); ok && c.lang == Go {
		c.Result = goResult(res)
	}
	for _, child := range f.Children() {
		c.Async = c.Async || child.Kind() == "async"
	}
	return c
}

// Parameters are those of a function; ok is false for a language that is read in its
// outline only.
func Parameters(fn Node) (out []Param, ok bool) {
	lang := fn.t.Lang
	list, ok := fn.ChildByField("parameters")
	if !ok || !slices.Contains([]Language{Python, JavaScript, TypeScript, TSX, Go}, lang) {
		if p, ok := fn.ChildByField("parameter"); ok { // x => …
			return []Param{{Name: p.Text()}}, true
		}
		return nil, false
	}
	keyword := false
	for _, p := range list.Children() {
		if p.Kind() == "*" || p.Kind() == "keyword_separator" {
			keyword = true
		}
		if !p.Named() || p.IsExtra() || p.Kind() == "keyword_separator" || p.Kind() == "positional_separator" {
			continue
		}
		for _, got := range params(lang, p) {
			if keyword && got.Mark == "" {
				got.Mark = "kw"
			}
			keyword = keyword || got.Mark == "*" && lang == Python
			out = append(out, got)
		}
	}
	return out, true
}

// functionNode is the function that a region's node binds to a name.
func functionNode(n Node) Node {
	for _, field := range []string{"parameters", "parameter"} {
		if _, ok := n.ChildByField(field); ok {
			return n
		}
	}
	found := n
	n.Walk(func(c Node) bool {
		switch c.Kind() {
		case "arrow_function", "function_expression", "generator_function", "func_literal", "method_definition", "function_definition", "function_declaration":
			found = c
		}
		return found == n
	})
	return found
}

func params(lang Language, p Node) []Param {
	switch lang {
	case Python:
		return []Param{pythonParam(p)}
	case Go:
		return goParams(p)
	}
	return []Param{scriptParam(p)}
}

func pythonParam(p Node) Param {
	switch p.Kind() {
	case "default_parameter", "typed_default_parameter":
		return Param{Name: p.TextOf("name"), Optional: true, Given: p.TextOf("value")}
	case "typed_parameter":
		if held := p.NamedChildren(); len(held) > 0 {
			return pythonParam(held[0])
		}
	case "list_splat_pattern":
		return Param{Name: strings.TrimLeft(p.Text(), "* "), Mark: "*", Optional: true}
	case "dictionary_splat_pattern":
		return Param{Name: strings.TrimLeft(p.Text(), "* "), Mark: "**", Optional: true}
	}
	return Param{Name: p.Text()}
}

func scriptParam(p Node) Param {
	out := Param{Name: p.Text()}
	switch p.Kind() {
	case "assignment_pattern":
		if l, ok := p.ChildByField("left"); ok {
			out.Name = l.Text()
		}
		if r, ok := p.ChildByField("right"); ok {
			out.Given = r.Text()
		}
		out.Optional = true
	case "rest_pattern":
		out = Param{Name: strings.TrimPrefix(p.Text(), "..."), Mark: "...", Optional: true}
	case "required_parameter", "optional_parameter":
		if l, ok := p.ChildByField("pattern"); ok {
			out = scriptParam(l)
		}
		out.Type = strings.Join(strings.Fields(strings.TrimPrefix(p.TextOf("type"), ":")), " ")
		given, has := p.ChildByField("value")
		if has {
			out.Given = given.Text()
		}
		out.Optional = out.Optional || has || p.Kind() == "optional_parameter"
	}
	if strings.HasPrefix(out.Name, "{") { // what an object is taken apart into
		out.Name = "{…}"
	}
	return out
}

func goParams(p Node) []Param {
	base := Param{Type: strings.Join(strings.Fields(p.TextOf("type")), " ")}
	if p.Kind() == "variadic_parameter_declaration" {
		base.Mark, base.Optional = "...", true
	}
	var out []Param
	for _, c := range p.NamedChildren() {
		if c.Field() == "name" {
			with := base
			with.Name = c.Text()
			out = append(out, with)
		}
	}
	if len(out) == 0 {
		return []Param{base}
	}
	return out
}

// goResult is a result list without the names.
func goResult(n Node) string {
	if n.Kind() != "parameter_list" {
		return strings.Join(strings.Fields(n.Text()), " ")
	}
	var out []string
	for _, p := range n.NamedChildren() {
		for _, g := range goParams(p) {
			out = append(out, g.Type)
		}
	}
	return strings.Join(out, ", ")
}

// Breaks says what of the calls that suit old does not suit c, or "". A new
// parameter with a default, or a default for an old one, breaks nothing.
func (c Callable) Breaks(old Callable) string {
	if c.Async != old.Async {
		if c.Async {
			return "it is async now"
		}
		return "it is not async any more"
	}
	if c.Result != old.Result {
		return fmt.Sprintf("it gives (%s) instead of (%s)", c.Result, old.Result)
	}
	for i, was := range old.Params {
		if i >= len(c.Params) {
			return fmt.Sprintf("parameter %s is gone", was.title())
		}
		if why := c.Params[i].breaks(was, c.lang); why != "" {
			return why
		}
	}
	for _, p := range c.Params[len(old.Params):] {
		if !p.Optional || c.lang == Go {
			return fmt.Sprintf("parameter %s is new and has no default", p.title())
		}
	}
	return ""
}

func (p Param) title() string {
	if p.Name == "" {
		return p.Type
	}
	return p.Name
}

func (p Param) breaks(was Param, lang Language) string {
	switch {
	case p.Mark != was.Mark, lang != Go && p.Name != was.Name:
		return fmt.Sprintf("where %s was, %s is", was.title(), p.title())
	case was.Optional && !p.Optional:
		return fmt.Sprintf("parameter %s has no default any more", p.title())
	case lang == Go && p.Type != was.Type,
		was.Type != p.Type && was.Type != "" && p.Type != "" && !widened(was.Type, p.Type):
		return fmt.Sprintf("parameter %s has type %s instead of %s", p.title(), p.Type, was.Type)
	}
	return ""
}

// widened tells whether a union holds all parts of another.
func widened(was, is string) bool {
	parts := strings.Split(is, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	for p := range strings.SplitSeq(was, "|") {
		if !slices.Contains(parts, strings.TrimSpace(p)) {
			return slices.Contains(parts, "any") || slices.Contains(parts, "unknown")
		}
	}
	return true
}
