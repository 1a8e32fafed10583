package reproduction

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// expect reads what a failing test expects, in the assertion that failed and in all
// others of it, which have to hold later, too; and whether anybody has stated it.
func (v *Verdict) expect(issue *belong.Issue, c Candidate, f task.Failure, r belong.Red) {
	at, inner := c.site(f, r)
	statement, wrote := c.failed(at, inner)
	call, values := expected(statement)
	_, want := belong.Compared(f.Message)
	if strings.Contains(want, "...") || c.goes() && !strings.Contains(squeezed(r.Source), squeezed(want)) {
		want = "" // it was cut; or the words of the test's author, which Go's tests choose
	}
	e, ends := Expectation{Call: call, SetUp: c.setUp(call), Want: cmp.Or(short(want), strings.Join(values, ", "), short(statement)), Part: parts.MatchString(statement)}, false
	switch {
	case raises.MatchString(statement), c.goes() && nilError.MatchString(statement), f.Kind == task.FailException && raises.MatchString(r.Source) && !slices.Contains(missing(f), lastIn(call)):
		e.Want, e.Given = "an error", issue.Speaks(refuses) || speaksOf(issue, statement) || f.Kind == task.FailException && speaksOf(issue, r.Source)
	case call == "" && len(values) == 0 && issue.Speaks(sameness) && equals.MatchString(statement) && cameOut(r.Source, statement, want): // two things that came out are compared
		e.Given = true
	case want != "":
		e.Given = states(issue, c, call, want) || all(issue, c, call, literals(want)) || all(issue, c, call, values)
	case len(values) > 0:
		e.Given = all(issue, c, call, values)
	case call == "" && issue.Speaks(changes): // what a thing was before is compared with what it is
		e.Given = true
	case f.Kind == task.FailException && !compares.MatchString(statement):
		ends = true
		e.Want, e.Given = "that it does not end with "+f.Exception, c.asked(issue, missing(f)) // for want of what is to be added
	}
	e.Given = e.Given || call == "" && issue.Speaks(changes) && c.gave(r.Source, wrote, values) || c.stays(issue, e, statement, values) || c.returns(issue, r.Source, at, call, values)
	if at > 0 || inner == 0 { // else it is among the others
		v.note(e)
	}
	others := 0
	for n, line := range strings.Split(c.Text, "\n") {
		if !strings.Contains(r.Source, strings.TrimSpace(line)) || strings.TrimSpace(line) == "" {
			continue
		}
		for _, other := range c.assertions(n + 1) {
			if other.text != statement && v.also(issue, c, r.Source, n+1, other.text) {
				others++
			}
		}
	}
	if at := slices.Index(v.Expects, e); ends && at >= 0 && others > 0 && (issue.TellsOf(f.Exception) || issue.Speaks(crashes)) {
		v.Expects[at].Given = true // that it does not end so is the issue's; what else comes out stands beside it
	}
}

// also notes what an assertion expects that did not fail, and tells whether it is held to
// a value at all.
func (v *Verdict) also(issue *belong.Issue, c Candidate, source string, at int, other string) bool {
	call, values := expected(other)
	if c.goes() && noError.MatchString(other) { // that nothing went wrong is what else it needs
		values = slices.DeleteFunc(values, func(s string) bool { return s == "nil" })
	}
	if call == "" || len(values) == 0 || raises.MatchString(other) {
		return false
	}
	e := Expectation{Call: call, SetUp: c.setUp(call), Want: strings.Join(values, ", "), Given: all(issue, c, call, values), Part: parts.MatchString(other)}
	if c.goes() {
		at++ // where the test fails
	}
	e.Given = e.Given || c.stays(issue, e, other, values) || c.returns(issue, source, at, call, values)
	v.note(e)
	return true
}

// cameOut tells whether the things that an assertion compares all came out of the code, or
// were gathered as they did: none is a value that the test's author wrote, and what they
// were held to is none that stands in the test.
func cameOut(source, statement, want string) bool {
	if want != "" && slices.ContainsFunc(literals(source), func(v string) bool { return bare(v) == bare(want) }) {
		return false
	}
	names := 0
	for _, at := range identifier.FindAllStringIndex(statement, -1) {
		name, rest := statement[at[0]:at[1]], strings.TrimLeft(statement[at[1]:], " ")
		if at[0] > 0 && statement[at[0]-1] == '.' || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, ".") && frame.MatchString(statement[at[0]:]) || word.MatchString(name) {
			continue
		}
		names++
		given := regexp.MustCompile(`(?m)(?:^|[^.\w$])`+regexp.QuoteMeta(name)+`\s*(?::=|=)([^=\n].*)$`).FindAllStringSubmatch(source, -1)
		if len(given) == 0 || slices.ContainsFunc(given, func(m []string) bool {
			value := strings.Trim(m[1], " ;")
			call, _ := expected(value)
			return call == "" && !gathers.MatchString(value)
		}) {
			return false
		}
	}
	return names > 0
}

