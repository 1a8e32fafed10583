package gate

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
)

var pythonDialect = &dialect{
	howNamed: "name its functions test_…, at the top of the file or in a class Test…",
	mock:     lazyregexp.New(`\b(?:Mock|MagicMock|AsyncMock|NonCallableMock|create_autospec|mock_open|patch(?:\.object|\.dict)?|mocker\.\w+(?:\.\w+)?)\(`),
	frame:    lazyregexp.New(`^(?:print|len|range|enumerate|zip|isinstance|pytest\..*|self\.subTest)$`),
	runs:     lazyregexp.New(`\bsubprocess\.|\brunpy\.|\bos\.system\b`),
	steps:    lazyregexp.New(`\b(?:next|pop|popleft|popitem|read|readline|get_nowait|send)\(`),
	habits: []habit{
		{Sleeps, lazyregexp.New(`^(?:time|asyncio|trio|gevent|anyio)\.sleep$|^sleep$`), nil, saySleep},
		{Network, lazyregexp.New(`^(?:requests|httpx)\.(?:get|post|put|delete|head|patch|request|Session|Client)$|^(?:urllib\.request\.)?urlopen$|^socket\.(?:socket|create_connection)$|^http\.client\.HTTPS?Connection$|^aiohttp\.ClientSession$`), nil, sayNet},
		{Skips, lazyregexp.New(`^(?:pytest\.)?(?:skip|importorskip|xfail)$|^pytest\.mark\.(?:skip|skipif|xfail)$|^(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure|SkipTest)$|^self\.skipTest$`), nil, saySkip},
		{Flaky, lazyregexp.New(`^random\.(?:random|randint|randrange|choice|choices|sample|shuffle|uniform|gauss)$|^(?:secrets|uuid)\.\w+$|^os\.urandom$`), lazyregexp.New(`\b(?:seed|Random)\(\s*\w`), sayChance},
		{Flaky, lazyregexp.New(`^time\.(?:time|time_ns|monotonic|perf_counter)$|^(?:datetime\.)*(?:datetime|date)\.(?:now|utcnow|today)$`), nil, sayChance},
	},
	tests: pythonTests, names: pythonNames, imports: pythonImports, define: pythonDefine,
	called: func(n code.Node) (string, bool) {
		if n.Kind() == "decorator" {
			text := strings.TrimSpace(strings.TrimPrefix(wording(n), "@"))
			name, _, _ := strings.Cut(text, "(")
			return name, !strings.Contains(text, "(")
		}
		return calls(n)
	},
	given: func(s *sheet, t test, name string) bool {
		params, ok := t.body.ChildByField("parameters")
		return s.helpers[name] || ok && name != "self" && slices.Contains(bound(params), name)
	},
	helps: func(s *sheet, name string, _ []code.Node) bool {
		return s.helpers[root(name)] || strings.HasPrefix(name, "self.") && strings.Count(name, ".") == 1 && len(s.defs[last(name)])+len(s.vars[name]) == 0 && s.inherits()
	},
	skips: func(n code.Node) bool {
		return n.Kind() == "raise_statement" && strings.Contains(wording(n), "SkipTest") && !strings.Contains(wording(n), "(")
	},
	swallows: pythonSwallows,
	constant: func(_ *sheet, a assertion.Assertion) bool {
		return len(a.About) == 1 && (a.About[0].Kind() == "tuple" && len(a.About[0].NamedChildren()) > 0 || pythonAlways.MatchString(a.About[0].Text()))
	},
}

// pythonOwn are the names that Python has without an import.
var pythonOwn = func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(`ArithmeticError AssertionError AttributeError BaseException EOFError Exception False FileNotFoundError
		IOError ImportError IndexError KeyError KeyboardInterrupt LookupError MemoryError NameError None NotImplemented NotImplementedError OSError
		OverflowError PermissionError RecursionError RuntimeError StopIteration SyntaxError SystemExit TimeoutError True TypeError UnicodeDecodeError
		UnicodeEncodeError UnicodeError UserWarning DeprecationWarning Warning ValueError ZeroDivisionError __file__ __name__ abs all any ascii bin bool
		bytearray bytes callable chr classmethod complex delattr dict dir divmod enumerate eval filter float format frozenset getattr globals hasattr
		hash hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr
		reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip self cls pytest unittest`) {
		out[name] = true
	}
	return out
}()

var (
	oneName      = lazyregexp.New(`[\pL_]\w*`)
	pythonAlways = lazyregexp.New(`(?s)\bor\s+True$|^True\s+or\b|^len\([^()]*\)\s*>=\s*0$`)
	wideCatch    = lazyregexp.New(`\b(?:Exception|BaseException|AssertionError)\b`)
)

func pythonTests(t *code.Tree) []test {
	var out []test
	t.Walk(func(n code.Node) bool {
		if n.Kind() != "function_definition" {
			return true
		}
		name, _ := n.ChildByField("name")
		if strings.HasPrefix(wording(name), "test") {
			out = append(out, test{wording(name), n})
		}
		return false // a test inside a function is not found by the runners
	})
	return out
}

func pythonNames(s *sheet, n code.Node) []string {
	var out []string
	n.Walk(func(c code.Node) bool {
		switch {
		case c.Kind() == "attribute":
			attr, _ := c.ChildByField("attribute")
			if s.mocked[wording(attr)] {
				out = append(out, wording(attr))
				return false
			}
			if object, _ := c.ChildByField("object"); wording(object) == "self" || wording(object) == "cls" {
				out = append(out, "self."+wording(attr))
				return false
			}
		case c.Kind() == "identifier":
			if up, ok := c.Parent(); ok && (c.Field() == "attribute" || up.Kind() == "keyword_argument" && c.Field() == "name" || c.Field() == "type" || up.Kind() == "type") {
				return true
			}
			out = append(out, wording(c))
		}
		return true
	})
	return out
}

