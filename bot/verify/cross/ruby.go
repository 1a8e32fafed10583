package cross

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// rubyRaise is a statement that no rescue without a class, or for StandardError, catches.
const rubyRaise = "::Kernel.raise ::Exception, %q"

var (
	rubyNumber = regexp.MustCompile(`^test_\d{4}_`)
	rubyTests  = []string{"it", "specify", "example", "scenario", "its", "test", "should", "fit", "xit", "focus"}
)

// rubyTest finds the blocks and methods of "Group title", "Class#test_x",
// "Class#test_0001_title" or "Class#test: title".
func rubyTest(tree *code.Tree, name string) []code.Node {
	class, own, method := strings.Cut(name, "#test")
	if !method {
		own = name
	} else if own = "test" + own; rubyNumber.MatchString(own) {
		own = rubyNumber.ReplaceAllString(own, "")
	}
	class = class[strings.LastIndex(class, ":")+1:]
	own = parameters.ReplaceAllString(own, "")
	var out, other []code.Node
	tree.Walk(func(n code.Node) bool {
		switch n.Kind() {
		case "method":
			if called, ok := n.ChildByField("name"); !ok || called.Text() != own {
				return true
			}
			in, ok := n.Ancestor("class")
			if ok {
				in, ok = in.ChildByField("name")
			}
			if ok && method && !strings.HasSuffix(in.Text(), class) {
				other = append(other, n) // inherited, or of another one
			} else {
				out = append(out, n)
			}
		case "call":
			word, called := n.ChildByField("method")
			block, ok := n.ChildByField("block")
			if called && ok && slices.Contains(rubyTests, word.Text()) && rubyTitled(n, own) {
				out = append(out, block)
			}
		}
		return true
	})
	if len(out) == 0 {
		return other
	}
	return out
}

