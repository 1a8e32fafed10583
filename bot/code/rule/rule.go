// Package rule is the language of repair rules: a pattern of syntax with
// metavariables, what is written in its place, and where that may be done. In flow
// files of rules and nodes of parsed files; out flow changes of the source, each
// with the sentence that people read. A rule is data: it runs nothing, sees one
// file at a time, and is applied once to what it matches, so that it cannot loop.
//
// A metavariable $X stands for one node, $$$X for a row of them (arguments,
// statements), $_ for a node that is not needed again. The same name twice asks for
// the same code twice, whatever white space and quotes it is written with. One row
// holds one $$$ at most, so that a match is never ambiguous. The habits are those of
// ast-grep (patterns are code), Semgrep (equality by name) and Coccinelle (kinds of
// metavariables, conditions on where a match stands).
package rule

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/fettle-dev/fettle/bot/code"
)

// Rule is one rule as it stands in a file.
type Rule struct {
	Name      string  `yaml:"name"`
	Class     string  `yaml:"class"`     // class of fault that it mends or plants
	Share     float64 `yaml:"share"`     // how likely against other rules; see package mutate
	Languages List    `yaml:"languages"` // python, javascript (TypeScript too), go, java, rust
	Form      `yaml:",inline"`
	Forms     []Form    `yaml:"forms,omitempty"`
	Examples  []Example `yaml:"examples,omitempty"`

	File string `yaml:"-"`
	Line int    `yaml:"-"` // 1-based
}

// Form is one pattern with what may stand in its place. What stands beside forms
// holds for all of them.
type Form struct {
	In     List    `yaml:"in,omitempty"`     // of the rule's languages, those of this form
	Match  List    `yaml:"match,omitempty"`  // any of these
	If     List    `yaml:"if,omitempty"`     // conditions
	With   Words   `yaml:"with,omitempty"`   // words that the form is written with, one after another: OP: [+, -]
	Each   Each    `yaml:"each,omitempty"`   // metavariables of the rewrite that take many values
	At     string  `yaml:"at,omitempty"`     // the metavariable that is replaced; else the whole match
	To     Choices `yaml:"to,omitempty"`     // what is written, each with its weight
	Loose  bool    `yaml:"loose,omitempty"`  // write it as it stands, without the parentheses that keep the parts together
	Says   string  `yaml:"says,omitempty"`   // a sentence; $X becomes what it stands for, $TO what is written
	Weight float64 `yaml:"weight,omitempty"` // against the rule's other forms; 1 is usual
	Line   int     `yaml:"-"`
}

// Example is a test of a rule: it turns Was into Now.
type Example struct {
	In  string `yaml:"in,omitempty"` // language; the rule's first when empty
	Was string `yaml:"was"`
	Now string `yaml:"now,omitempty"` // empty: the rule does not fit
}

// List is a list of texts; a single text is a list of one.
type List []string

// UnmarshalYAML reads a text or a list of texts.
func (l *List) UnmarshalYAML(n ast.Node) error {
	var one string
	if n.Type() != ast.SequenceType {
		if err := yaml.NodeToValue(n, &one); err != nil {
			return err
		}
		*l = List{one}
		return nil
	}
	return yaml.NodeToValue(n, (*[]string)(l))
}

// Choice is a rewrite with its weight.
type Choice struct {
	Text   string
	Weight float64
}

// Choices are rewrites: a text, a list of texts, or texts with weights.
type Choices []Choice

// UnmarshalYAML reads a text, a list, or a map from texts to weights.
func (c *Choices) UnmarshalYAML(n ast.Node) error {
	if m, ok := n.(*ast.MappingNode); ok {
		for _, v := range m.Values {
			var text string
			var w float64
			if err := errors.Join(yaml.NodeToValue(v.Key, &text), yaml.NodeToValue(v.Value, &w)); err != nil {
				return err
			}
			*c = append(*c, Choice{text, w})
		}
		return nil
	}
	var list List
	if err := list.UnmarshalYAML(n); err != nil {
		return err
	}
	for _, text := range list {
		*c = append(*c, Choice{text, 1})
	}
	return nil
}

// Generator gives the values that a metavariable of a rewrite takes.
type Generator struct {
	Hole string
	Call string // name and words, such as "variables local"
}

// Each is the generators of a form, in order.
type Each []Generator

