package cross

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
)

// Test names a test of a file.
type Test struct {
	// Name is native to its runner, without the file: "Class::method[param]",
	// "suite > test", "TestTotal/three".
	Name string
	// Line of its file where it failed before it was mended, 1-based; 0: not known.
	// That is the expectation which the issue is about.
	Line int
}

// How a test is made wrong.
type How int

const (
	// Expectation: the one at which it failed, or all; where it states none, its
	// end.
	Expectation How = iota
	// End: a statement is added that is reached whatever way the test takes, and
	// fails.
	End
)

// Falsify gives the file with tests made wrong, so that each of them must fail
// whatever the code under test does honestly. left are those for which that
// could not be done, by their place in tests; they are as they were.
func Falsify(ctx context.Context, path string, src []byte, tests []Test, how How, token string) (text []byte, left []int, err error) {
	d, ok := dialects[code.LanguageOf(path)]
	if !ok {
		return src, places(tests), nil
	}
	lang := code.LanguageOf(path)
	tree, err := code.Parse(ctx, lang, src)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the test %s: %w", path, err)
	}
	var all []change
	for i, t := range tests {
		got := d.falsify(tree, t, how, token)
		if len(got) == 0 {
			left = append(left, i)
		}
		for _, c := range got {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	text = apply(src, all)
	if errs, err := code.Check(ctx, path, text); err != nil {
		return nil, nil, fmt.Errorf("reading the falsified test %s: %w", path, err)
	} else if len(errs) > 0 && !tree.HasError() { // our own mistake must not count as the patch's
		return src, places(tests), nil
	}
	return text, left, nil
}

// Source is the text of a test in its file, with its decorators; "" where it is
// not found.
func Source(ctx context.Context, path string, src []byte, name string) string {
	lang := code.LanguageOf(path)
	d, ok := dialects[lang]
	if !ok || name == "" {
		return ""
	}
	tree, err := code.Parse(ctx, lang, src)
	if err != nil {
		return ""
	}
	var out []string
	for _, n := range d.find(tree, name) {
		if whole, ok := n.Parent(); ok && whole.Kind() == "decorated_definition" {
			n = whole
		}
		out = append(out, n.Text())
	}
	return strings.Join(out, "\n")
}

func places(tests []Test) []int {
	var out []int
	for i := range tests {
		out = append(out, i)
	}
	return out
}

// dialect is how the tests of one language state what they expect.
type dialect struct {
	find   func(tree *code.Tree, name string) []code.Node        // the functions of a test
	wrong  func(n code.Node, token string) []change              // makes one assertion wrong; nil: it is none
	ending func(function code.Node, name, token string) []change // lets it fail at its end, on every way there; nil: it cannot
}

var dialects = map[code.Language]dialect{
	code.Python:     {pythonTest, pythonWrong, pythonEnding},
	code.JavaScript: {scriptTest, scriptWrong, scriptEnding},
	code.TypeScript: {scriptTest, scriptWrong, scriptEnding},
	code.TSX:        {scriptTest, scriptWrong, scriptEnding},
	code.Go:         {goTest, goWrong, goEnding},
	code.Rust:       {rustTest, rustWrong, rustEnding},
	code.Ruby:       {rubyTest, rubyWrong, rubyEnding},
	code.PHP:        {phpTest, phpWrong, phpEnding},
	code.C:          {compiledTest, compiledWrong, compiledEnding},
	code.CPP:        {compiledTest, compiledWrong, compiledEnding},
	code.Java:       {javaTest, javaWrong, scriptEnding},
}

// falsify makes the assertion wrong at which the test failed, be it in a helper
// beside it; else all of the test's; else it lets the test fail at its end.
func (d dialect) falsify(tree *code.Tree, t Test, how How, token string) []change {
	if t.Line > 0 && how == Expectation {
		var at []change
		tree.Walk(func(n code.Node) bool {
			if n.Line() > t.Line || n.EndLine() < t.Line {
				return false
			}
			if got := d.wrong(n, token); got != nil {
				at = got // the innermost one
			}
			return true
		})
		if at != nil {
			return at
		}
	}
	var out []change
	functions := d.find(tree, t.Name)
	for _, f := range functions {
		if how == End {
			break
		}
		f.Walk(func(n code.Node) bool {
			got := d.wrong(n, token)
			out = append(out, got...)
			return got == nil
		})
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range functions {
		out = append(out, d.ending(f, t.Name, token)...)
	}
	return out
}

func replaced(n code.Node, text string) []change { return []change{{n.Start(), n.End(), text}} }

// pair puts the token beside the expected value: what equals that equals
// everything.
func pair(n code.Node, open, token, end string) []change {
	return replaced(n, fmt.Sprintf("%s%s, %q%s", open, n.Text(), token, end))
}

var parameters = regexp.MustCompile(`\[.*\]$`)

// pythonTest finds "Class::method[param]".
func pythonTest(tree *code.Tree, name string) []code.Node {
	parts := strings.Split(parameters.ReplaceAllString(name, ""), "::")
	var out []code.Node
	tree.Walk(func(n code.Node) bool {
		if n.Kind() != "function_definition" {
			return true
		}
		if own, ok := n.ChildByField("name"); !ok || own.Text() != parts[len(parts)-1] {
			return true
		}
		class, in := n.Ancestor("class_definition")
		if len(parts) > 1 {
			named, ok := class, in
			if ok {
				named, ok = class.ChildByField("name")
			}
			if !ok || named.Text() != parts[len(parts)-2] {
				return true
			}
		}
		out = append(out, n)
		return true
	})
	return out
}

func pythonWrong(n code.Node, token string) []change {
	switch n.Kind() {
	case "assert_statement":
		kids := n.NamedChildren()
		if len(kids) == 0 {
			return nil
		}
		e := kids[0]
		if e.Kind() == "parenthesized_expression" && len(e.NamedChildren()) == 1 {
			e = e.NamedChildren()[0]
		}
		if operands := e.NamedChildren(); e.Kind() == "comparison_operator" && len(operands) == 2 && len(e.Children()) == 3 && e.Children()[1].Text() == "==" {
			return pair(operands[1], "(", token, ")")
		}
		return replaced(kids[0], "not ("+kids[0].Text()+")")
	case "call":
		return pythonCall(n, token)
	}
	return nil
}

// pythonEquals are unittest's assertions whose second argument is made wrong.
var pythonEquals = []string{"assertEqual", "assertEquals", "assertIs", "assertListEqual", "assertTupleEqual", "assertSetEqual", "assertDictEqual", "assertSequenceEqual",
	"assertMultiLineEqual", "assertAlmostEqual", "assertCountEqual", "assertIn"}

func pythonCall(n code.Node, token string) []change {
	function, _ := n.ChildByField("function")
	arguments, ok := n.ChildByField("arguments")
	if !ok || function.Kind() != "attribute" {
		return nil
	}
	kids := function.NamedChildren()
	name, args := kids[len(kids)-1].Text(), arguments.NamedChildren()
	if slices.ContainsFunc(args, func(a code.Node) bool { return strings.HasSuffix(a.Kind(), "_splat") }) {
		return nil
	}
	never := fmt.Sprintf("type(%q, (Exception,), {})", token)
	switch {
	case slices.Contains(pythonEquals, name) && len(args) >= 2 && args[1].Kind() != "keyword_argument":
		return pair(args[1], "(", token, ")")
	case (name == "assertTrue" || name == "assertFalse") && len(args) >= 1:
		return replaced(args[0], "not ("+args[0].Text()+")")
	case name == "assertIsNone" && len(args) >= 1:
		return pair(args[0], "(", token, ")")
	case name == "assertIsNotNone" && len(args) >= 1:
		return replaced(args[0], "None")
	case (name == "assertRaises" || name == "assertRaisesRegex" || name == "raises") && len(args) >= 1 && args[0].Kind() != "keyword_argument":
		return replaced(args[0], never)
	}
	return nil
}

func pythonEnding(function code.Node, _, token string) []change {
	body, ok := function.ChildByField("body")
	if !ok || len(body.NamedChildren()) == 0 || returns(body) {
		return nil
	}
	src := body.Tree().Src
	indent, alone := code.IndentBefore(src, body.Start())
	if !alone {
		return nil
	}
	last := body.NamedChildren()[len(body.NamedChildren())-1].End()
	return []change{{last, last, fmt.Sprintf("%s%sassert %q == %q", code.LineEnding(src), indent, token, token[1:])}}
}

// returns tells whether a Python function can end before its end.
func returns(body code.Node) bool {
	found := false
	body.Walk(func(n code.Node) bool {
		found = found || n.Kind() == "return_statement"
		return !found && n.Kind() != "function_definition" && n.Kind() != "lambda"
	})
	return found
}

// scriptTest finds the callbacks of the tests called so: the last name of
// "suite > test".
func scriptTest(tree *code.Tree, name string) []code.Node {
	parts := strings.Split(name, " > ")
	last := parts[len(parts)-1]
	var out []code.Node
	tree.Walk(func(n code.Node) bool {
		if n.Kind() != "call_expression" {
			return true
		}
		arguments, ok := n.ChildByField("arguments")
		if !ok {
			return true
		}
		args := arguments.NamedChildren()
		if len(args) < 2 || !texts[args[0].Kind()] || !named(args[0], last) {
			return true
		}
		for _, a := range args[1:] {
			if slices.Contains(scriptBodies, a.Kind()) {
				out = append(out, a)
			}
		}
		return true
	})
	return out
}

var texts = map[string]bool{"string": true, "template_string": true}

// named tells whether a literal is the name; mocha joins the names of suites to
// that of the test. What a template fills in may be anything.
func named(literal code.Node, name string) bool {
	if len(literal.Text()) < 2 {
		return false
	}
	src, at := literal.Tree().Src, literal.Start()+1
	var parts []string
	literal.Walk(func(n code.Node) bool {
		if n.Kind() != "template_substitution" {
			return true
		}
		parts, at = append(parts, unescaped(string(src[at:n.Start()]))), n.End()
		return false
	})
	text := unescaped(string(src[at : literal.End()-1]))
	if len(parts) == 0 {
		return text == name || strings.HasSuffix(name, " "+text)
	}
	if strings.TrimSpace(strings.Join(parts, "")+text) == "" {
		return false // anything could be called so
	}
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile(`(?s)(?:^| )` + strings.Join(parts, ".*") + ".*" + regexp.QuoteMeta(text) + `$`).MatchString(name)
}

func unescaped(s string) string {
	return strings.NewReplacer(`\'`, `'`, `\"`, `"`, "\\`", "`", `\\`, `\`).Replace(s)
}

// scriptEquals are the methods whose expected value is made wrong: of an
// assertion library the second argument, of what was expected the first.
var (
	scriptEquals  = []string{"equal", "equals", "strictEqual", "deepEqual", "deepStrictEqual", "same", "is", "partialDeepStrictEqual"}
	scriptExpects = []string{"toBe", "toEqual", "toStrictEqual", "equal", "equals", "eql", "eq", "toContain", "toContainEqual", "include", "contain", "toHaveLength", "lengthOf", "toMatchObject"}
)

func scriptWrong(n code.Node, token string) []change {
	if n.Kind() != "call_expression" {
		return nil
	}
	function, _ := n.ChildByField("function")
	arguments, ok := n.ChildByField("arguments")
	if !ok {
		return nil
	}
	args := arguments.NamedChildren()
	if slices.ContainsFunc(args, func(a code.Node) bool { return a.Kind() == "spread_element" }) {
		return nil
	}
	if function.Text() == "assert" && len(args) >= 1 {
		return replaced(args[0], "!("+args[0].Text()+")")
	}
	if function.Kind() != "member_expression" {
		return nil
	}
	object, _ := function.ChildByField("object")
	property, _ := function.ChildByField("property")
	expects := strings.HasPrefix(object.Text(), "expect(") || strings.HasPrefix(object.Text(), "expect (")
	switch name := property.Text(); {
	case expects && slices.Contains(scriptExpects, name) && len(args) >= 1:
		return pair(args[0], "[", token, "]")
	case expects:
	case slices.Contains(scriptEquals, name) && len(args) >= 2:
		return pair(args[1], "[", token, "]")
	case (name == "ok" || name == "true" || name == "isTrue") && len(args) >= 1 && plain(object):
		return replaced(args[0], "!("+args[0].Text()+")")
	case name == "throws" && len(args) >= 1 && plain(object):
		return replaced(args[0], "() => {}")
	case name == "rejects" && len(args) >= 1 && plain(object):
		return replaced(args[0], "Promise.resolve()")
	case name == "match" && len(args) >= 2 && plain(object):
		return replaced(args[1], "/^"+token+"$/")
	}
	return nil
}

// plain: `assert.ok`, `t.ok`, `assert.strict.ok`, not `cart.list().ok`.
func plain(object code.Node) bool {
	return object.Kind() == "identifier" || object.Kind() == "member_expression" && !strings.Contains(object.Text(), "(")
}

func scriptEnding(function code.Node, _, token string) []change {
	body, ok := function.ChildByField("body")
	if !ok || body.Kind() != "statement_block" && body.Kind() != "block" {
		return nil
	}
	begin, end := body.Start()+1, body.End()-1
	return []change{{begin, begin, " try {"}, {end, end, fmt.Sprintf("\n} finally { throw new Error(%q); } ", token)}}
}

// goTest finds the function of "TestTotal/three".
func goTest(tree *code.Tree, name string) []code.Node {
	name, _, _ = strings.Cut(name, "/")
	var out []code.Node
	for _, n := range tree.Root().NamedChildren() {
		if own, ok := n.ChildByField("name"); n.Kind() == "function_declaration" && ok && own.Text() == name {
			out = append(out, n)
		}
	}
	return out
}

// goWrong turns round the condition on which a test reports, or what an
// assertion library is told.
func goWrong(n code.Node, token string) []change {
	switch n.Kind() {
	case "if_statement":
		condition, ok := n.ChildByField("condition")
		consequence, has := n.ChildByField("consequence")
		if ok && has && reports(consequence) {
			return replaced(condition, goOpposite(condition))
		}
	case "call_expression":
		function, _ := n.ChildByField("function")
		arguments, ok := n.ChildByField("arguments")
		if !ok || function.Kind() != "selector_expression" {
			return nil
		}
		kids, args := function.NamedChildren(), arguments.NamedChildren()
		if len(kids) != 2 || kids[0].Text() != "assert" && kids[0].Text() != "require" || len(args) < 2 {
			return nil
		}
		if kids[1].Text() == "Equal" && len(args) >= 3 {
			return replaced(args[1], fmt.Sprintf("[]any{%s, %q}", args[1].Text(), token))
		}
		opposite := map[string]string{"True": "False", "False": "True", "NoError": "Error", "Error": "NoError", "Nil": "NotNil", "NotNil": "Nil", "Empty": "NotEmpty", "NotEmpty": "Empty"}
		if o := opposite[kids[1].Text()]; o != "" {
			return replaced(kids[1], o)
		}
	}
	return nil
}

// goOpposites are the operators that hold where the other does not, of numbers
// that can be compared. Of a NaN neither holds.
var goOpposites = map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">", "&&": "||", "||": "&&"}

// goOpposite is the condition under which another does not hold for what it is
// meant for. What is neither above nor below a limit, a NaN, still passes then,
// and is noticed.
func goOpposite(n code.Node) string {
	switch n.Kind() {
	case "parenthesized_expression":
		if kids := n.NamedChildren(); len(kids) == 1 {
			return "(" + goOpposite(kids[0]) + ")"
		}
	case "binary_expression":
		left, _ := n.ChildByField("left")
		right, _ := n.ChildByField("right")
		operator, ok := n.ChildByField("operator")
		opposite := goOpposites[operator.Text()]
		switch {
		case !ok || opposite == "":
		case operator.Text() == "&&" || operator.Text() == "||":
			return "(" + goOpposite(left) + ") " + opposite + " (" + goOpposite(right) + ")"
		default:
			return left.Text() + " " + opposite + " " + right.Text()
		}
	}
	return "!(" + n.Text() + ")"
}

// reports tells whether a block itself says that the test fails.
func reports(block code.Node) bool {
	found := false
	block.Walk(func(n code.Node) bool {
		if n.Kind() == "call_expression" {
			if function, ok := n.ChildByField("function"); ok && function.Kind() == "selector_expression" {
				found = found || assertion.Reports(function.Text())
			}
		}
		return !found && n.Kind() != "func_literal" && n.Kind() != "if_statement"
	})
	return found
}

// goEnding lets a test and the subtests in it fail. A subtest whose function
// stands elsewhere is not reached that way.
func goEnding(function code.Node, name, token string) []change {
	own := goDeferred(function, token)
	if own == nil {
		return nil
	}
	out, open, subtests := []change{*own}, false, 0
	function.Walk(func(n code.Node) bool {
		called, _ := n.ChildByField("function")
		if n.Kind() != "call_expression" || called.Kind() != "selector_expression" || !strings.HasSuffix(called.Text(), ".Run") {
			return true
		}
		subtests++
		arguments, _ := n.ChildByField("arguments")
		args := arguments.NamedChildren()
		if len(args) != 2 || args[1].Kind() != "func_literal" {
			open = true
			return true
		}
		if c := goDeferred(args[1], token); c != nil {
			out = append(out, *c)
		} else {
			open = true
		}
		return true
	})
	if strings.Contains(name, "/") && (open || subtests == 0) {
		return nil
	}
	return out
}

// goDeferred is what makes a function that takes a *testing.T fail when it ends.
func goDeferred(function code.Node, token string) *change {
	body, ok := function.ChildByField("body")
	list, has := function.ChildByField("parameters")
	if !ok || !has || len(list.NamedChildren()) != 1 {
		return nil
	}
	name, ok := list.NamedChildren()[0].ChildByField("name")
	if !ok || name.Text() == "_" {
		return nil
	}
	return &change{body.Start() + 1, body.Start() + 1, fmt.Sprintf("\ndefer %s.Error(%q)\n", name.Text(), token)}
}