var (
	// word is what a language has by itself in an assertion.
	word = lazyregexp.New(`^(?:if|assert|is|not|and|or|t|expect|self)$`)
	// gathers is a name, or what begins empty.
	gathers = lazyregexp.New(`^(?:\[\]|\{\}|new [\w.]+\(\)|[A-Za-z_$][\w$]*)$`)
)

// stays tells whether an assertion wants to find in what comes out only what the call
// itself puts in, or that no part begins or ends with it, and the issue is about what stays
// as it is.
func (c Candidate) stays(issue *belong.Issue, e Expectation, statement string, values []string) bool {
	without := lacks.MatchString(statement) != c.goes() // Go's tests ask for the opposite, and fail then
	edge := edges.MatchString(statement) || !slices.ContainsFunc(values, func(v string) bool { return !lineEdge.MatchString(v) })
	return e.Part && len(values) > 0 && (!without || edge) && issue.Speaks(keeps) &&
		!slices.ContainsFunc(values, func(v string) bool { return !puts(e.Call, v) })
}

// puts tells whether a call is given a value, or a text that holds it.
func puts(call, value string) bool {
	text := strings.ReplaceAll(strings.Trim(value, "\"'`"), `\n`, "") // where a line begins or ends
	return text != "" && slices.ContainsFunc(literals(call), func(given string) bool {
		return given == value || text != value && strings.Contains(strings.Trim(given, "\"'`"), text)
	})
}

// gave tells whether the test itself put all of the values in before it holds something
// to them: what it says then is that they stay.
func (c Candidate) gave(source, statement string, values []string) bool {
	last := statement[strings.LastIndex(strings.TrimSpace(statement), "\n")+1:]
	before, _, ok := strings.Cut(source, strings.TrimSpace(last))
	return ok && len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(literals(before), v) })
}

// speaksOf tells whether the issue names the class of exception that an assertion expects.
func speaksOf(issue *belong.Issue, statement string) bool {
	m := raisesWhat.FindStringSubmatch(statement)
	return m != nil && issue.TellsOf(m[1])
}

var raisesWhat = lazyregexp.New(`(?i)raises\w*\(\s*([A-Za-z_]\w*)`)

// lastIn is the name of the function that a call calls.
func lastIn(call string) string {
	name, _, _ := strings.Cut(call, "(")
	return name[strings.LastIndex(name, ".")+1:]
}

func (v *Verdict) note(e Expectation) {
	if !slices.Contains(v.Expects, e) {
		v.Expects = append(v.Expects, e)
	}
}

func (c Candidate) goes() bool { return path.Ext(c.Path) == ".go" }

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// bare is a text without its quotes, of which languages have several.
func bare(s string) string { return quotes.Replace(s) }

var quotes = strings.NewReplacer(`"`, "", "'", "", "`", "")

// states tells whether anybody has stated a value that a call is held to: the issue,
// or, of one that is not met by chance, the README, a comment or a test that is there.
func states(issue *belong.Issue, c Candidate, call, value string) bool {
	docs := c.Docs
	if !distinctive(value) {
		docs = ""
	}
	return issue.States(value, docs) || follows(issue, value) && about(issue, call) || c.inTests(value)
}

// longText is how many bytes a text has that tests write alike because it is the
// project's, such as a line of its output.
const longText = 8

// inTests tells whether a text is one that the project's own tests write out.
func (c Candidate) inTests(value string) bool {
	text := strings.Trim(value, "\"'`")
	return len(strings.TrimSpace(text)) >= longText && len(text) < len(value) && strings.Contains(c.Tests, text)
}

// all tells it of several values. More than three words are a remark.
func all(issue *belong.Issue, c Candidate, call string, list []string) bool {
	kept := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return len(strings.Fields(s)) > 3 && !states(issue, c, call, s) })
	return len(kept) > 0 && !slices.ContainsFunc(kept, func(s string) bool { return !states(issue, c, call, s) })
}

// about tells whether a call is one that the issue speaks of, by its arguments: yes
// and no, and nothing, are right of some inputs and wrong of others.
func about(issue *belong.Issue, call string) bool {
	given := slices.DeleteFunc(literals(call), func(s string) bool { return !distinctive(s) })
	return len(given) == 0 || slices.ContainsFunc(given, func(s string) bool { return issue.States(s, "") })
}

