package reproduction

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// expect reads what a failing test expects, and whether anybody has stated it.
func (v *Verdict) expect(issue *belong.Issue, c Candidate, f task.Failure, r belong.Red) {
	statement := c.statement(c.at(f))
	call, values := expected(statement)
	_, want := belong.Compared(f.Message)
	if strings.Contains(want, "...") {
		want = "" // it was cut
	}
	stated := func(s string) bool { return follows(issue, s) || issue.States(s, c.Docs) }
	all := func(list []string) bool {
		return len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return !stated(s) && len(strings.Fields(s)) < 4 }) // more words are a remark
	}
	e := Expectation{Call: call, Want: cmp.Or(short(want), strings.Join(values, ", "), short(statement))}
	switch {
	case noError.MatchString(f.Message), f.Kind == task.FailException && raises.MatchString(r.Source):
		e.Want, e.Given = "an error", issue.Speaks(refuses)
	case want != "":
		e.Given = stated(want) || all(literals(want)) || all(values)
	case len(values) > 0:
		e.Given = all(values)
	case f.Kind == task.FailException && !compares.MatchString(statement):
		e.Want = "that it does not end with " + f.Exception
	default: // of a table
		e.Given = slices.ContainsFunc(literals(r.Source), func(s string) bool { return distinctive(s) && issue.States(s, c.Docs) })
	}
	if !slices.Contains(v.Expects, e) {
		v.Expects = append(v.Expects, e)
	}
}

// doubt says what nobody has stated, where that is all that the test expects.
func (v *Verdict) doubt() {
	var said []string
	for _, e := range v.Expects {
		if e.Given {
			return
		}
		said = append(said, fmt.Sprintf("%s of %s", e.Want, cmp.Or(e.Call, "the code")))
	}
	if n := len(said); n > mostSaid {
		said = append(said[:mostSaid], fmt.Sprintf("%d more", n-mostSaid))
	}
	v.Doubts = append(v.Doubts, fmt.Sprintf("the test that a model wrote expects %s, which neither the issue nor the README nor a comment says: say whether that is right", strings.Join(said, "; ")))
}

const mostSaid = 3

// Disagree says where two tests that were written apart hold the same call to
// different values.
func Disagree(one, two []Expectation) []string {
	var out []string
	for _, a := range one {
		for _, b := range two {
			if a.Call != "" && a.Call == b.Call && a.Want != b.Want {
				out = append(out, fmt.Sprintf("two tests that a model wrote disagree on %s: one expects %s, the other %s", a.Call, a.Want, b.Want))
			}
		}
	}
	return out
}

// follows tells whether a value without characters of its own is what the issue's
// words come to. Of yes and no one is the complaint and the other the wish.
func follows(issue *belong.Issue, value string) bool {
	switch strings.ToLower(strings.Trim(value, "\"'`")) {
	case "", "[]", "{}", "()", "0", "none", "null", "nil", "undefined", "<nil>", "set()", "map[]":
		return issue.Speaks(nothing)
	case "true", "false":
		return true
	}
	return false
}

// statement is the text of an assertion that ends or begins at a line: its lines
// up to where all brackets are closed.
func (c Candidate) statement(n int) string {
	text := c.line(n)
	for more := n + 1; more < n+20 && open(text) > 0 && more <= strings.Count(c.Text, "\n")+1; more++ {
		text += "\n" + c.line(more)
	}
	if strings.Contains(text, "t.Error") || strings.Contains(text, "t.Fatal") { // Go compares before
		text = c.line(n-1) + "\n" + goText.ReplaceAllString(text, "")
	}
	return text
}

func open(text string) int {
	return strings.Count(text, "(") + strings.Count(text, "[") + strings.Count(text, "{") - strings.Count(text, ")") - strings.Count(text, "]") - strings.Count(text, "}")
}

var (
	raises   = regexp.MustCompile(`(?i)\braises\w*\(|assertRaises|\bthrows\(|\brejects\(|toThrow|\.rejects\b`)
	compares = regexp.MustCompile(`(?i)assert|expect|equal|[!=]=|\bis\b`)
	goText   = regexp.MustCompile("\"[^\"]*\"|`[^`]*`")
	called   = regexp.MustCompile(`[A-Za-z_$][\w$.]*\(`)
	frame    = regexp.MustCompile(`(?i)^(?:assert|expect|self\.assert|t\.|require\.|check\.|pytest\.|len\(|str\(|repr\(|list\(|sorted\(|set\(|dict\(|tuple\(|string\(|json\.|object\.|array\.|reflect\.|errors\.|strings\.|slices\.|fmt\.)|^(?:to[A-Z]\w*|equal|deepEqual|strictEqual|deepStrictEqual)\($`)
	scalars  = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`[^`]*`" + `|-?\b\d+(?:[._]\d+)*(?:[eE][-+]?\d+)?\b|\b(?:True|False|None|true|false|null|nil|undefined)\b|\[\]|\{\}`)
)

// expected takes a call of the project out of an assertion; what literals are
// left is what it is held to.
func expected(statement string) (call string, values []string) {
	for _, at := range called.FindAllStringIndex(statement, -1) {
		name := statement[at[0]:at[1]]
		whole := balanced(statement[at[0]:])
		if frame.MatchString(name) || whole == "" {
			continue
		}
		call = strings.Join(strings.Fields(whole), "")
		return short(call), literals(strings.Replace(statement, whole, "", 1))
	}
	return "", literals(statement)
}

func literals(text string) []string { return scalars.FindAllString(text, -1) }

// balanced is a call up to its closing bracket.
func balanced(text string) string {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return ""
}

// distinctive values are not met by chance.
func distinctive(value string) bool { return len(strings.Trim(value, "\"'`")) >= 2 }

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}
