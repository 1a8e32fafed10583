package triage

import "strings"

// How a question begins, and what makes a report of it.
var (
	inverted = rx("^\\W*(\\[?question\\]?\\W*)?(hi |hello )?((how|what|where|when|why|who|which|whose)\\b|(what|where|how|who)'s|(is|are|was|were|does|do|did|has|have|can|will|may|should) (?:the|there|this|that|it|i|one|we|any\\w*|some\\w*|a|an|it's|my|your|\\w+s|`?\\S+)\\b|(any|is there|are there)\\b.*\\b(plans?|way|docs|documentation|example)|difference (between|of)\\b)")
	// doubts are questions that may mean that something is wrong.
	doubts = rx("^\\W*(why|how (come|is)|is (it|this|there|\\S+) (a reason|normal|correct|right|expected|intended|a bug|supposed)|is \\S+ (supposed|expected|meant|intended))\\b")
	// outcome is what came of something, by its value.
	outcome = rx("\\b(return|get|give|print|show|raise|throw|yield|output|produce|render|become|equal|sort|display|write|contain)(s|ed|n)?\\b|\\bshown\\b|` \\d")
	// promise is what says what should come of it.
	promise = rx("\\b(docs?|docstrings?|documentation|readme|manual|man page|comments?|spec\\w*|rfc ?\\d*|changelog|help|guide|schema)\\b.{0,12}\\b(say|state|promise|claim|tell|guarantee)s?\\b|\\bpromises\\b|\\b(supposed|expected|would (expect|think)|one would|should (be|return|give|print|show|raise|not)|shouldn't|must be|instead of)\\b")
	// negated is how a report begins that has no subject: "does not work".
	negated = rx("^\\W*(do|does|did|is|are|can|was|has)( not|n't)\\b[^?]*$")
	// hinges tells a statement that begins as a question does, "which of them is taken
	// depends on the order".
	hinges = rx("^\\W*(which|what|how|when|where|whether|who)\\b.* (depends?|hinges?|varies|differs|changes) (on|with|by|between|from)\\b")
	polite = rx("^\\W*(can|could|would|will) (you|we|someone|somebody)\\b")
	// wants is what somebody wants to do with it, which says nothing of a fault.
	wants = rx("^\\W*(hi|hello)?\\W*(i'd like|i would like|i want|we want|we'd like|i need|we need|i am trying|i'm trying|i'd love|would love)\\b|\\b(should|could) (i|we|one)\\b|\\b(couldn't|could not|can't|cannot|can not|didn't|did not|don't) (\\w+ )?(see|find|figure|know|get|understand|tell|say)\\b|\\bdon't say\\b|\\b(curious|understand|design|rationale|history|background|wonder\\w*|interest(ed)?|reading)\\b")
)

// telling is what a question may ask somebody to do.
var telling = set("explain tell help say clarify describe point")

// asks tells whether the issue asks a question and reports no fault.
func (is issue) asks() bool {
	if len(is.sentences) == 0 || negated.MatchString(is.sentences[0].text) || is.pictures > 0 && len(is.sentences) < 3 {
		return false
	}
	first := is.sentences[0]
	question := is.interrogates(first)
	for _, s := range is.sentences[1:min(len(is.sentences), 3)] { // a noun for a title, and the question below it
		question = question || first.title && s.asks && is.interrogates(s) && (is.foreign != "" || len(specific(s.words)) > 0) && !fault.MatchString(first.text) && (is.foreign != "" || !finite(append([]string{"x"}, first.words...)) && (usage(s.words) || len(requests(first)) == 0))
	}
	return question && !is.contradicts()
}

// interrogates tells a question from a report and from a polite request.
func (is issue) interrogates(s sentence) bool {
	if is.foreign != "" {
		return s.asks || askAbroad.MatchString(s.text)
	}
	if strings.Contains(s.text, "[question]") || strings.HasPrefix(s.text, "question") {
		return true
	}
	wanted := requests(s)
	if polite.MatchString(s.text) && len(wanted) == 0 {
		return false
	}
	for _, r := range wanted {
		if !telling[r.verb] && !usage(s.words) {
			return false
		}
	}
	if s.asks {
		return len(s.words) > 1 && !strings.Contains(s.text, "n't ") && (!s.title || !doubts.MatchString(s.text) || !strong.MatchString(swap.ReplaceAllString(s.text, " ")))
	}
	_, clause, _ := strings.Cut(s.text, " , ") // "Docker image: which user does it run as"
	return s.title && (inverted.MatchString(s.text) || inverted.MatchString(clause)) && !strong.MatchString(s.text) && !hinges.MatchString(s.text)
}

// contradicts tells a question beside which something is said to be wrong: an
// error, or what comes of it and what should.
func (is issue) contradicts() bool {
	if is.block && traceback.MatchString(is.whole) {
		return true
	}
	first := is.sentences[0]
	doubt := doubts.MatchString(first.text)
	for i, s := range is.sentences {
		if is.foreign != "" {
			if brokenAbroad.MatchString(s.text) {
				return true
			}
			continue
		}
		switch {
		case wants.MatchString(s.text):
		case s.asks:
			if i == 0 && doubt && outcome.MatchString(s.text) && is.shown() {
				return true
			}
		case i > 0 && concrete["error"].MatchString(s.raw), i > 0 && strong.MatchString(s.text):
			return true
		case i > 0 && promise.MatchString(s.text) && (doubt || outcome.MatchString(first.text)):
			return true
		case i > 0 && fault.MatchString(s.text) && finite(s.words) && doubt && is.shown():
			return true
		}
	}
	return false
}
