package triage

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// What makes a wish a project: what it builds, how many parts it lists, how
// many places it counts. One of these does for a title that only names a thing.
var (
	platforms = set("client clients app apps sdk sdks extension plugin addon add-on integration endpoint api apis dashboard panel console portal interface ui gui frontend backend server daemon service operator provider connector bot engine framework marketplace bindings editor designer builder assistant wizard model subsystem layer abstraction platform portal")
	counted   = rx("\\b([2-9]\\d|\\d{3,})(-something)? (\\w+ ){0,2}(files|modules|handlers|endpoints|templates|routes|queries|views|call sites|callers|tests|pages|slices|classes|functions|strings|services|packages|components|screens|tables|models|scripts|commands|places|repos\\w*)\\b")
	covering  = rx("\\b(cover(s|ing)?|for|across|in|of|on) (all|every|each|any) (\\w+ )?(resources?|endpoints?|modules?|pages?|files?|views?|services?|screens?|functions?|commands?)\\b|\\b(parity|full (support|coverage)|end.to.end)\\b|\\bfor everything\\b")
)

// project says why a wish is more than one change, or "".
func (is issue) project() string {
	if len(is.sentences) == 0 {
		return ""
	}
	first := is.sentences[0]
	wish := len(requests(first)) > 0
	topic := first.title && !wish && !first.asks && !usage(first.words) && !fault.MatchString(first.text) && !told(first.words)
	if !topic && !wish {
		return ""
	}
	builds, parts, places, many := platforms[head(first.words)], 0, false, false
	for _, s := range is.sentences {
		if s.steps || s.asks && usage(s.words) {
			continue
		}
		parts = max(parts, enumerated(newSentence(bracketed.ReplaceAllString(s.raw, " ")).words))
		many = many || counted.MatchString(s.text)
		places = places || many || covering.MatchString(s.text)
		if w := s.words; !s.title && len(requests(s)) > 0 {
			builds = builds || slices.ContainsFunc(phrase(w), func(x string) bool { return platforms[x] }) && (parts >= 3 || places)
		}
	}
	switch {
	case builds && topic && len(first.words) > 1:
		return "it asks for a part of its own (\u201c" + short(first.raw) + "\u201d)"
	case parts >= 4 && (topic || builds || places):
		return countsParts + " (\u201c" + short(first.raw) + "\u201d)"
	case many, places && (topic || builds || parts >= 3 || sweeping[is.verb()] && is.verb() != "add"):
		return "it is about more places than one change can hold (\u201c" + short(first.raw) + "\u201d)"
	}
	return ""
}

// bracketed is what stands in brackets, such as a call's arguments: no parts of a wish.
var bracketed = lazyregexp.New(`\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}`)

// told tells whether a title tells what happens, such as "an entry that was just
// updated is thrown out", and names nothing to be built.
func told(words []string) bool {
	return len(words) > 3 && determiner[words[0]] && slices.ContainsFunc(words[1:len(words)-1], func(w string) bool { return w == "is" || w == "are" || w == "was" || w == "were" })
}

// verb is what the title asks to do.
func (is issue) verb() string {
	for _, r := range is.requests {
		if r.title {
			return r.verb
		}
	}
	return ""
}

// head is the noun that a title is about: the last word before a preposition.
func head(words []string) string {
	for i, w := range words {
		if i > 0 && (boundary[w] || relative[w] || within[w] || w == "for" || w == "of" || w == "with" || w == "to" || w == ",") {
			return words[i-1]
		}
	}
	return words[len(words)-1]
}

// phrase is a request's first words, where what is to be built stands.
func phrase(words []string) []string { return words[:min(len(words), 14)] }

// enumerated is how many short parts stand in a row, between commas.
func enumerated(words []string) int {
	best, n := 0, 0
	for _, part := range strings.Split(strings.Join(words, " "), " , ") {
		part = strings.TrimPrefix(strings.TrimPrefix(part, "and "), "or ")
		if f := strings.Fields(part); len(f) == 0 || len(f) > 5 && !strings.Contains(part, " and ") || finite(append([]string{"x"}, f...)) {
			best, n = max(best, n), 1 // the last words of a longer part begin a list
			continue
		}
		n += 1 + strings.Count(part, " and ")
	}
	return max(best, n)
}