// pythonImports tells which imported names lead to the project. A module does
// when a file or folder of the base carries its name.
func pythonImports(_ context.Context, s *sheet, _ fs.FS, files map[string]bool) error {
	s.t.Walk(func(n code.Node) bool {
		switch n.Kind() {
		case "import_from_statement":
			module, _ := n.ChildByField("module_name")
			for _, c := range below(n)[min(1, len(below(n))):] {
				s.pythonName(files, wording(module), c)
			}
		case "import_statement":
			for _, c := range below(n) {
				s.pythonName(files, "", c)
			}
		}
		return true
	})
	return nil
}

func (s *sheet) pythonName(files map[string]bool, module string, n code.Node) {
	name, alias := wording(n), ""
	if n.Kind() == "aliased_import" {
		a, _ := n.ChildByField("alias")
		m, _ := n.ChildByField("name")
		name, alias = wording(m), wording(a)
	}
	if module == "" {
		module = name
	}
	if alias == "" {
		alias = root(name)
	}
	own, helper := s.pythonModule(files, module, name)
	if own && name == "*" {
		s.star = true
	} else if own {
		s.project[alias] = true
	}
	if helper {
		s.helpers[alias] = true
	}
}

// pythonModule tells whether a module is the project's, and whether it is a
// helper of its tests.
func (s *sheet) pythonModule(files map[string]bool, module, name string) (own, helper bool) {
	dots := len(module) - len(strings.TrimLeft(module, "."))
	rel := strings.ReplaceAll(strings.TrimLeft(module, "."), ".", "/")
	if dots > 0 {
		dir := path.Dir(s.path)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		rel = strings.TrimPrefix(path.Join(dir, rel), "./")
	}
	for f := range files {
		if path.Ext(f) != ".py" && path.Ext(f) != ".pyi" && path.Ext(f) != ".pyx" {
			continue
		}
		whole := "/" + strings.TrimSuffix(strings.TrimSuffix(f, path.Ext(f)), "/__init__")
		if strings.HasSuffix(whole, "/"+rel) || strings.HasSuffix(whole, path.Join("/", rel, name)) || strings.Contains(whole, "/"+rel+"/") {
			if code.IsTest(f) || path.Base(f) == "conftest.py" {
				helper = true
			} else {
				own = true
			}
		}
	}
	return own, helper && !own
}

func pythonDefine(s *sheet, n code.Node) {
	switch n.Kind() {
	case "function_definition", "class_definition":
		s.patchedParams(n)
	case "assignment", "augmented_assignment", "for_statement", "for_in_clause":
		s.fields(n, "left", "right")
	case "named_expression":
		s.fields(n, "name", "value")
	case "as_pattern":
		if kids := below(n); len(kids) == 2 {
			s.assign(kids[1], kids[0])
		}
	case "call":
		name, _ := calls(n)
		if last(name) == "parametrize" {
			s.parameters(n)
			return
		}
		if !regexp.MustCompile(`(?:^|\.)patch(?:\.object)?$|setattr$`).MatchString(name) {
			return
		}
		args, _ := n.ChildByField("arguments")
		for _, a := range first(below(args), 2) {
			if a.Kind() == "string" {
				s.mocked[last(strings.Trim(wording(a), `"'`))] = true
				return
			}
		}
	}
}

// parameters: a test's parameters are what its decorator lists.
func (s *sheet) parameters(call code.Node) {
	args, _ := call.ChildByField("arguments")
	list := below(args)
	if len(list) < 2 {
		return
	}
	for _, name := range oneName.FindAllString(wording(list[0]), -1) {
		s.vars[name] = append(s.vars[name], list[1])
	}
}

// inherits tells whether a class of the file has methods from another file.
func (s *sheet) inherits() bool {
	found := false
	s.t.Walk(func(n code.Node) bool {
		if bases, ok := n.ChildByField("superclasses"); ok && n.Kind() == "class_definition" {
			found = found || slices.ContainsFunc(below(bases), func(b code.Node) bool { return last(wording(b)) != "TestCase" && len(s.defs[wording(b)]) == 0 })
		}
		return !found
	})
	return found
}

// patchedParams: the parameters that @patch hands in are mocks.
func (s *sheet) patchedParams(fn code.Node) {
	up, ok := fn.Parent()
	params, has := fn.ChildByField("parameters")
	if !ok || !has || up.Kind() != "decorated_definition" {
		return
	}
	n := 0
	for _, c := range below(up) {
		if c.Kind() == "decorator" && strings.Contains(wording(c), "patch") {
			n++
		}
	}
	for _, p := range bound(params) {
		if p != "self" && n > 0 {
			s.mocked[p] = true
			n--
		}
	}
}

func pythonSwallows(s *sheet, n code.Node) bool {
	switch n.Kind() {
	case "except_clause":
		value, typed := n.ChildByField("value")
		kids := below(n)
		if len(kids) == 0 || typed && !wideCatch.MatchString(wording(value)) || !typed && len(kids) > 1 {
			return false
		}
		block := kids[len(kids)-1]
		return !strings.Contains(wording(block), "raise") && !s.assertsIn(block)
	case "call":
		name, args, _ := assertion.Call(n)
		wide := len(args) > 0 && slices.ContainsFunc(args, func(a code.Node) bool { return wideCatch.MatchString(wording(a)) && a.Kind() != "string" })
		switch last(name) {
		case "suppress":
			return wide
		case "raises", "assertRaises":
			return wide && regexp.MustCompile(`^\(?(?:Exception|BaseException)\b`).MatchString(args[0].Text()) && !strings.Contains(wording(n), "match=")
		}
	}
	return false
}

func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }
