package triage

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// What a maintainer could look for. Each is a thing by its own name; a word
// such as "error" or "the app" is none, nor is a product or a version.
var (
	fileName = rx("\\b[\\w/-]+\\.(py|go|js|jsx|ts|tsx|rb|rs|java|kt|c|cc|cpp|h|cs|php|ya?ml|json|toml|css|scss|html|sql|sh|md|csv|ini|cfg|log|tmpl)\\b")
	concrete = map[string]*lazyregexp.Regexp{
		"code":       lazyregexp.New("`[^`\\s][^`]*`"),
		"call":       lazyregexp.New(`\b[A-Za-z_][\w.]*\([^)\n]*\)`),
		"error":      lazyregexp.New(`\b[A-Z]\w*(Error|Exception|Panic)\b|\b(panic|segfault|SIGSEGV)\b|\b(NPE|undefined is not)\b`),
		"flag":       lazyregexp.New(`(^|\s)--[a-z][\w-]+`),
		"route":      lazyregexp.New(`(^|[\s(])/[a-z][\w/{}.?=&-]*\b`),
		"status":     lazyregexp.New(`(?i)\b(an?|returns?|gives?|gets?|got|answers?|status|http|code|error)\W+[45]\d\d\b`),
		"label":      lazyregexp.New(`["«“][^"»”]{2,}["»”]|(^|\s)'[^'\s][^']{1,60}'`),
		"identifier": lazyregexp.New(`\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z]+[A-Z]\w+\b|\b[A-Z]{2,}_[A-Z_]+\b`),
		"values":     lazyregexp.New(`\b\d+([.,:]\d+)?\b.{0,80}\b\d+([.,:]\d+)?\b|[\d)'"\]` + "`" + `]\s*(→|->|=>)|[<>]=?\s?\d`),
	}
	// circumstance is what tells about the reporter and not about the fault:
	// product names, versions, how often and since when.
	circumstance = rx("\\b(mac ?book\\w*|i(phone|pad|os|mac)|mac ?os|(type|java|coffee)script|git(hub|lab)|(postgre|my|no)sql|(mongo|maria|dynamo)db|power(shell|point)|one(drive|note)|libreoffice|wordpress|youtube|linkedin|chatgpt|graphql|devops|webkit|fastapi|nestjs|virtualbox)\\b( \\d[\\w.]*)?|\\b(version|v|from|since|windows|android|ubuntu|debian|firefox|chrome|edge|safari|python|node|java|php|update|upgraded?|release|in|until|after) v?\\d[\\w.]*( (to|and|or|until) v?\\d[\\w.]*)?|\\b\\d+ ?((to|or|-|and) \\d+ ?)?(times?|x|seconds?|minutes?|hours?|days?|weeks?|months?|years?|people|users|customers|colleagues|[mg]b|cores)\\b")
)

// shown tells whether there is something concrete: code, a call, a message.
func (is issue) shown() bool {
	if is.block {
		return true
	}
	for _, s := range is.sentences {
		raw := spelled.ReplaceAllStringFunc(circumstance.ReplaceAllString(s.raw, " "), func(n string) string { return digits[strings.ToLower(n)] })
		for kind, c := range concrete {
			if c.MatchString(raw) && (kind != "values" || outcome.MatchString(s.text) || compares.MatchString(raw)) {
				return true
			}
		}
		if fileName.MatchString(raw) && len(s.words) > 1 {
			return true
		}
	}
	return false
}

// Numbers that prose spells out. One is an article as well.
var (
	digits  = map[string]string{"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12"}
	spelled = rx("\\b(zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\\b")
)

// demands: below the title a verb says what it should do, "it should add".
func (is issue) demands() bool {
	for _, s := range is.sentences[1:] {
		for i, w := range s.words[:len(s.words)-1] {
			if next := s.words[i+1]; (w == "should" || w == "must") && !vague[next] {
				if _, form := lemma(next); form == "base" {
					return true
				}
			}
		}
	}
	return false
}

