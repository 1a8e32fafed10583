package cross

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// javaTest finds the methods of "method", "method(int)[2]", or of the name that a test
// is displayed by.
func javaTest(tree *code.Tree, name string) []code.Node {
	method := javaDecoration.ReplaceAllString(name, "")
	var out []code.Node
	tree.Walk(func(n code.Node) bool {
		own, ok := n.ChildByField("name")
		if n.Kind() == "method_declaration" && ok && (own.Text() == method || strings.Contains(n.Children()[0].Text(), fmt.Sprintf("@DisplayName(%q)", name))) {
			out = append(out, n)
		}
		return true
	})
	return out
}

var javaDecoration = regexp.MustCompile(`[(\[{ ].*$`)

// The assertions of JUnit, TestNG, Hamcrest, AssertJ and Truth that are made wrong.
var (
	javaEquals    = []string{"assertEquals", "assertSame"}
	javaSequences = []string{"assertArrayEquals", "assertIterableEquals", "assertLinesMatch"}
	javaThrows    = []string{"assertThrows", "assertThrowsExactly", "assertThatThrownBy", "isThrownBy", "expectThrows"}
	javaOpposites = map[string]string{"isTrue": "isFalse", "isFalse": "isTrue", "isNull": "isNotNull", "isNotNull": "isNull", "isEmpty": "isNotEmpty", "isNotEmpty": "isEmpty",
		"isPresent": "isEmpty", "isGreaterThan": "isLessThanOrEqualTo", "isLessThanOrEqualTo": "isGreaterThan", "isLessThan": "isGreaterThanOrEqualTo", "isGreaterThanOrEqualTo": "isLessThan"}
)

// javaWrong makes what an assertion expects something that nothing equals. The
// compiler has to take it for whatever type stood there.
func javaWrong(n code.Node, token string) []change {
	switch n.Kind() {
	case "assert_statement":
		return replaced(n.NamedChildren()[0], "!("+n.NamedChildren()[0].Text()+")")
	case "element_value_pair":
		key, _ := n.ChildByField("key")
		value, ok := n.ChildByField("value")
		if up, has := n.Ancestor("annotation"); has && ok && key.Text() == "expected" && strings.HasPrefix(up.Text(), "@Test") {
			return replaced(value, "java.lang.annotation.AnnotationFormatError.class")
		}
	case "method_invocation":
		name, _ := n.ChildByField("name")
		object, chained := n.ChildByField("object")
		list, ok := n.ChildByField("arguments")
		if !ok {
			return nil
		}
		chained = chained && strings.Contains(object.Text(), "assertThat(")
		if javaOpposites[name.Text()] != "" && n.Up() != "expression_statement" {
			return nil // nothing may follow upon some of them
		}
		return javaCall(name, list.NamedChildren(), chained, token)
	}
	return nil
}

// javaCall is javaWrong of a call; chained: of what assertThat gives.
func javaCall(name code.Node, args []code.Node, chained bool, token string) []change {
	args = slices.DeleteFunc(args, func(a code.Node) bool { return strings.Contains(a.Kind(), "comment") })
	n, old := len(args), messageFirst(name.Tree())
	first := 0 // of what is expected
	if text := name.Text(); old && n > 1 && (text != "assertEquals" && text != "assertSame" && !slices.Contains(javaSequences, text) || n == 4 || n == 3 && !tolerance(args[2])) {
		first = 1
	}
	never := func(a code.Node) string { return fmt.Sprintf("java.util.Arrays.asList(%s, %q)", a.Text(), token) }
	switch text := name.Text(); {
	case slices.Contains(javaThrows, text):
		if i := slices.IndexFunc(args, func(a code.Node) bool { return a.Kind() == "lambda_expression" || a.Kind() == "method_reference" }); i >= 0 {
			return replaced(args[i], "() -> {}")
		}
	case chained && text == "isEqualTo" && n == 1:
		return replaced(args[0], "(Object) "+never(args[0]))
	case chained && text == "hasSize" && n == 1:
		return replaced(args[0], "("+args[0].Text()+") + 1")
	case chained && javaOpposites[text] != "":
		return replaced(name, javaOpposites[text])
	case chained:
	case text == "assertThat" && n >= 2:
		return replaced(args[n-1], "org.hamcrest.CoreMatchers.not("+args[n-1].Text()+")")
	case slices.Contains(javaEquals, text) && n >= first+2:
		if text == "assertEquals" && n >= first+3 && tolerance(args[first+2]) {
			return replaced(args[first], map[bool]string{true: "0.5", false: "Double.NaN"}[strings.Contains(args[first].Text(), "NaN")])
		}
		return replaced(args[first], never(args[first]))
	case slices.Contains(javaSequences, text) && n >= first+2:
		return replaced(args[first], "null")
	case (text == "assertTrue" || text == "assertFalse") && n > first && args[first].Kind() != "lambda_expression":
		return replaced(args[first], "!("+args[first].Text()+")")
	case text == "assertNull" && n > first:
		return replaced(args[first], fmt.Sprintf("%q", token))
	case text == "assertNotNull" && n > first:
		return replaced(args[first], "null")
	}
	return nil
}

// messageFirst tells whether assertions take their message first, as JUnit's did up to
// version 4.
func messageFirst(tree *code.Tree) bool {
	text := string(tree.Src)
	return !strings.Contains(text, "org.junit.jupiter.") && (strings.Contains(text, "org.junit.") || strings.Contains(text, "junit.framework."))
}

// tolerance tells whether an argument is how far two numbers may differ, and no message.
func tolerance(a code.Node) bool {
	return strings.Contains(a.Kind(), "floating_point") || (a.Kind() == "identifier" || a.Kind() == "field_access") && javaTolerance.MatchString(a.Text())
}

var javaTolerance = regexp.MustCompile(`(?i)(?:eps|delta|tol|precision)\w*$`)