// UnmarshalYAML reads a map from metavariables to generators.
func (e *Each) UnmarshalYAML(n ast.Node) error {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return errors.New("each: write a metavariable and its generator, such as $V: variables")
	}
	for _, v := range m.Values {
		var g Generator
		if err := errors.Join(yaml.NodeToValue(v.Key, &g.Hole), yaml.NodeToValue(v.Value, &g.Call)); err != nil {
			return err
		}
		*e = append(*e, g)
	}
	return nil
}

// Word is a mark in a form that stands for several words in turn, such as operators,
// for which no metavariable can stand.
type Word struct {
	Mark string
	List List
}

// Words are the marks of a form.
type Words []Word

// UnmarshalYAML reads a map from marks to lists.
func (w *Words) UnmarshalYAML(n ast.Node) error {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return errors.New("with: write a mark and its words, such as OP: [+, -]")
	}
	for _, v := range m.Values {
		var word Word
		if err := errors.Join(yaml.NodeToValue(v.Key, &word.Mark), word.List.UnmarshalYAML(v.Value)); err != nil {
			return err
		}
		*w = append(*w, word)
	}
	return nil
}

// UnmarshalYAML reads a rule, and notes where it stands.
func (r *Rule) UnmarshalYAML(n ast.Node) error {
	type plain Rule
	if err := yaml.NodeToValue(n, (*plain)(r), yaml.Strict()); err != nil {
		return err
	}
	r.Line = lineOf(n)
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return nil
	}
	for _, v := range m.Values {
		switch list, isList := v.Value.(*ast.SequenceNode); {
		case v.Key.String() == "match":
			r.Form.Line = lineOf(v)
		case v.Key.String() == "forms" && isList:
			for i := range min(len(list.Values), len(r.Forms)) {
				r.Forms[i].Line = lineOf(list.Values[i])
			}
		}
	}
	return nil
}

func lineOf(n ast.Node) int {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		return lineOf(m.Values[0].Key)
	}
	if v, ok := n.(*ast.MappingValueNode); ok {
		return lineOf(v.Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

// Error is a mistake in a file of rules, at a place.
type Error struct {
	File string
	Line int // 1-based; 0 for the whole file
	Rule string
	Says string
}

func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Rule != "" {
		where += ": rule " + e.Rule
	}
	return where + ": " + e.Says
}

const (
	maxFile  = 512 << 10
	maxLine  = 2000 // the YAML parser's time grows with the square of a line
	maxRules = 2000
	maxForms = 64
)

// Parse reads a file of rules: a list. It does not know yet whether its patterns
// are code (Compile does). The errors say file and line, and what to write instead.
func Parse(file string, src []byte) ([]Rule, error) {
	if len(src) > maxFile {
		return nil, &Error{File: file, Says: fmt.Sprintf("%d bytes are more than a file of rules may have (%d): split it", len(src), maxFile)}
	}
	for i, line := range bytes.Split(src, []byte("\n")) {
		if len(line) > maxLine {
			return nil, &Error{File: file, Line: i + 1, Says: fmt.Sprintf("the line has more than %d bytes: break it", maxLine)}
		}
	}
	tree, err := parser.ParseBytes(src, 0)
	if err != nil {
		return nil, &Error{File: file, Line: yamlLine(err), Says: yamlSays(err)}
	}
	var out []Rule
	for _, doc := range tree.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType || doc.Body.Type() == ast.CommentType {
			continue
		}
		if n := reference(doc.Body); n != nil {
			return nil, &Error{File: file, Line: lineOf(n), Says: "anchors and aliases are not read: write each rule out"}
		}
		list, ok := doc.Body.(*ast.SequenceNode)
		if !ok {
			return nil, &Error{File: file, Line: lineOf(doc.Body), Says: "a file of rules is a list: begin each rule with “- name:”"}
		}
		for _, n := range list.Values {
			var r Rule
			if err := yaml.NodeToValue(n, &r, yaml.Strict()); err != nil {
				return nil, &Error{File: file, Line: max(yamlLine(err), lineOf(n)), Says: yamlSays(err)}
			}
			r.File = file
			out = append(out, r)
		}
	}
	if len(out) > maxRules {
		return nil, &Error{File: file, Says: fmt.Sprintf("%d rules are more than a file may have (%d): split it", len(out), maxRules)}
	}
	var all []error
	for i := range out {
		if says := out[i].plain(); says != "" {
			all = append(all, &Error{File: file, Line: out[i].Line, Rule: out[i].Name, Says: says})
		}
	}
	return out, errors.Join(all...)
}

type finder struct{ found ast.Node }

func (f *finder) Visit(n ast.Node) ast.Visitor {
	if n.Type() == ast.AnchorType || n.Type() == ast.AliasType {
		f.found = n
	}
	if f.found != nil {
		return nil
	}
	return f
}

