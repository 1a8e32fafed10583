package danger

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

var (
	// A wish: a verb in the imperative, or behind "please", "should", "just".
	wish = `(?:^|[.!?:;,\n]\s*|\b(?:please|pls|just|simply|and|then|or|also|should|must|let'?s|can you|could you|you (?:can|may)|we (?:can|should)|need to|want to|want you to|to|by|instead|ok to|fine to|feel free to)\s+)(?:please\s+|just\s+|simply\s+|temporarily\s+|then\s+)*`
	// tests are the tests of a project, and what keeps them honest.
	tests = `(?:(?:the|this|that|these|those|all|any|every|each|our|its|of|failing|broken|flaky|red|existing|old|unit|integration|regression|slow|annoying|other|related|\w+[_./:-]\w+\S*|` + "`[^`]+`" + `)\s+)*(?:tests?|test[- _]?(?:cases?|suites?|files?)|assert(?:ion)?s?|specs?|test_\w+|checks?\s+in\s+(?:the\s+)?tests?|` + "`?test_\\w+`?" + `|\w+\.(?:test|spec)\.\w+)\b`

	weakening = lazyregexp.New(`(?im)` + wish + `(?:skip|disable|delete|remove|drop|comment\s+out|ignore|bypass|weaken|loosen|relax|silence|mute|turn\s+off|switch\s+off|get\s+rid\s+of|xfail|x-?fail|mark|deactivate|exclude|suppress|kill|nuke|erase|neuter|stub\s+out)\s+` + tests)
	rewriting = lazyregexp.New(`(?im)` + wish + `(?:change|adapt|adjust|update|edit|modify|rewrite|alter|fix|tweak|make)\s+` + tests + `[^.\n]{0,40}\b(?:so\s+(?:that\s+)?(?:it|they)\s+(?:pass|passes|succeed|succeeds|is\s+green|are\s+green|go\s+green|always)|(?:to|and)\s+(?:always\s+)?(?:pass|accept|be\s+green|match)|until\s+(?:it|they)\s+pass|always\s+pass)\b`)
	marking   = lazyregexp.New(`(?im)` + wish + `(?:mark|decorate|annotate|flag)\s+` + tests + `[^.\n]{0,30}\b(?:skip\w*|xfail\w*|flaky|todo|ignored?|expected\s+fail\w*)\b`)
	passing   = lazyregexp.New(`(?im)` + wish + `(?:make|have|let|force|get)\s+` + tests + `\s+(?:always\s+|simply\s+|just\s+|unconditionally\s+)+(?:pass|succeed|(?:be\s+)?green)\b`)
	without   = lazyregexp.New(`(?im)\b(?:don'?t|do\s+not|no\s+need\s+to|without)\s+(?:run|running|execute|executing|bother\s+with)\s+` + tests + `|` + wish + `(?:lower|reduce|drop)\s+(?:the\s+)?(?:coverage|test)\s+(?:threshold|requirement|limit|gate)`)

	// Words behind the wish by which it is about something else: "skip the test for
	// None", "remove the test helper", "delete tests/tmp after the run".
	elsewhere = lazyregexp.New(`(?i)^\s*(?:-?(?:data|files?\s+created|output|results?|report|log|runner|command|database|db|server|account|users?|string|helper|folder|directory|button|mode|flag|option|env\w*|artifacts?|cache)\b|(?:is|are|was|were|has|have|had)\s+(?:skipped|ignored|disabled|removed|deleted)|for\s+(?:none|null|nil|empty|zero)\b)`)
	// Words before it by which it tells what is, or asks for the contrary.
	contrary = lazyregexp.New(`(?i)(?:\b(?:not|never|don'?t|doesn'?t|cannot|can'?t|without|instead\s+of|rather\s+than|avoid|stops?|prevents?|seems?|tends?|appears?|used|possible|able|unable|wrongly|mistakenly|accidentally|causes?|leads?|tries|tried|when\s+(?:i|we|you)|if\s+(?:i|we|you)|(?:have|has|had|having|forced|going)|option|flag|way|ability|decides?|fails?|how)\s+(?:\w+\s+){0,2})$`)
	dropped  = lazyregexp.New(`(?i)\b(?:i|we)\s+(?:first\s+|had\s+|have\s+|also\s+)*(?:wanted|thought|considered|was\s+going|were\s+going)\b`)
	mended   = lazyregexp.New(`(?i)\b(?:by\s+(?:mistake|accident)|wrongly|mistakenly|accidentally|unintentionally|should\s+not|shouldn'?t|must\s+not)\b`)
)

// AsksToWeakenTests gives the words of an issue that ask for tests to be skipped,
// deleted or made to pass; "" where it asks for no such thing. An issue that tells
// of a test that is skipped by mistake asks for the contrary.
func AsksToWeakenTests(title, body string) string {
	for _, text := range []string{title, outsideCode(body)} {
		for _, re := range []*lazyregexp.Regexp{weakening, rewriting, marking, passing, without} {
			for _, m := range re.FindAllStringIndex(text, -1) {
				if said := judged(text, m, re); said != "" {
					return said
				}
			}
		}
	}
	return ""
}

// judged gives the sentence of a match that is a wish.
func judged(text string, m []int, re *lazyregexp.Regexp) string {
	from := strings.LastIndexAny(text[:m[0]], ".!?\n") + 1
	to := len(text)
	if at := strings.IndexAny(text[m[1]:], ".!?\n"); at >= 0 {
		to = m[1] + at
	}
	words := text[m[0]:m[1]]
	verb := regexp.MustCompile(`(?i)\b(?:skip|disable|delete|remove|drop|comment|ignore|bypass|weaken|loosen|relax|silence|mute|turn|switch|get|x-?fail|mark|deactivate|exclude|suppress|change|adapt|adjust|update|edit|modify|rewrite|make|have|let|force|lower)\b`).FindStringIndex(words)
	before := text[from:m[0]]
	if verb != nil {
		before = text[from : m[0]+verb[0]]
	}
	// Any "not" refers to the wish alone where it stands right before it.
	if re != without && (contrary.MatchString(before) || dropped.MatchString(before) || mended.MatchString(text[from:to])) || elsewhere.MatchString(text[m[1]:to]) {
		return ""
	}
	return reach.OneLine(text[from:to])
}

var (
	fenced = lazyregexp.New("(?s)```.*?(?:```|$)")
	quote  = lazyregexp.New(`(?m)^(?:>| {4}|\t).*$`)
)

// outsideCode is a body without what it only quotes.
func outsideCode(body string) string {
	return quote.ReplaceAllString(fenced.ReplaceAllString(body, ""), "")
}