// rubyTitled tells whether the title of a test is the name or its end: RSpec joins
// those of groups to it, others make a method's name of it.
func rubyTitled(call code.Node, name string) bool {
	args, ok := call.ChildByField("arguments")
	if !ok || len(args.NamedChildren()) == 0 {
		return false
	}
	literal := args.NamedChildren()[0]
	if literal.Kind() != "string" || strings.Contains(literal.Text(), "#{") || len(literal.Text()) < 2 {
		return false
	}
	title := literal.Text()
	title = strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`).Replace(title[1 : len(title)-1])
	return title == name || strings.HasSuffix(name, " "+title) || name == "test_"+strings.Join(strings.Fields(title), "_") || name == "test: "+title
}

// rubyEquals are RSpec's matchers whose expected value is made wrong.
var (
	rubyEquals = []string{"eq", "eql", "equal", "be", "match_array", "contain_exactly", "include", "have_attributes", "start_with", "end_with"}
	rubyRaises = []string{"assert_raises", "assert_raise", "assert_raise_kind_of", "must_raise"}
	// Assertions that have their opposite by another prefix.
	rubyOpposite = map[string]string{"assert_": "refute_", "refute_": "assert_", "must_": "wont_", "wont_": "must_"}
	rubyOpposed  = regexp.MustCompile(`^(?:assert|refute|must|wont)_(?:be|empty|be_empty|equal|in_delta|be_close_to|be_within_delta|in_epsilon|be_within_epsilon|includes?|instance_of|be_instance_of|kind_of|be_kind_of|match|nil|be_nil|operator|predicate|respond_to|same|be_same_as)$`)
)

func rubyWrong(n code.Node, token string) []change {
	if n.Kind() != "call" {
		return nil
	}
	method, ok := n.ChildByField("method")
	if !ok {
		return nil
	}
	var args []code.Node
	if list, ok := n.ChildByField("arguments"); ok {
		args = list.NamedChildren()
	}
	if slices.ContainsFunc(args, func(a code.Node) bool { return strings.HasSuffix(a.Kind(), "splat_argument") }) {
		return nil
	}
	receiver, on := n.ChildByField("receiver")
	name := method.Text()
	switch {
	case on && slices.Contains([]string{"to", "not_to", "to_not", "should", "should_not"}, name):
		return rubyExpected(n, receiver, method, args, token)
	case on && name == "must_equal" && len(args) == 1:
		if list, ok := receiver.ChildByField("arguments"); ok && len(list.NamedChildren()) == 1 {
			return rubySwapped(args[0], list.NamedChildren()[0], token)
		}
		return pair(args[0], "[", token, "]")
	case !on && (name == "assert_equal" || name == "assert_same") && len(args) >= 2:
		return rubySwapped(args[0], args[1], token)
	case slices.Contains(rubyRaises, name):
		if len(args) == 0 || args[0].Kind() == "string" {
			return nil
		}
		return replaced(args[0], "Class.new(::StandardError)")
	case on != strings.Contains(name, "st_") && on != strings.HasPrefix(name, "wont_"): // assert_ stands alone, must_ does not
		return nil
	case (name == "assert" || name == "refute" || name == "assert_true" || name == "assert_false") && len(args) >= 1:
		return replaced(args[0], "!("+args[0].Text()+")")
	case name == "assert_not_equal" || name == "assert_not_nil":
		return replaced(method, strings.Replace(name, "_not", "", 1))
	case rubyOpposed.MatchString(name):
		for prefix, opposite := range rubyOpposite {
			if strings.HasPrefix(name, prefix) {
				return replaced(method, opposite+strings.TrimPrefix(name, prefix))
			}
		}
	}
	return nil
}

// rubySwapped makes an expected value wrong and asks the actual one, not that,
// whether it equals the other: one that equals everything passes.
func rubySwapped(expected, actual code.Node, token string) []change {
	return []change{{expected.Start(), expected.End(), actual.Text()}, {actual.Start(), actual.End(), fmt.Sprintf("[%s, %q]", expected.Text(), token)}}
}

// rubyExpected makes an expectation of RSpec wrong: the value that it names, or, where
// it names none, its direction. The name of a test without a title is made of its
// expectation and must stay: a statement that fails is put behind it.
func rubyExpected(n, receiver, method code.Node, args []code.Node, token string) []change {
	should := strings.HasPrefix(method.Text(), "should")
	if !should && !strings.HasPrefix(receiver.Text(), "expect") && !strings.HasPrefix(receiver.Text(), "is_expected") {
		return nil
	}
	if rubyUntitled(n) {
		return []change{{n.End(), n.End(), "; " + fmt.Sprintf(rubyRaise, token)}}
	}
	if len(args) == 1 && args[0].Kind() == "call" && (method.Text() == "to" || method.Text() == "should") {
		matcher, named := args[0].ChildByField("method")
		values, some := args[0].ChildByField("arguments")
		if named && some && slices.Contains(rubyEquals, matcher.Text()) {
			if all := values.NamedChildren(); len(all) > 0 && all[0].Kind() != "pair" && all[0].Kind() != "block_argument" {
				return pair(all[0], "[", token, "]")
			}
		}
	}
	opposite := map[string]string{"to": "not_to", "not_to": "to", "to_not": "to", "should": "should_not", "should_not": "should"}
	return replaced(method, opposite[method.Text()])
}

// rubyUntitled tells whether the test around a statement has no title.
func rubyUntitled(n code.Node) bool {
	for at, ok := n.Parent(); ok && at.Kind() != "method"; at, ok = at.Parent() {
		if at.Kind() != "do_block" && at.Kind() != "block" {
			continue
		}
		call, ok := at.Parent()
		if !ok {
			return false
		}
		word, called := call.ChildByField("method")
		_, titled := call.ChildByField("arguments")
		return called && !titled && slices.Contains(rubyTests, word.Text())
	}
	return false
}

// rubyEnding lets a test fail whatever way it ends: by an ensure, which skips,
// returns and rescued errors pass too.
func rubyEnding(function code.Node, _, token string) []change {
	body, ok := function.ChildByField("body")
	if !ok {
		return nil
	}
	return []change{
		{body.Start(), body.Start(), "begin; begin; "},
		{body.End(), body.End(), "\nend\nensure; " + fmt.Sprintf(rubyRaise, token) + "\nend"},
	}
}
