package belong

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// maxText bounds what is read of an issue and of a test.
const maxText = 64 << 10

// Issue is an issue as read: what it names, and what it says of the fault.
type Issue struct {
	text     string          // as written
	flat     string          // in lower case, blanks squeezed, marks of code taken out
	prose    map[string]bool // stems of the words outside of code
	all      map[string]bool // stems of all words
	code     map[string]bool // identifiers written as code: between backticks, called, in a fence, or of a form that prose has not
	plain    map[string]bool // words of prose as written, in lower case
	examples []example.Example
	errors   map[string]bool // classes of exceptions
	frames   []task.Frame
	values   map[string]bool // literals, squeezed
	redness  bool            // it complains that tests are red, and of nothing else
}

var (
	fence     = lazyregexp.New("(?ms)^[ \\t]*(?:```|~~~).*?(?:^[ \\t]*(?:```|~~~)[ \\t]*$|\\z)")
	span      = lazyregexp.New("`[^`\n]+`")
	word      = lazyregexp.New(`[\p{L}_$][\p{L}\p{N}_$]*`)
	errorName = lazyregexp.New(`\b(?:[A-Za-z_]\w*\.)*([A-Z]\w*(?:Error|Exception|Warning|Iteration|Interrupt|Exit|Timeout|Failure))\b`)
	shaped    = lazyregexp.New(`\b(?:[a-z]+[a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|_+[a-z]\w*)\b`)
	applied   = lazyregexp.New(`([A-Za-z_$][\w$]*)\(`)
	dotted    = lazyregexp.New(`\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b`)
	literal   = lazyregexp.New(`"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){1,200}'|-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b|\[[^\[\]\n]{0,120}\]|\{[^{}\n]{0,120}\}`)

	// A title that says of one word what it does, such as "median is wrong".
	subject = lazyregexp.New(`^\W*([A-Za-z_]\w{3,})\W*\s+(?:is|are|does|doesn['’]?t|isn['’]?t|gives?|returns?|fails?|crash(?:es)?|raises?|throws?|panics?|ignores?|loses|drops|swallows|should|must|never|breaks?|hangs?|can(?:no|['’])t|cannot|misses|skips|keeps|mixes|rounds|prints|accepts|rejects|treats|takes)\b`)

	redTests = lazyregexp.New(`(?i)\b(?:(?:fix|repair|mend|get|make|turn)\b[^.\n]{0,40}\b(?:tests?|suite|ci|build|pipeline)\b(?:[^.\n]{0,20}\b(?:green|pass(?:ing)?|work)\b)?|(?:the |all |our |unit |some |many |several )*(?:tests?|test suite|suite|ci|build|pipeline)\b[^.\n]{0,30}\b(?:fails?|failing|is red|are red|broken|breaks?|is not green)\b|failing tests?|red (?:tests?|build))`)
)

// Read reads an issue's title and body.
func Read(title, body string) *Issue {
	text := strings.ReplaceAll(title+"\n\n"+body, "\r\n", "\n")
	text = strings.ToValidUTF8(text[:min(len(text), maxText)], "")
	i := &Issue{text: text, code: map[string]bool{}, errors: map[string]bool{}, values: map[string]bool{}}
	i.examples = example.Mentioned(title, body)
	i.flat = flatten(text)
	bare := fence.ReplaceAllString(text, "\n")
	for _, s := range append(fence.FindAllString(text, -1), span.FindAllString(bare, -1)...) {
		for _, w := range word.FindAllString(s, -1) {
			i.code[w] = true
		}
	}
	for _, w := range shaped.FindAllString(text, -1) {
		i.code[w] = true
	}
	for _, m := range applied.FindAllStringSubmatch(text, -1) {
		i.code[m[1]] = true
	}
	if m := subject.FindStringSubmatch(title); m != nil {
		i.code[m[1]] = true
	}
	for _, d := range dotted.FindAllString(text, -1) {
		for _, w := range strings.Split(d, ".") {
			i.code[w] = true
		}
	}
	prose := span.ReplaceAllString(bare, " ")
	i.prose, i.all, i.plain = stems(prose), stems(text), map[string]bool{}
	for _, w := range word.FindAllString(strings.ToLower(prose), -1) {
		i.plain[w] = true
	}
	for _, m := range errorName.FindAllStringSubmatch(text, -1) {
		i.errors[m[1]] = true
	}
	if strings.Contains(text, "panic:") || i.plain["panics"] || i.plain["panic"] {
		i.errors["panic"] = true
	}
	for _, v := range literal.FindAllString(text, -1) {
		i.values[squeeze(v)] = true
	}
	i.frames = memory.Frames(text)
	i.redness = i.onlyOfTests(title, bare)
	return i
}

// onlyOfTests: the title speaks of red tests, and nothing of the issue names
// code, values or an example of its own.
func (i *Issue) onlyOfTests(title, bare string) bool {
	return redTests.MatchString(title) && len(i.examples) == 0 && len(i.frames) == 0 && len(i.code) == 0 && len(strings.Fields(bare)) <= 60
}

// OfRedTests tells whether the issue complains that tests are red, whichever:
// then all of them are its own.
func (i *Issue) OfRedTests() bool { return i.redness }

func flatten(s string) string {
	s = strings.NewReplacer("`", "", "*", "", "\"", "", "'", "").Replace(strings.ToLower(s))
	return strings.Join(strings.Fields(s), " ")
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

func lastName(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ")")
	if at := strings.LastIndexAny(s, ". ("); at >= 0 {
		s = s[at+1:]
	}
	return s
}

// stems are the parts of a text's words and identifiers, cut to a stem, without
// those that say nothing.
func stems(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range word.FindAllString(s, -1) {
		for _, part := range memory.Parts(w) {
			if st := memory.Stem(part); len(st) >= 3 && !empty[part] && !empty[st] {
				out[st] = true
			}
		}
	}
	return out
}

// written is the word of a text that a stem stands for, for people to read.
func written(stem, text string) string {
	for _, w := range word.FindAllString(text, -1) {
		for _, part := range memory.Parts(w) {
			if memory.Stem(part) == stem {
				return part
			}
		}
	}
	return stem
}

// empty are words that any issue and any test may hold.
var empty = wordSet(`a an and any are as at be been but by can could did do does for from get gets given got had has have he her his how i if in into is it its just like make makes
	me my no not now of off on one only or other our out over own same she should so some such than that the their them then there these they this those to too under up us use used uses using
	very was we were what when where which while who why will with without would yes you your
	test tests testing check checks checked verify assert asserts expect expects expected actual spec suite unit case cases example examples
	return returns returned give gives gave given value values result results output input inputs call calls called function method class code file files line lines
	true false none null nil undefined self let const var func def new string number list object type data
	error errors bug issue problem wrong wrongly right correct correctly incorrect incorrectly fail fails failed failing failure break breaks broken work works working
	python javascript node java golang pytest main src lib test_ still also see please thanks hello version instead should must need needs want wants
	handle handles handling support supports properly behave behaves behaviour behavior run runs running thing things way ways first last`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}