// Unstated is how many things the test expects that nobody has stated.
func (v *Verdict) Unstated() (n int) {
	for _, e := range v.Expects {
		if !e.Given {
			n++
		}
	}
	return n
}

// doubt says what the test expects and nobody has stated.
func (v *Verdict) doubt() {
	var said []string
	for _, e := range v.Expects {
		if !e.Given {
			said = append(said, fmt.Sprintf("%s of %s", e.Want, cmp.Or(e.Call, "the code")))
		}
	}
	if len(said) == 0 {
		return
	}
	if n := len(said); n > mostSaid {
		said = append(said[:mostSaid], fmt.Sprintf("%d more", n-mostSaid))
	}
	v.Doubts = append(v.Doubts, fmt.Sprintf(Unstated+"%s, which neither the issue nor the README nor a comment says%s", strings.Join(said, "; "), Ask))
}

const mostSaid = 3

// Unstated begins the doubt about what a test expects and nobody has stated.
const Unstated = "the test that a model wrote expects "

// Ask ends a doubt that a person reads.
const Ask = ": say whether that is right"

// Disagree says where two tests that were written apart hold the same call to
// different values. A call of what is set up before it, or that one of them holds to several
// values, is not the same call for having the same words.
func Disagree(one, two []Expectation) []string {
	same := func(a, b string) bool { return bare(squeezed(a)) == bare(squeezed(b)) }
	varies := func(e Expectation, all []Expectation) bool {
		return slices.ContainsFunc(all, func(o Expectation) bool { return same(e.Call, o.Call) && !same(e.Want, o.Want) })
	}
	var out []string
	for _, a := range one {
		for _, b := range two {
			if a.Call != "" && !a.SetUp && !b.SetUp && same(a.Call, b.Call) && !same(a.Want, b.Want) && !a.Part && !b.Part && !varies(a, one) && !varies(b, two) {
				out = append(out, fmt.Sprintf("two tests that a model wrote disagree on %s: one expects %s, the other %s", a.Call, a.Want, b.Want))
			}
		}
	}
	return out
}

// setUp tells whether a call is one of a variable of the test, or is given one.
func (c Candidate) setUp(call string) bool {
	call = scalars.ReplaceAllString(call, "")
	return slices.ContainsFunc(variable.FindAllStringSubmatchIndex(call, -1), func(m []int) bool {
		return (m[2] == 0 || call[m[2]-1] != '.') && !c.brings(call[m[2]:m[3]])
	})
}

// variable is a name that is not called, and is no key or name of a parameter.
var variable = lazyregexp.New(`([A-Za-z_$][\w$]*)\s*(?:[,.)\]}]|$)`)

