package belong

import (
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	// What a failure says of the values, in the words of the common runners.
	comparisons = []*lazyregexp.Regexp{
		lazyregexp.New(`\+ actual - expected\s*\n\+ (?P<got>[^\n]{1,200})\n- (?P<want>[^\n]{1,200})`), // node:assert
		lazyregexp.New(`(?s)(?:AssertionError: )?assert (?P<got>.+?) == (?P<want>.+?)(?:\n|$)`),
		lazyregexp.New(`(?m)^(?:AssertionError: )?assert (?:not )?(?P<got>\S+)\n\s*\+\s+where `),
		lazyregexp.New(`(?m)^(?P<got>[^\n]{1,200}?) !==? (?P<want>[^\n]{1,200})$`),
		lazyregexp.New(`Failed asserting that (?P<got>[^\n]{1,200}?) (?:is identical to|matches expected|is equal to) (?P<want>[^\n]{1,200})`), // PHPUnit
		lazyregexp.New(`<(?P<want>[^\n]{1,200})> expected but was\s+<(?P<got>[^\n]{1,200})>`),                                                  // test-unit
		lazyregexp.New(`(?m)^\s*left: (?P<got>[^\n]{1,200})\n\s*right: (?P<want>[^\n]{1,200})$`),                                               // Rust
		lazyregexp.New(`(?i)\bgot:?\s*=?\s*(?P<got>[^\n,;]{1,200}?)[,;]?\s+(?:want(?:ed)?|expected):?\s*=?\s*(?P<want>[^\n]{1,200})`),
		lazyregexp.New(`(?i)=\s*(?P<got>[^\n,;]{1,200}?)[,;]\s+(?:want(?:ed)?|expected)\s+(?P<want>[^\n]{1,200})`),
		lazyregexp.New(`(?is)\bexpected:?\s*(?P<want>[^\n]{1,200}?)[,;]?\s+(?:but )?(?:got|actual|received|was):?\s*(?P<got>[^\n]{1,200})`),
		lazyregexp.New(`(?m)^(?P<got>[^\n]{1,200}?) != (?P<want>[^\n]{1,200}?)(?: :.*)?$`),
	}
	shown  = lazyregexp.New(`^where .*|\s+\+\s+where.*`)
	differ = lazyregexp.New(`^(?:Assertion\w*: )?(?:Lists|Tuples|Sets|Dicts|Sequences|Strings) differ: |^AssertionError: `)
	// What a person adds behind an expected value.
	remark = lazyregexp.New(`\s+\([^()]*\)$`)
)

// test is a red test as read.
type test struct {
	called   map[string]bool // names of what its source calls
	squeezed string          // its source without blanks
	name     map[string]bool // stems of its name
	domain   map[string]bool // stems of the names of what it runs, and of its file
	module   map[string]bool // stems of its file's name and of the suites around it
	values   map[string]bool // literals of its source
	got      string          // what came out, where the failure says it; squeezed
	want     string
}

// readTest reads a test's source and its failure.
func readTest(r Red) test {
	src := r.Source[:min(len(r.Source), maxText)]
	t := test{called: map[string]bool{}, values: map[string]bool{}, name: stems(r.Name), domain: map[string]bool{}}
	for _, m := range applied.FindAllStringSubmatch(src, -1) {
		if !notProject[m[1]] && m[1] != r.Name {
			t.called[m[1]] = true
		}
	}
	for line := range strings.Lines(src) {
		t.squeezed += squeeze(strings.ReplaceAll(line, "'", `"`)) + "\n"
	}
	for _, v := range literal.FindAllString(src, -1) {
		t.values[squeeze(v)] = true
	}
	for _, from := range append(r.Ran, sorted(t.called)...) {
		for w := range stems(from) {
			t.domain[w] = true
		}
	}
	t.module = stems(strings.TrimSuffix(path.Base(r.File), path.Ext(r.File)) + " " + around(r.Name))
	for w := range t.module {
		t.domain[w] = true
	}
	got, want := Compared(r.Message)
	t.got, t.want = squeezeValue(got), squeezeValue(want)
	return t
}

// around are the names of the suites that a test stands in.
func around(name string) string {
	if at := max(strings.LastIndex(name, " > "), strings.LastIndex(name, "::")); at > 0 {
		return name[:at]
	}
	return ""
}

// Compared reads what came out and what should have from a failure's words, ""
// where they do not say.
func Compared(message string) (got, want string) {
	message = strings.TrimSpace(message)
	for _, re := range comparisons {
		m := re.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		for n, name := range re.SubexpNames() {
			switch name {
			case "got":
				got = unwrap(m[n])
			case "want":
				want = unwrap(m[n])
			}
		}
		return got, want
	}
	return "", ""
}

// unwrap takes a value out of what a runner writes around it.
func unwrap(s string) string {
	return strings.TrimSpace(remark.ReplaceAllString(differ.ReplaceAllString(strings.TrimSpace(shown.ReplaceAllString(s, "")), ""), ""))
}

// squeezeValue makes the ways to write a value one, whatever the language.
func squeezeValue(s string) string {
	s = squeeze(strings.Trim(strings.ReplaceAll(strings.TrimSpace(s), "'", `"`), ".,;`"))
	if inner, ok := strings.CutPrefix(s, `Decimal("`); ok {
		s = strings.TrimSuffix(inner, `")`)
	}
	switch s {
	case "True", "False":
		return strings.ToLower(s)
	case "None", "nil", "undefined":
		return "null"
	}
	return s
}

// notProject are names that tests and languages call themselves.
var notProject = wordSet(`test it describe beforeEach afterEach expect assert equal strictEqual deepEqual deepStrictEqual notEqual notStrictEqual throws doesNotThrow rejects ok match fail
	assertEqual assertEquals assertTrue assertFalse assertRaises assertIn assertIsNone assertIsNotNone assertAlmostEqual assertRaisesRegex raises approx fixture parametrize mark skip
	eq eql be to not_to assert_equal assert_nil assert_raises refute must_equal must_be_nil assertSame assertNull assertCount expectException
	Fatal Fatalf Error Errorf Log Logf Run Helper Parallel Cleanup TempDir Equal NoError Nil NotNil True False Len Contains DeepEqual Is As New Sprintf Errorf Println Printf
	print len str int float list dict set tuple range sorted repr isinstance type open super function func def if for while switch return catch require import console log
	String Number Boolean Array Object Date Map Set Symbol Promise parseInt parseFloat setTimeout clearTimeout toBe toEqual toThrow toStrictEqual then make append cap panic recover byte rune string`)

// common are names that functions of many modules have: one of them in an issue
// points at nothing in particular.
var common = wordSet(`get set add put run parse load save open close read write init main start stop update delete remove create build make find next call apply send format render handle process
	New Get Set Add Put Run Parse Load Save Open Close Read Write Init Start Stop Update Delete Remove Create Build Make Find Next Call Apply Send Format Render Handle Process
	map filter reduce push pop join split replace keys values items entries length size count sum min max sort index name value data key test toString from of encode decode list show print check`)
