package belong

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// evidence is what speaks for and against one test.
type evidence struct {
	issue *Issue
	red   Red
	test  test
	out   []Reason
}

func (e *evidence) weigh() []Reason {
	e.named()
	e.places()
	e.calls()
	e.failures()
	e.values()
	e.symptoms()
	e.contradictions()
	return e.out
}

func (e *evidence) add(weight int, place, fault bool, format string, args ...any) {
	e.out = append(e.out, Reason{Words: fmt.Sprintf(format, args...), Weight: weight, place: place, fault: fault, strong: weight >= strong && fault})
}

// soft evidence of the fault is never a strong tie.
func (e *evidence) soft(weight int, format string, args ...any) {
	e.out = append(e.out, Reason{Words: fmt.Sprintf(format, args...), Weight: weight, fault: true})
}

func (e *evidence) has(place, fault bool) bool {
	return slices.ContainsFunc(e.out, func(r Reason) bool { return r.Weight > 0 && (place && r.place || fault && r.fault) })
}

// named: the issue names the test itself.
func (e *evidence) named() {
	i, r := e.issue, e.red
	_, native, _ := strings.Cut(r.ID, ":")
	switch {
	case native != "" && strings.Contains(i.text, native):
		e.add(certain, true, true, "the issue names the test")
	case len(memory.Parts(r.Name)) > 1 && hasWord(i.text, r.Name), len(r.Name) > 12 && strings.Contains(i.text, r.Name):
		e.add(certain, true, true, "the issue names the test %s", r.Name)
	case r.File != "" && strings.Contains(i.text, r.File):
		e.add(enoughFor, true, false, "the issue names the test's file %s", r.File)
	}
}

// places: the test runs what the issue names.
func (e *evidence) places() {
	i, best, words := e.issue, 0, ""
	see := func(weight int, format string, name string) {
		if weight > best {
			best, words = weight, fmt.Sprintf(format, name)
		}
	}
	for _, name := range sorted(e.test.called) {
		switch {
		case i.code[name] && !common[name]:
			see(3, "the test calls %s, which the issue names", name)
		case i.code[name]:
			see(2, "the test calls %s, which the issue names", name)
		case len(memory.Parts(name)) > 1 && e.spoken(name):
			see(2, "the test calls %s, whose words the issue uses", name)
		case len(name) > 4 && i.plain[strings.ToLower(name)] && !common[strings.ToLower(name)]:
			see(2, "the test calls %s, which the issue speaks of", name)
		}
	}
	for _, f := range e.red.Trace {
		if name := lastName(f.Function); name != "" && !e.isTest(f) && i.code[name] && !common[name] {
			see(3, "it fails under %s, which the issue names", name)
		}
	}
	for _, w := range sorted(e.test.module) {
		if i.all[w] {
			see(1, "the test is of %s, of which the issue speaks", written(w, e.red.File+" "+e.red.Name))
		}
	}
	for _, full := range e.red.Ran {
		if name := lastName(full); i.code[name] && !common[name] {
			see(2, "the test runs %s, which the issue names", name)
		}
	}
	if best > 0 {
		e.add(best, true, false, "%s", words)
	}
}

// spoken: all words of an identifier stand in the issue's prose.
func (e *evidence) spoken(name string) bool {
	n := 0
	for _, p := range memory.Parts(name) {
		st := memory.Stem(p)
		if empty[p] || len(st) < 3 {
			continue
		}
		if n++; !e.issue.all[st] {
			return false
		}
	}
	return n > 1
}

// calls: the test makes the call of one of the issue's examples.
func (e *evidence) calls() {
	for _, x := range e.issue.examples {
		call := squeeze(strings.ReplaceAll(x.Call, "'", `"`))
		at := strings.Index(e.test.squeezed, call)
		if at < 0 || len(call) < 4 {
			continue
		}
		want, got := squeezeValue(x.Want), squeezeValue(x.Got)
		line := rest(e.test.squeezed, at+len(call))
		for from := at; want != "" && !holds(line, want); { // it may be made more than once
			next := strings.Index(e.test.squeezed[from+len(call):], call)
			if next < 0 {
				break
			}
			if from += len(call) + next; holds(rest(e.test.squeezed, from+len(call)), want) {
				line = rest(e.test.squeezed, from+len(call))
			}
		}
		switch {
		case want != "" && (holds(line, want) || e.test.want == want):
			e.add(6, true, true, "the test makes the issue's call %s and expects what the issue does, %s", x.Call, x.Want)
		case want != "" && e.test.want != "" && e.test.want != want, want != "" && got != "" && holds(line, got):
			e.add(-10, false, false, "the test makes the issue's call %s and expects another result than the issue", x.Call)
		case x.Unsure && got == "" && want != "" && e.test.got == want:
			e.add(5, true, true, "the test makes the issue's call %s, and it gives what the issue says", x.Call)
		case got != "" && e.test.got == got:
			e.add(5, true, true, "the test makes the issue's call %s, and it gives what the issue says, %s", x.Call, x.Got)
		case x.GotError != "" && sameError(x.GotError, e.red.Exception):
			e.add(5, true, true, "the test makes the issue's call %s, and it ends with %s as the issue says", x.Call, x.GotError)
		case x.GotError != "" && e.red.Exception != "" || got != "" && e.test.got != "":
			e.add(-4, false, false, "the test makes the issue's call %s, and something else comes out than the issue says", x.Call)
		default:
			e.add(3, true, false, "the test makes the issue's call %s", x.Call)
		}
		return
	}
}

