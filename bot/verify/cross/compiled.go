package cross

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Tests in C and C++: GoogleTest, Catch2, doctest and assert.

var (
	googleTest = regexp.MustCompile(`^(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)`)
	googleName = regexp.MustCompile(`(?:^|/)(\w+)(?:/\d+)?\.(\w+)(?:/\w+)?$`)
)

// compiledTest finds the body of GoogleTest's "Suite.Name", with the parts of typed
// and parametrised ones, and of Catch2's "name" and doctest's.
func compiledTest(tree *code.Tree, name string) (out []code.Node) {
	m := googleName.FindStringSubmatch(name)
	tree.Walk(func(n code.Node) bool {
		switch n.Kind() {
		case "function_definition":
			head, ok := n.ChildByField("declarator")
			if g := googleTest.FindStringSubmatch(n.Text()); m != nil && g != nil && ok && head.Kind() != "" && g[1] == m[1] && g[2] == m[2] {
				out = append(out, n)
			}
		case "compound_statement":
			before := strings.TrimSpace(string(tree.Src[max(0, n.Start()-len(name)-200):n.Start()]))
			if at := strings.LastIndex(before, "TEST_CASE("); at >= 0 && strings.HasPrefix(before[at:], `TEST_CASE("`+name+`"`) && strings.HasSuffix(before, ")") {
				out = append(out, n)
			}
		}
		return true
	})
	return out
}

// opposites are the assertions that state the contrary with the same arguments; of
// those with a tolerance nothing is the contrary but that values differ at all.
var opposites = func() map[string]string {
	out := map[string]string{}
	both := func(a, b string) { out[a], out[b] = b, a }
	for _, level := range []string{"CHECK", "REQUIRE"} {
		both(level, level+"_FALSE")
		both(level+"_EQ", level+"_NE")
	}
	for _, level := range []string{"EXPECT_", "ASSERT_"} {
		for a, b := range map[string]string{"EQ": "NE", "STREQ": "STRNE", "STRCASEEQ": "STRCASENE", "TRUE": "FALSE", "LT": "GE", "LE": "GT"} {
			both(level+a, level+b)
		}
		out[level+"FLOAT_EQ"], out[level+"DOUBLE_EQ"] = level+"NE", level+"NE"
	}
	return out
}()

// compiledWrong makes an assertion state the opposite.
func compiledWrong(n code.Node, _ string) []change {
	function, ok := n.ChildByField("function")
	if !ok || n.Kind() != "call_expression" {
		return nil
	}
	name := function.Text()
	if other := opposites[name]; other != "" {
		return replaced(function, other)
	}
	args, ok := n.ChildByField("arguments")
	if !ok || name != "assert" || len(args.NamedChildren()) == 0 {
		return nil
	}
	condition := args.NamedChildren()[0]
	return replaced(condition, "!("+condition.Text()+")")
}

// compiledEnding ends the process behind the last statement of a test that always
// comes there.
func compiledEnding(function code.Node, _, _ string) []change {
	body, ok := function.ChildByField("body")
	if !ok {
		body = function // of Catch2 and doctest
	}
	if body.Kind() != "compound_statement" || strings.Contains(body.Text(), "return") || strings.Contains(body.Text(), "GTEST_SKIP") {
		return nil
	}
	return []change{{body.End() - 1, body.End() - 1, " " + compiledFails}}
}

// compiledFails is known to gcc and clang without any header, in C as in C++.
const compiledFails = "__builtin_trap(); "