// compares tells two values of which one is wrong from any two numbers.
var compares = rx("\\b(instead of|should|expected|but (is|was|not)|not \\d|becomes?|goes|means?)\\b|[=→<>]|->")

// Words that name no place and no behaviour that anybody could look for.
var (
	wholes    = "tool tools app apps application system program tool software site website page pages thing things stuff product project code version release update upgrade everything anything nothing something one part parts feature features function functionality option work works working result results output log logs test tests build builds package plugin library module machine computer laptop phone mobile tablet device browser screen server internet network environment message messages file files data case cases place behaviour behavior number numbers ui ux design flow experience"
	verdicts  = "normal odd okay bug bugs buggy issue issues problem problems error errors fault trouble crash crashes crashed crashing fail fails failed failing failure break breaks broke broken hang hangs hanging freeze freezes froze stop stops stopped wrong incorrect weird strange odd bad worse terrible ugly slow slower fast faster better best nice nicer good great fine clean cleaner modern dated outdated messy mess unstable red lost loses missing confusing confused clunky clearer obvious intuitive annoying blurry off properly correctly somehow improve improved optimize optimise smooth polish friendly load loads loading start starts run runs doesn't don't didn't isn't aren't wasn't can't cannot won't behave behaves behaving look looks looked seem seems seemed feel feels act acts"
	narration = "different like any i i'm i've i'd we us me my you your he his she they someone somebody anybody anyone people user users customer customers client clients colleague colleagues boss friend friends team beginners company office today yesterday tonight morning evening night monday tuesday wednesday thursday friday saturday sunday day days week weeks month months year years hour hours minute minutes second ago time times while recently lately suddenly sometimes often always never ever again still already just since until after before every last next latest new old other another same than more most less lot lots many much few several various some any every random randomly know think thought want need needs try tried use uses used using happen happens happened notice noticed see saw seen heard hear told tell said say says go goes going went gone come came get gets got getting had has have having been being make makes made restart restarted reinstall reinstalled install installed updated upgraded rolled back remember please thanks thank thx sorry hello hi team help urgent asap info information idea reason further regards really very quite pretty too so only also even like find found look looking check fix fixed fixing reconsider pay enough out up down about around between during there here where what which who why how when this that these those would could should might must may will can not no yes because but or and"
	vague     = set(wholes + " " + verdicts + " " + narration)
)

// specific is the words of a sentence that name something of their own.
func specific(words []string) []string {
	var out []string
	for _, w := range words {
		if (len(w) > 2 || w[0] >= '0' && w[0] <= '9') && !smallWords["en"][w] && !lead[w] && !vague[w] && !adverbs[w] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// observable says what could be seen of the issue, or "": something by its
// name, or a sentence in plain words that says of what, and what is wrong.
func (is issue) observable() string {
	if is.shown() {
		return "it names something that can be observed"
	}
	if is.foreign != "" || len(is.sentences) == 0 {
		return ""
	}
	// In plain words the title says it, with more than one thing of its own.
	first := is.sentences[0]
	told := len(specific(first.words))
	switch wish := len(requests(first)) > 0; {
	case first.asks:
	case redTests.MatchString(first.text) && fault.MatchString(first.text) && greenAgain.MatchString(is.whole):
		return "it is about the tests that are red"
	case told >= 3 && predicate.MatchString(first.text) && is.contrasts(), wish && told >= 2 && is.contrasts(), !wish && (fault.MatchString(first.text) || states(first.words)) && (told >= 3 || told == 2 && is.contrasts() || told == 1 && is.demands()):
		return "it says what is wrong with what"
	}
	return ""
}

// contrasts: what should be is said below the title.
func (is issue) contrasts() bool {
	for _, s := range is.sentences[1:] {
		if expects.MatchString(s.text) && len(specific(s.words)) > 0 {
			return true
		}
	}
	return false
}

// predicate is what makes a sentence of a title, wherever it stands.
var predicate = rx("\\b(is|are|was|were|has|have|does|do|did|gets?|comes?)\\b")

var expects = rx("\\b(should|must|ha(s|ve) to|expected|ought|instead of|although|while|but|even though)\\b")