// brings tells whether the test imports a name: in Go the last part of a path.
func (c Candidate) brings(name string) bool {
	if c.goes() {
		return strings.Contains(c.Text, `/`+name+`"`) || strings.Contains(c.Text, `"`+name+`"`) || strings.Contains(c.Text, name+` "`)
	}
	return slices.ContainsFunc(imports.FindAllString(c.Text, -1), func(line string) bool { return slices.Contains(identifier.FindAllString(line, -1), name) })
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

// statement is the text of a line that asserts nothing, up to where all brackets are closed.
func (c Candidate) statement(n int) string {
	text := c.line(n)
	for more := n + 1; more < n+20 && open(text) > 0 && more <= strings.Count(c.Text, "\n")+1; more++ {
		text += "\n" + c.line(more)
	}
	return text[:min(len(text), longestStatement)]
}

const longestStatement = 4 << 10 // bytes that are read of an assertion

func open(text string) int {
	return strings.Count(text, "(") + strings.Count(text, "[") + strings.Count(text, "{") - strings.Count(text, ")") - strings.Count(text, "]") - strings.Count(text, "}")
}

var (
	// whether is Go's question for a second result.
	whether  = lazyregexp.New(`:= [^;\n]+; (!?)(?:ok|found|exists|has)\b\s*\{`)
	noError  = lazyregexp.New(`\berr\w* != nil\b`)
	element  = lazyregexp.New(`([\w)\]])(?:\[(?:-?\d+|"[^"\]\n]*"|'[^'\]\n]*'|)\])+`)
	changes  = lazyregexp.New(`\b(?:chang\w*|mutat\w*|modif\w*|overwrit\w*|untouched|side effects?|as (?:it|they) (?:was|were)|has the values? of)\b`)
	nilError = lazyregexp.New(`\berr\w* == nil\b`)
	sameness = lazyregexp.New(`\b(?:same|identical|equal|alike)\b`)
	equals   = lazyregexp.New(`(?i)equal|==|\bsame\(|\bis\b|\.toBe\(`)
	keeps    = lazyregexp.New(`\b(?:whole|intact|torn|stays?|kept|keeps?|preserv\w*|untouched|survives?)\b`)
	// parts are assertions about a part of what comes out, or about what it is not.
	parts = lazyregexp.New(`\)\.(?:includes|contains|startsWith|endsWith|startswith|endswith|match)\(|\bnot in\b|\bin [\w.]+\(|\bassert(?:NotIn|In|NotRegex|Regex|NotEqual)\(|\b(?:toContain|toMatch|doesNotMatch|notEqual|notDeepEqual|notStrictEqual|notDeepStrictEqual)\(|\.not\.to|strings\.(?:Contains|HasPrefix|HasSuffix)\(|slices\.Contains\(|^\s*assert\b.* != `)
	edges = lazyregexp.New(`(?i)\.(?:starts|ends)_?with\(|Has(?:Prefix|Suffix)\(`)
	// lineEdge is a text at the beginning or the end of a line.
	lineEdge = lazyregexp.New(`^['"]\\n|\\n['"]$`)
	// lacks are those of them that want to find it not.
	lacks    = lazyregexp.New(`!\s*[\w.]+\(|\bnot\b|\bassertNot|\bnot[A-Z]|doesNot|!=`)
	raises   = lazyregexp.New(`(?i)\braises\w*\(|assertRaises|\bthrows\(|\brejects\(|toThrow|\.rejects\b`)
	compares = lazyregexp.New(`(?i)assert|expect|equal|[!=]=|\bis\b`)
	called   = lazyregexp.New(`[A-Za-z_$][\w$.]*\(`)
	frame    = lazyregexp.New(`(?i)^(?:assert|expect|self\.assert|t\.|require\.|check\.|pytest\.|len\(|str\(|repr\(|list\(|sorted\(|set\(|dict\(|tuple\(|string\(|json\.|object\.|array\.|reflect\.|errors\.|strings\.|slices\.|fmt\.)|^(?:to[A-Z]\w*|equal|deepEqual|strictEqual|deepStrictEqual)\($`)
	scalars  = lazyregexp.New(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`[^`]*`" + `|-?\b\d+(?:[._]\d+)*(?:[eE][-+]?\d+)?\b|\b(?:True|False|None|true|false|null|nil|undefined)\b|\[\]|\{\}`)
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
		call = strings.Join(strings.Fields(whole), " ")
		statement := cutting.ReplaceAllString(date.ReplaceAllStringFunc(statement, written), "")
		whole = cutting.ReplaceAllString(date.ReplaceAllStringFunc(whole, written), "")
		values = literals(element.ReplaceAllString(strings.Replace(statement, whole, "it", 1), "$1"))
		if yes := whether.FindStringSubmatch(statement); yes != nil && len(values) == 0 {
			values = []string{map[bool]string{true: "true", false: "false"}[yes[1] == "!"]} // it fails where that is not so
		}
		return short(call), values
	}
	return "", literals(element.ReplaceAllString(statement, "$1"))
}

// cutting takes what comes out apart or puts it together, before it is held to something.
var cutting = lazyregexp.New(`\.(?:r?split|splitlines|join|strip|trim\w*|slice|repeat|pad(?:Start|End))\((?:"[^"\n]*"|'[^'\n]*'|/[^/\n]*/\w*|[\d, -]*)\)`)

// literals are the values that a text writes out; a template says what another makes of it.
func literals(text string) []string {
	return slices.DeleteFunc(scalars.FindAllString(text, -1), func(s string) bool { return strings.HasPrefix(s, "`") && strings.Contains(s, "${") })
}

// date is one that is made of its numbers.
var date = lazyregexp.New(`\b([\w.]+)\(\s*((?:19|20)\d\d),\s*(\d{1,2}),\s*(\d{1,2})((?:,\s*\d{1,2})*)(?:,\s*time\.UTC)?\)`)

// written is a date as people write it, with a time of day where it is not midnight.
func written(made string) string {
	m := date.FindStringSubmatch(made)
	if strings.HasPrefix(m[1], "Date") { // JavaScript counts months from 0
		return made
	}
	out := fmt.Sprintf("%s-%02s-%02s", m[2], m[3], m[4])
	if clock := strings.Split(strings.Trim(strings.ReplaceAll(m[5], " ", ""), ","), ","); len(clock) > 1 && strings.Trim(m[5], ", 0") != "" {
		out += fmt.Sprintf(" %02s:%02s", clock[0], clock[1])
	}
	return `"` + out + `"`
}

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
