package cross

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// phpThrow is a statement that no catch of an exception catches.
const phpThrow = "throw new \\Error(%q);"

var phpSet = regexp.MustCompile(` with data set .*$|#.*$`)

// phpTest finds the method of "CartTest::testTotal with data set #0".
func phpTest(tree *code.Tree, name string) []code.Node {
	class, method, ok := strings.Cut(phpSet.ReplaceAllString(name, ""), "::")
	if !ok {
		return nil
	}
	var out, other []code.Node
	tree.Walk(func(n code.Node) bool {
		if own, ok := n.ChildByField("name"); n.Kind() != "method_declaration" || !ok || own.Text() != method {
			return true
		}
		in, ok := n.Ancestor("class_declaration")
		if ok {
			in, ok = in.ChildByField("name")
		}
		if ok && in.Text() == class {
			out = append(out, n)
		} else {
			other = append(other, n) // inherited, or of a trait
		}
		return true
	})
	if len(out) == 0 {
		return other
	}
	return out
}

var (
	// phpOpposites are assertions of which PHPUnit has the opposite.
	phpOpposites = map[string]string{
		"True": "False", "Same": "NotSame", "Equals": "NotEquals", "Null": "NotNull", "Empty": "NotEmpty", "Contains": "NotContains", "ContainsEquals": "NotContainsEquals", "InstanceOf": "NotInstanceOf",
		"Count": "NotCount", "SameSize": "NotSameSize", "ArrayHasKey": "ArrayNotHasKey", "GreaterThan": "LessThanOrEqual", "GreaterThanOrEqual": "LessThan", "StringContainsString": "StringNotContainsString",
		"StringContainsStringIgnoringCase": "StringNotContainsStringIgnoringCase", "MatchesRegularExpression": "DoesNotMatchRegularExpression", "StringStartsWith": "StringStartsNotWith",
		"StringEndsWith": "StringEndsNotWith", "FileExists": "FileDoesNotExist", "DirectoryExists": "DirectoryDoesNotExist", "EqualsCanonicalizing": "NotEqualsCanonicalizing", "EqualsWithDelta": "NotEqualsWithDelta",
		"EqualsIgnoringCase": "NotEqualsIgnoringCase", "IsArray": "IsNotArray", "IsString": "IsNotString", "IsInt": "IsNotInt", "IsBool": "IsNotBool", "IsFloat": "IsNotFloat", "IsObject": "IsNotObject",
		"IsCallable": "IsNotCallable", "IsIterable": "IsNotIterable", "IsNumeric": "IsNotNumeric", "NotFalse": "False", "NotTrue": "True",
	}
	phpOpposed = func() map[string]string {
		out := map[string]string{}
		for a, b := range phpOpposites {
			out["assert"+a], out["assert"+b] = "assert"+b, "assert"+a
		}
		out["assertFalse"], out["assertTrue"] = "assertTrue", "assertFalse"
		return out
	}()
)

func phpWrong(n code.Node, token string) []change {
	name, ok := n.ChildByField("name")
	switch n.Kind() {
	case "member_call_expression", "scoped_call_expression":
	case "function_call_expression": // PHPUnit's functions
		name, ok = n.ChildByField("function")
	default:
		return nil
	}
	list, has := n.ChildByField("arguments")
	if !ok || !has {
		return nil
	}
	var args []code.Node
	for _, a := range list.NamedChildren() {
		if a.Kind() == "argument" && len(a.NamedChildren()) == 1 && !strings.HasPrefix(a.Text(), "...") {
			args = append(args, a.NamedChildren()[0])
		}
	}
	if len(args) == 0 || len(args) != len(list.NamedChildren()) { // named or spread ones
		return nil
	}
	called := name.Text()[strings.LastIndexByte(name.Text(), '\\')+1:]
	switch called {
	case "assertSame", "assertEquals", "assertEqualsCanonicalizing":
		if len(args) >= 2 {
			return pair(args[0], "[", token, "]")
		}
	case "expectException":
		return replaced(args[0], `get_class(new class extends \Exception {})`)
	case "expectExceptionMessage":
		return replaced(args[0], fmt.Sprintf("%q", token))
	case "expectExceptionMessageMatches":
		return replaced(args[0], fmt.Sprintf("%q", "/^"+token+"$/"))
	}
	if opposite := phpOpposed[called]; opposite != "" {
		return []change{{name.End() - len(called), name.End(), opposite}}
	}
	return nil
}

// phpEnding lets a test fail whatever way it ends. One that expects an exception
// could take ours for it.
func phpEnding(function code.Node, _, token string) []change {
	body, ok := function.ChildByField("body")
	if !ok || strings.Contains(body.Text(), "expectException") {
		return nil
	}
	begin, end := body.Start()+1, body.End()-1
	return []change{{begin, begin, " try {"}, {end, end, "\n} finally { " + fmt.Sprintf(phpThrow, token) + " } "}}
}