func reference(n ast.Node) ast.Node {
	var f finder
	ast.Walk(&f, n)
	return f.found
}

var yamlPlace = regexp.MustCompile(`^\[(\d+):\d+\] (.*)`)

func yamlLine(err error) int {
	line := 0
	if m := yamlPlace.FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	return line
}

// yamlSays is the first line of what the YAML library says, without the place.
func yamlSays(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if m := yamlPlace.FindStringSubmatch(text); m != nil {
		return m[2]
	}
	return text
}

var goodName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

var goodMark = regexp.MustCompile(`^[A-Z]{2,}$`)

// plain is what is wrong with the plain parts of a rule, or "".
func (r *Rule) plain() string {
	switch {
	case !goodName.MatchString(r.Name):
		return "name: write small letters, digits and underscores, such as wrong_rounding"
	case r.Class == "":
		return "class: say which class of fault it mends, such as “off-by-one”"
	case r.Share <= 0 || r.Share > 0.2:
		return "share: write a share between 0 and 0.2; 0.01 is usual"
	case len(r.Languages) == 0:
		return "languages: name at least one of " + strings.Join(words(), ", ")
	case len(r.forms()) == 0:
		return "match: write a pattern, and with to: what is written instead"
	case len(r.forms()) > maxForms:
		return fmt.Sprintf("forms: %d are more than a rule may have (%d): make two rules of it", len(r.forms()), maxForms)
	}
	for _, l := range r.Languages {
		if _, ok := families[l]; !ok {
			return "languages: no grammar for " + l + "; known are " + strings.Join(words(), ", ")
		}
	}
	for _, f := range r.forms() {
		for _, l := range f.In {
			if !slices.Contains(r.Languages, l) {
				return "in: " + l + " is not one of the rule's languages"
			}
		}
		for _, w := range f.With {
			if !goodMark.MatchString(w.Mark) || len(w.List) == 0 {
				return "with: " + w.Mark + ": write a mark of two or more capital letters, and its words"
			}
		}
		if f.Says == "" {
			return "says: write the sentence that people read of the change"
		}
	}
	return ""
}

// forms are all forms of a rule, each with what it has of the rule's own.
func (r *Rule) forms() []Form {
	if len(r.Forms) == 0 && len(r.Match)+len(r.To) > 0 {
		return []Form{r.Form}
	}
	out := slices.Clone(r.Forms)
	for i := range out {
		f := &out[i]
		f.If = slices.Concat(r.If, f.If)
		f.In = either(f.In, r.In)
		f.Match = either(f.Match, r.Match)
		f.To = either(f.To, r.To)
		f.Each = either(f.Each, r.Each)
		f.With = either(f.With, r.With)
		f.At = cmp.Or(f.At, r.At)
		f.Loose = f.Loose || r.Loose
		f.Says = cmp.Or(f.Says, r.Says)
		f.Weight = cmp.Or(f.Weight, 1) * cmp.Or(r.Weight, 1)
	}
	return out
}

// spelled are a form's versions, one for each of its words.
func (f Form) spelled() []Form {
	if len(f.With) == 0 {
		return []Form{f}
	}
	mark, list := f.With[0].Mark, f.With[0].List
	f.With = f.With[1:]
	var out []Form
	for _, word := range list {
		g := f
		put := func(texts []string) []string {
			out := slices.Clone(texts)
			for i := range out {
				out[i] = strings.ReplaceAll(out[i], mark, word)
			}
			return out
		}
		g.Match, g.If, g.Says = put(f.Match), put(f.If), put([]string{f.Says})[0]
		g.To = slices.Clone(f.To)
		for i := range g.To {
			g.To[i].Text = strings.ReplaceAll(g.To[i].Text, mark, word)
		}
		out = append(out, g.spelled()...)
	}
	return out
}

func either[S ~[]E, E any](own, rules S) S {
	if len(own) > 0 {
		return own
	}
	return rules
}

// families are the languages of rules, and the grammar that reads their patterns.
var families = map[string]code.Language{
	"python": code.Python, "javascript": code.JavaScript, "go": code.Go, "java": code.Java, "rust": code.Rust,
}

func words() []string { return slices.Sorted(maps.Keys(families)) }

// family is the word of a language in rules; "" for one without rules.
func family(l code.Language) string {
	switch l {
	case code.TypeScript, code.TSX:
		l = code.JavaScript
	}
	for word, lang := range families {
		if lang == l {
			return word
		}
	}
	return ""
}