// failures: it fails where, with what and with which words the issue says.
func (e *evidence) failures() {
	i, r := e.issue, e.red
	same := r.Exception != "" && !assertion(r.Exception) && i.hasError(r.Exception)
	if at := e.frame(); at != "" {
		switch {
		case same:
			e.add(6, true, true, "it fails at %s with %s, as in the issue's trace", at, r.Exception)
		case assertion(r.Exception) || r.Exception == "" || len(i.errors) == 0:
			e.add(2, true, false, "it fails at %s, which the issue's trace names", at)
		}
	} else if same {
		e.soft(map[bool]int{true: 1, false: 2}[everyday[lastName(r.Exception)]], "it fails with %s, which the issue names", r.Exception)
	}
	message, generic := telling(r.Message)
	if message != "" && strings.Contains(i.flat, message) {
		if generic {
			e.add(2, false, true, "it fails with the words of the issue, %q", clip(message))
		} else {
			e.add(5, true, true, "it fails with the words of the issue, %q", clip(message))
		}
	}
}

// everyday exceptions are those of many faults.
var everyday = wordSet(`panic TypeError ValueError KeyError IndexError AttributeError Error Exception RuntimeError ReferenceError RangeError NameError ZeroDivisionError`)

// frame is the innermost place of the project in the failure, where the issue's
// trace has it too.
func (e *evidence) frame() string {
	f := e.innermost()
	if f == nil {
		return ""
	}
	for _, o := range e.issue.frames {
		sameFile := path.Base(o.File) == path.Base(f.File)
		if sameFile && (o.Function != "" && o.Function == lastName(f.Function) || o.Line == f.Line && f.Line > 0) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
	return ""
}

func (e *evidence) innermost() *task.Frame {
	for n := len(e.red.Trace) - 1; n >= 0; n-- {
		if f := &e.red.Trace[n]; !e.isTest(*f) && !path.IsAbs(f.File) {
			return f
		}
	}
	return nil
}

// values: what comes out and what should are the issue's.
func (e *evidence) values() {
	if slices.ContainsFunc(e.out, func(r Reason) bool { return r.place && r.fault }) {
		return
	}
	i := e.issue
	said := func(v string) bool { return i.says(v) && distinctive(v) }
	told := func(v string) bool { // between the marks of an example, however short
		return i.says(v) || v != "" && (slices.ContainsFunc(i.examples, func(x example.Example) bool { return squeezeValue(x.Got) == v || squeezeValue(x.Want) == v }))
	}
	got, want := e.test.got, e.test.want
	switch {
	case got != want && said(got) && said(want) && (len(got) > 3 && len(want) > 3 || i.amount(got) && i.amount(want)): // two such values do not meet by chance
		e.add(5, true, true, "it gives %s instead of %s, as the issue says", got, want)
	case got != want && said(got) && told(want), got != want && said(want) && told(got):
		e.add(4, false, true, "it gives %s instead of %s, as the issue says", got, want)
	case said(got):
		e.add(2, false, true, "it gives %s, as the issue says", got)
	case got != want && told(got) && told(want) && e.has(true, false):
		e.add(2, false, true, "it gives %s instead of %s, as the issue says", got, want)
	}
	n, shared := 0, ""
	for _, v := range sorted(e.test.values) {
		if distinctive(v) && len(v) > 4 && i.values[v] && v != got && v != want {
			n, shared = n+1, v
		}
	}
	if n > 0 {
		e.soft(1, "it uses the issue's value %s", clip(shared))
	}
	for _, x := range i.examples { // the same function with the same argument, among others
		name, args, _ := strings.Cut(x.Call, "(")
		for _, v := range literal.FindAllString(args, -1) {
			if v = squeeze(v); len(v) > 4 && e.test.called[lastName(name)] && e.test.values[v] {
				e.soft(1, "it calls %s with the issue's %s", lastName(name), clip(v))
				return
			}
		}
	}
}

// says tells whether the issue holds a value; an amount of cents is written with
// a point.
func (i *Issue) says(v string) bool {
	return v != "" && (i.values[v] || i.amount(v) || i.spells(v) || i.plain[spelledOut[v]])
}

// spells tells whether the issue writes a text out in its prose that is no word,
// such as text/html.
func (i *Issue) spells(v string) bool {
	inner := strings.Trim(v, `"`)
	return inner != v && len(inner) >= 4 && strings.ContainsAny(strings.Trim(inner, "./-_:@"), "./-_:@") && !strings.ContainsAny(inner, " \n") && (holds(i.text, inner) || hasWord(i.text, inner))
}

// amount tells whether the issue names as money what the code counts in cents.
func (i *Issue) amount(v string) bool {
	return len(v) > 2 && strings.Trim(v, "0123456789") == "" && i.values[v[:len(v)-2]+"."+v[len(v)-2:]]
}

// symptoms: the test is named after what the issue complains of, besides the
// words for what both are about.
func (e *evidence) symptoms() {
	var shared []string
	for _, w := range sorted(e.test.name) {
		if !e.test.domain[w] && e.issue.all[w] {
			shared = append(shared, written(w, e.red.Name))
		}
	}
	if len(shared) > 0 {
		e.soft(min(2*len(shared), 6), "the test's name and the issue speak of %s", strings.Join(shared[:min(len(shared), 4)], ", "))
	}
	for _, s := range kinds {
		if s.issue.MatchString(e.issue.flat) && s.source.MatchString(e.red.Source) && !slices.ContainsFunc(shared, func(w string) bool { return s.issue.MatchString(w) }) {
			e.soft(2, "the test tries %s, of which the issue speaks", s.words)
			return
		}
	}
}

// kinds of input that prose has words for.
var kinds = []struct {
	words         string
	issue, source *lazyregexp.Regexp
}{
	{"something empty", lazyregexp.New(`\bempty\b|\bno (?:items|elements|values|entries|rows)\b`), lazyregexp.New(`\(\s*(?:\[\]|\{\}|""|''|nil|None|null)\s*[,)]|\[\]\w*\{\}`)},
	{"nothing but blanks", lazyregexp.New(`\b(?:blanks?|spaces?|white ?space)\b`), lazyregexp.New(`"[ \t]+"|'[ \t]+'`)},
	{"a negative number", lazyregexp.New(`\bnegativ`), lazyregexp.New(`[(,=\[]\s*-\d`)},
	{"None or null", lazyregexp.New(`\b(?:none|null|nil|undefined)\b`), lazyregexp.New(`[(,=]\s*(?:None|null|nil|undefined)\s*[,)]`)},
	{"characters beyond ASCII", lazyregexp.New(`\b(?:unicode|non-?ascii|umlauts?|accent\w*|emojis?|diacritic\w*)\b`), lazyregexp.New(`[^\x00-\x7f]|\\u[0-9a-fA-F]{4}`)},
	{"Windows line endings", lazyregexp.New(`\bcrlf\b|\bwindows line|\\r\\n|carriage return`), lazyregexp.New(`\\r`)},
}

// NotCalled are the words of a reason.
const NotCalled = "the issue's example calls what the test does not"

// ends are words of what does not come to its end, though no exception is named.
var ends = lazyregexp.New(`\b(?:raises|raised|throws|threw|crash(?:es|ed)?|panics|panicked|blows up|dies)\b`)

// contradictions: the issue tells of another kind of fault, or of other code.
func (e *evidence) contradictions() {
	i, r := e.issue, e.red
	if e.out != nil && e.out[0].Weight == certain {
		return
	}
	if len(i.frames) > 0 && e.innermost() != nil && e.frame() == "" && !assertion(r.Exception) {
		e.add(-3, false, false, "the issue's trace ends elsewhere than the test does")
	}
	wrongValue := assertion(r.Exception) || r.Exception == ""
	switch crashed := len(i.errors) > 0 && !i.wantsError(); {
	case crashed && !wrongValue && !i.hasError(r.Exception):
		e.add(-4, false, false, "the issue tells of %s, and the test ends with %s", strings.Join(sorted(i.errors), ", "), r.Exception)
	case crashed && wrongValue && !e.mentions(i.errors) && !i.saysBoth():
		e.add(-3, false, false, "the issue tells of %s, and the test sees a wrong result", strings.Join(sorted(i.errors), ", "))
	case !crashed && len(i.errors) == 0 && !wrongValue && i.saysValues() && !i.Speaks(ends):
		e.add(-3, false, false, "the issue tells of a wrong result, and the test ends with %s", r.Exception)
	}
	if !e.has(true, false) {
		return
	}
	// It names functions, and calls of the test are none of them.
	named, told := 0, 0
	for _, x := range i.examples {
		if x.Want+x.Got+x.WantError+x.GotError == "" {
			continue
		}
		told++
		name := lastName(strings.SplitN(x.Call, "(", 2)[0])
		if !e.test.called[name] && !slices.Contains(e.red.Ran, name) && !strings.Contains(r.Source, name) {
			named++
		}
	}
	if named > 0 && named == told {
		e.add(-3, false, false, NotCalled)
	}
}

func (i *Issue) hasError(class string) bool {
	for c := range i.errors {
		if sameError(c, class) {
			return true
		}
	}
	return false
}

// wantsError: the issue asks for an exception that does not come.
func (i *Issue) wantsError() bool {
	return slices.ContainsFunc(i.examples, func(x example.Example) bool { return x.WantError != "" }) || wantsError.MatchString(i.flat)
}

var (
	wantsError = lazyregexp.New(`\b(?:should|must|ought to|expected? (?:it )?to|does ?n[o']?t|did ?n[o']?t|never|instead of|without|rather than|no) (?:\w+ ){0,2}(?:rais|throw|reject|fail|error|panic)`)
	values     = lazyregexp.New(`\b(?:returns?|gives?|gave|got|prints?|shows?|yields?|outputs?|instead of|rather than)\b`)
)

func (i *Issue) saysValues() bool {
	return values.MatchString(i.flat) && slices.ContainsFunc(i.examples, func(x example.Example) bool { return x.Got+x.Want != "" })
}

// saysBoth: besides an exception it tells of a value.
func (i *Issue) saysBoth() bool {
	return slices.ContainsFunc(i.examples, func(x example.Example) bool { return x.Got != "" })
}

func (e *evidence) mentions(classes map[string]bool) bool {
	for c := range classes {
		if strings.Contains(e.red.Message, c) || strings.Contains(e.red.Source, c) {
			return true
		}
	}
	return false
}

func (e *evidence) isTest(f task.Frame) bool { return f.File == "" || f.File == e.red.File }

// sameError compares classes, whatever their modules.
func sameError(a, b string) bool { return lastName(a) == lastName(b) && a != "" }

// assertion is the exception of a test's own expectation.
func assertion(class string) bool {
	c := lastName(class)
	return c == "" || strings.Contains(strings.ToLower(c), "assert") || slices.Contains([]string{"Failed", "FAIL", "ExpectationNotMetError", "MultipleExpectationsNotMetError", "ExpectationFailed", "ExpectationFailedException", "ComparisonFailure"}, c)
}

var generic = lazyregexp.New(`^(?:list|string|tuple|slice|array)? ?index out of (?:range|bounds)|^division by zero$|integer divide by zero|is not (?:a function|defined|iterable|callable|subscriptable)|has no attribute|object is not|cannot read propert|nil pointer dereference|maximum (?:recursion|call stack)|invalid literal for|timed? ?out|unexpected (?:token|end)|no such file`)

// telling is the part of a failure's message that could stand in an issue, in
// the issue's flat form; generic where many faults have the same.
func telling(message string) (text string, many bool) {
	line := ""
	for l := range strings.Lines(message) {
		if l = strings.TrimSpace(l); l != "" && !boiler.MatchString(l) {
			line = l
			break
		}
	}
	text = flatten(line)
	if len(text) < 12 || len(strings.Fields(text)) < 3 {
		return "", false
	}
	return text, generic.MatchString(text) || len(strings.Fields(text)) < 4
}

var boiler = lazyregexp.New(`(?i)^(?:assert(?:ion)?\b|expected values? to be|expected .* to (?:be|equal)|the (?:input|expression) |got\b|want\b|expected\b|actual\b|[+-] )`)

// distinctive values are not met by chance.
func distinctive(v string) bool {
	switch v {
	case "", "0", "1", "2", "3", "-1", "10", "100", "[]", "{}", `""`, "''", "None", "null", "nil", "True", "False", "true", "false", "undefined", "0.0", "1.0":
		return false
	}
	return len(v) >= 2
}

// rest is what stands behind a place up to the end of the statement.
func rest(squeezed string, at int) string {
	end := strings.IndexByte(squeezed[at:], '\n')
	if end < 0 {
		return squeezed[at:]
	}
	return squeezed[at : at+end]
}

// holds: the rest of an assertion compares with the value.
func holds(line, value string) bool {
	for at := 0; at <= len(line); {
		i := strings.Index(line[at:], value)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(value)
		if (from == 0 || !inWord(line[from-1])) && (to == len(line) || !inWord(line[to]) || stops(line[to:])) {
			return true
		}
		at = from + 1
	}
	return false
}

// stops tells a full stop.
func stops(rest string) bool {
	return rest[0] == '.' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n')
}

func inWord(c byte) bool {
	return c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func hasWord(text, w string) bool { return holds(strings.ReplaceAll(text, ".", " "), w) }

func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

func sorted(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
