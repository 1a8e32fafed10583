// Package triage decides from an issue's words, before anything is spent,
// whether work on it may begin (SPEC S2). Title and body go in; an action with
// its reasons comes out. It is a pure function of the text: it asks no model,
// reads no repository and must never let a quoted log decide.
//
// What an issue requests and what it reports are told apart first, because the
// same words are harmless in the one and not in the other: "remove the
// signature check" is a wish, "the signature check removes a header" a fault.
//
//	text ─ prose, without code, logs, quotes, template ─ sentences ─ requests
//	refuse   a request would delete data, weaken security, touch secrets, CI,
//	         licences or where dependencies come from
//	plan     a request is architectural, or larger than one change
//	answer   a question that reports no fault
//	ask      nothing in it could be observed, or it is several issues in one
//	start    something is named or said that a maintainer could look for
package triage

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Action is what is done with an issue.
type Action string

// The actions.
const (
	Start  Action = "start"
	Ask    Action = "ask"
	Answer Action = "answer"
	Plan   Action = "plan"
	Refuse Action = "refuse"
)

// Actions is every action, from the laxest to the strictest.
var Actions = []Action{Start, Plan, Answer, Ask, Refuse}

// Verdict is what came of the triage of an issue. Reasons are sentences
// without a full stop that may quote the issue.
type Verdict struct {
	Action  Action   `json:"action"`
	Reasons []string `json:"reasons,omitempty"`
	// Counted: all that speaks for a plan is how many parts, places or tasks an issue
	// counts, which a plan can refute.
	Counted bool     `json:"counted,omitempty"`
	Missing []string `json:"missing,omitempty"` // what an issue has to say before work can begin
}

// longest is how much of a text is read, in bytes: what an issue wants stands
// before that.
const longest = 16 << 10

// mostRequests is how many requests of an issue are looked at, which bounds the
// time; one with more is too large in any case.
const mostRequests = 100

// Classify reads an issue. The same text always gets the same verdict.
func Classify(title, body string) Verdict {
	is := read(cut(title, 1<<10), cut(body, longest))
	if why := is.dangers(); len(why) > 0 {
		return Verdict{Action: Refuse, Reasons: why}
	}
	if why := is.large(); why != "" {
		return Verdict{Action: Plan, Reasons: []string{why}, Counted: strings.HasPrefix(why, countsParts) || strings.HasPrefix(why, countsTasks)}
	}
	if n := is.complaints(); n > 0 {
		return Verdict{Action: Ask, Reasons: []string{fmt.Sprintf("it holds %d complaints that have nothing to do with each other", n)},
			Missing: []string{"one issue for each of them"}}
	}
	if is.asks() {
		return Verdict{Action: Answer, Reasons: []string{"it asks a question and reports no fault"}}
	}
	if what := is.observable(); what != "" {
		return Verdict{Action: Start, Reasons: []string{what}}
	}
	return is.unclear()
}

// unclear says what would make the issue one that work can begin on.
func (is issue) unclear() Verdict {
	v := Verdict{Action: Ask, Reasons: []string{"it names nothing that could be observed"}, Missing: []string{
		"what happens, in words that can be checked: a call, a command, an input, an error message",
		"what should happen instead",
	}}
	switch {
	case is.empty():
		v.Reasons[0] = "it says nothing"
	case is.pictures > 0:
		v.Reasons[0] = "all that it shows is in a picture"
		v.Missing[0] = "what the picture shows, as text: the message, the input, the place"
	case len(is.requests) > 0 && !is.faulty():
		v.Reasons[0] = "it wishes for something and does not say how to tell that it is there"
		v.Missing = []string{"which call, command or page changes, and what it gives afterwards, by an example"}
	}
	return v
}

func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
