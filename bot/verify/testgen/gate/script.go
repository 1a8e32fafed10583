package gate

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
)

var scriptDialect = &dialect{
	howNamed: "make it with test('…', () => {…}) or it('…', …)",
	mock:     scriptMock,
	frame:    scriptFrame,
	runs:     lazyregexp.New(`\b(?:spawn|exec|execFile|fork)(?:Sync)?\(`),
	steps:    lazyregexp.New(`\b(?:next|pop|shift|read)\(`),
	habits: []habit{
		{Sleeps, lazyregexp.New(`^(?:setTimeout|setInterval|sleep|delay|setTimeoutPromise|(?:timers|timersPromises)\.setTimeout)$`), lazyregexp.New(`mock\.timers|useFakeTimers`), saySleep},
		{Network, lazyregexp.New(`^(?:fetch|axios(?:\.\w+)?|https?\.(?:get|request)|net\.(?:connect|createConnection)|WebSocket)$`), lazyregexp.New(`(?:fetch|axios|https?)['"]?\s*[,=]`), sayNet},
		{Skips, lazyregexp.New(`^(?:test|it|describe|suite|context)\.(?:skip|todo|only)$|^x(?:it|test|describe)$|^f(?:it|describe)$|^t\.(?:skip|todo)$|^this\.skip$`), nil, saySkip},
		{Flaky, lazyregexp.New(`^Math\.random$|^Date\.now$|^performance\.now$|^crypto\.random\w+$|^randomUUID$`), lazyregexp.New(`mock\.timers|useFakeTimers`), sayChance},
	},
	tests: scriptTests, names: scriptNames, called: calls, imports: scriptImports, define: scriptDefine,
	helps: func(s *sheet, name string, _ []code.Node) bool { return s.helpers[root(name)] },
	given: func(s *sheet, _ test, name string) bool { return s.helpers[name] },
	skips: func(n code.Node) bool {
		return n.Kind() == "pair" && regexp.MustCompile(`^['"]?(?:skip|todo|only)['"]?\s*:\s*(?:true|['"])`).MatchString(wording(n)) && n.Up() == "object" && inTestCall(n)
	},
	swallows: scriptSwallows,
	constant: func(_ *sheet, a assertion.Assertion) bool {
		return len(a.About) >= 1 && regexp.MustCompile(`\|\|\s*true$|^true\s*\|\||^[\w.]+\.length\s*>=\s*0$`).MatchString(a.About[0].Text())
	},
}

var (
	scriptMock     = lazyregexp.New(`\b(?:(?:t\.)?mock\.(?:fn|method|getter|setter)|jest\.(?:fn|spyOn)|vi\.(?:fn|spyOn)|sinon\.(?:stub|spy|fake|mock))\(`)
	scriptFrame    = lazyregexp.New(`^(?:test|it|describe|suite|context|before|after|beforeEach|afterEach|t\.test)(?:\.\w+)?$|^console\.\w+$`)
	scriptTestCall = lazyregexp.New(`^(?:test|it|specify)(?:\.\w+)*$`)
)

func inTestCall(n code.Node) bool {
	up, ok := n.Ancestor("call_expression")
	name, _ := calls(up)
	return ok && scriptFrame.MatchString(name)
}

func scriptTests(t *code.Tree) []test {
	var out []test
	t.Walk(func(n code.Node) bool {
		name, ok := calls(n)
		if !ok || n.Kind() != "call_expression" || !scriptTestCall.MatchString(name) {
			return true
		}
		args, _ := n.ChildByField("arguments")
		kids := below(args)
		if len(kids) > 0 {
			out = append(out, test{strings.Trim(kids[0].Text(), "'\"`"), n})
		}
		return false
	})
	return out
}

func scriptNames(s *sheet, n code.Node) []string {
	var out []string
	n.Walk(func(c code.Node) bool {
		switch c.Kind() {
		case "member_expression":
			prop, _ := c.ChildByField("property")
			object, _ := c.ChildByField("object")
			if s.mocked[wording(prop)] {
				out = append(out, wording(prop))
				return false
			}
			if object.Kind() == "this" {
				out = append(out, "this."+wording(prop))
				return false
			}
		case "identifier", "shorthand_property_identifier":
			if wording(c) != "assert" && wording(c) != "expect" {
				out = append(out, wording(c))
			}
		}
		return true
	})
	return out
}

// scriptImports: a relative module that is no test file is the project's.
func scriptImports(_ context.Context, s *sheet, _ fs.FS, _ map[string]bool) error {
	note := func(pattern code.Node, source string) {
		source = strings.Trim(source, "'\"`")
		own := strings.HasPrefix(source, ".") || strings.HasPrefix(source, "@/") || strings.HasPrefix(source, "~/") || strings.HasPrefix(source, "#")
		for _, name := range bound(pattern) {
			switch {
			case own && code.IsTest(path.Join(path.Dir(s.path), source)+".js") && !strings.Contains(source, "../"):
				s.helpers[name] = code.IsTest("x/" + path.Base(source))
				s.project[name] = !s.helpers[name]
			case own:
				s.project[name] = true
			case strings.Contains(source, "assert"):
				s.helpers["assert:"+name] = true
			}
		}
	}
	s.t.Walk(func(n code.Node) bool {
		switch n.Kind() {
		case "import_statement":
			if source, ok := n.ChildByField("source"); ok {
				for _, c := range below(n) {
					if c.Kind() == "import_clause" {
						note(c, wording(source))
					}
				}
			}
			return false
		case "variable_declarator":
			name, _ := n.ChildByField("name")
			value, ok := n.ChildByField("value")
			if m := scriptRequire.FindStringSubmatch(wording(value)); ok && m != nil {
				note(name, m[1])
			}
		}
		return true
	})
	return nil
}

var scriptRequire = lazyregexp.New("^(?:await\\s+)?(?:require|import)\\(\\s*(['\"`][^'\"`]+['\"`])\\s*\\)")

func scriptDefine(s *sheet, n code.Node) {
	switch n.Kind() {
	case "variable_declarator":
		if value, ok := n.ChildByField("value"); ok && !scriptRequire.MatchString(wording(value)) {
			name, _ := n.ChildByField("name")
			s.assign(name, value)
		}
	case "assignment_expression", "augmented_assignment_expression", "for_in_statement":
		s.fields(n, "left", "right")
	case "call_expression":
		name, args, _ := assertion.Call(n)
		switch {
		case (last(name) == "method" || last(name) == "spyOn" || last(name) == "stub") && len(args) > 1 && scriptMock.MatchString(name+"("):
			s.mocked[strings.Trim(args[1].Text(), "'\"`")] = true
		case (name == "jest.mock" || name == "vi.mock") && len(args) > 0 && strings.HasPrefix(strings.Trim(args[0].Text(), "'\""), "."):
			s.mockModule(strings.Trim(args[0].Text(), "'\""))
		}
	}
}

// mockModule: what is imported from a mocked module is a mock.
func (s *sheet) mockModule(source string) {
	s.t.Walk(func(n code.Node) bool {
		if from, ok := n.ChildByField("source"); ok && n.Kind() == "import_statement" && strings.Trim(wording(from), "'\"") == source {
			for _, name := range bound(n) {
				s.mocked[name] = true
			}
		}
		return true
	})
}

func scriptSwallows(s *sheet, n code.Node) bool {
	switch n.Kind() {
	case "catch_clause":
		block, ok := n.ChildByField("body")
		return ok && !strings.Contains(wording(block), "throw") && !s.assertsIn(block) && !captures(n, block)
	case "call_expression":
		name, args, _ := assertion.Call(n)
		return strings.HasSuffix(name, ".catch") && len(args) == 1 && regexp.MustCompile(`^\(?\w*\)?\s*=>\s*(?:\{\s*\}|undefined|null|true|false)$`).MatchString(args[0].Text())
	}
	return false
}

// captures: the handler keeps the error for an assertion after it.
func captures(clause, block code.Node) bool {
	param, ok := clause.ChildByField("parameter")
	return ok && regexp.MustCompile(`=\s*`+regexp.QuoteMeta(wording(param))+`\b`).MatchString(wording(block))
}
