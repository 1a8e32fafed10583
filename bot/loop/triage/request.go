package triage

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// request is one thing that an issue wants done.
type request struct {
	verb    string // in its base form; "wish" where a state is wished for
	not     bool   // it wants that this is not done
	subject string // of "the check should be removed", and what stood before
	object  string
	in      sentence
	title   bool
}

// requests finds what a sentence asks for: imperatives, wishes and what
// "should" be. Sentences that say how to reproduce a fault ask for nothing,
// unless they say please.
func requests(s sentence) []request {
	var out []request
	w := s.words
	if usage(w) && s.asks || usage(w) && s.title {
		return nil
	}
	seen := map[int]bool{}
	add := func(i int, opened bool) {
		i, not := leaders(w, i)
		if i >= len(w) || seen[i] {
			return
		}
		verb, form := lemma(w[i])
		if verb == "" && i+1 < len(w) && (opened || i == 0) && objectFirst[w[i+1]] && !nonverbs[w[i]] && bareWord.MatchString(w[i]) {
			verb, form = w[i], "base" // "wrap it", "rethink the cache": a verb that no list has
		}
		if form == "gerund" && !opened && !not { // "Disabling X": only where it is a title of its own
			if !s.title || finite(w[i+1:]) {
				return
			}
			form = "base"
		}
		if verb == "" || form == "third" || form == "past" || !opened && reports(w[i:]) || opened && form == "" {
			return
		}
		if s.steps && !slices.Contains(w, "please") {
			return
		}
		seen[i] = true
		if causing[verb] { // "let the app delete it": what it is to do is asked for too
			for j := i + 2; j < min(len(w), i+8); j++ {
				if v, f := lemma(w[j]); f == "base" && !determiner[w[j-1]] && w[j-1] != "to" && w[j-1] != "," {
					v, object := phrasal(v, w[j+1:])
					out = append(out, request{verb: v, not: not || w[j-1] == "not" || w[j-1] == "never", subject: strings.Join(w[:j], " "), object: object, in: s, title: s.title})
					break
				}
			}
		}
		verb, object := phrasal(verb, w[i+1:])
		if n := negators[verb]; n { // "stop validating", "no longer check"
			for j := i + 1; j < min(len(w), i+3); j++ {
				if v, f := lemma(w[j]); v != "" && f == "gerund" {
					verb, object = phrasal(v, w[j+1:])
					not = !not
					break
				}
			}
		}
		out = append(out, request{verb: verb, not: not, subject: strings.Join(w[:i], " "), object: object, in: s, title: s.title})
	}
	add(0, false)
	for i := range w {
		if n := opener(w, i); n > 0 {
			if rest := w[i+n:]; len(rest) > 0 {
				at := i + n
				if wishIf[w[at-1]] || w[at-1] == "that" { // "it would be great if anonymous users could post"
					out = append(out, request{verb: "wish", object: strings.Join(rest, " "), in: s, title: s.title})
					for j := at; j < min(len(w), at+2); j++ {
						if subjects[w[j]] {
							add(j+1, true)
						}
					}
				}
				add(at, true)
			}
		}
		switch w[i] {
		case ",", "and", "then", "or", "but", "also", "so", "to":
			if w[i] == "to" && (i == 0 || !means[w[i-1]]) {
				continue
			}
			add(i+1, w[i] == "to")
		case "can", "could", "may": // "can the limiter be switched off?"
			if s.asks && w[i] == "could" { // "could the build strip it?"
				for j := i + 2; j < min(len(w), i+6); j++ {
					if v, f := lemma(w[j]); f == "base" && !determiner[w[j-1]] {
						v, object := phrasal(v, w[j+1:])
						out = append(out, request{verb: v, subject: strings.Join(w[i+1:j], " "), object: object, in: s, title: s.title})
						break
					}
				}
			}
			if i < 2 && s.asks {
				if j := slices.Index(w, "be"); j > i+1 && j < len(w)-1 {
					if v, f := lemma(w[j+1]); f == "past" {
						v, rest := phrasal(v, w[j+2:])
						subject := strings.Join(w[i+1:j], " ")
						out = append(out, request{verb: v, subject: subject, object: subject + " " + rest, in: s, title: s.title})
					}
				}
			}
		case "should", "must", "shouldn't", "mustn't", "ought", "needn't":
			if !s.steps && (!s.asks || i+1 >= len(w) || w[i+1] != "i") {
				out = append(out, should(s, i)...)
			}
		}
	}
	// "if the address is ours skip the check": no comma keeps them apart.
	if len(w) > 0 && conditional[w[0]] && !slices.ContainsFunc(w, func(x string) bool { return subjects[x] }) {
		for i := 2; i < len(w); i++ {
			if v, f := lemma(w[i]); f == "base" && weakening[v] && !seen[i] {
				add(i, true)
			}
		}
	}
	// "in the Dockerfile use that image"
	if len(w) > 0 && within[w[0]] {
		for i := 2; i < min(len(w), 8); i++ {
			v, f := lemma(w[i])
			if f != "base" || w[i-1] == "to" || determiner[w[i-1]] || i+1 == len(w) || v == "test" {
				continue
			}
			if n := w[i+1]; determiner[n] || adverbs[n] || strings.HasPrefix(n, "`") || strings.ContainsAny(n, "/=._(") {
				add(i, true)
				break
			}
		}
	}
	return out
}

// objectFirst are words with which an object begins.
var objectFirst = set("it them the a an all our my your its this these those every each me us him her")

// bareWord is a word that may be a verb in its base form.
var bareWord = lazyregexp.New(`^[a-z]*([^sdg]|ss|nd|[^e]d|[^n]g)$`)

// should reads "X should (not) do Y" and "X should be done".
func should(s sentence, i int) []request {
	w := s.words
	r := request{subject: strings.Join(w[:i], " "), in: s, title: s.title, not: strings.HasSuffix(w[i], "n't")}
	j := i + 1
	for j < len(w) && (w[j] == "not" || w[j] == "never" || w[j] == "no" || w[j] == "longer" || w[j] == "be" || w[j] == "get" || w[j] == "to" || adverbs[w[j]]) {
		r.not = r.not || w[j] == "not" || w[j] == "never" || w[j] == "longer"
		j++
	}
	if j >= len(w) {
		return nil
	}
	verb, form := lemma(w[j])
	switch {
	case verb == "":
		r.verb, r.object = "wish", strings.Join(w[i:], " ")
		r.verb = "be"
	case form == "past" || w[j-1] == "be": // done to the subject
		r.verb, r.object = phrasal(verb, w[j+1:])
		r.object = r.subject + " " + r.object
	default:
		r.verb, r.object = phrasal(verb, w[j+1:])
	}
	return []request{r}
}

// leaders skips what may stand before an imperative, and counts negations.
func leaders(w []string, i int) (int, bool) {
	not := false
	for i < len(w) {
		switch x := w[i]; {
		case x == "don't" || x == "dont" || x == "never" || x == "not":
			not = true
		case x == "do" && i+1 < len(w) && w[i+1] == "not":
		case x == "no" && i+1 < len(w) && w[i+1] == "longer":
			not = true
			i++
		case x == "for" && i+1 < len(w) && (w[i+1] == "now" || w[i+1] == "debugging" || w[i+1] == "testing" || w[i+1] == "tests"):
			i++
		case x == "fix" && i+1 < len(w) && w[i+1] != ",":
			return i, not
		case lead[x] || adverbs[x]:
		case strings.HasPrefix(x, "[") || strings.HasSuffix(x, "]"):
		default:
			return i, not
		}
		i++
	}
	return i, not
}

// opener gives the number of words of a phrase at i that opens a request.
func opener(w []string, i int) int {
	for _, o := range openers {
		if len(w)-i >= len(o) && slices.Equal(w[i:i+len(o)], o) {
			return len(o)
		}
	}
	return 0
}

// phrasal joins a verb with its particle: "turn the check off" is to disable.
func phrasal(verb string, rest []string) (string, string) {
	object := strings.Join(bounded(rest), " ")
	near := rest[:min(len(rest), 7)]
	has := func(p string) bool { return slices.Contains(near, p) }
	switch verb {
	case "turn", "switch", "shut", "toggle":
		if has("off") {
			return "disable", object
		}
	case "comment", "take", "leave", "rip", "cut", "opt":
		if has("out") {
			return "remove", strings.TrimPrefix(object, "out ")
		}
	case "get":
		if has("rid") {
			return "remove", object
		}
	case "take_down":
		return "remove", object
	}
	return verb, object
}

// bounded cuts an object where another clause begins.
func bounded(w []string) []string {
	for i, x := range w {
		if i > 0 && (boundary[x] || x == "instead" && i+1 < len(w) && w[i+1] == "of" || x == "rather" && i+1 < len(w) && w[i+1] == "than") {
			return w[:i]
		}
		if x == "as" && i+1 < len(w) && (subjects[w[i+1]] || w[i+1] == "it" || w[i+1] == "the" || w[i+1] == "this" || w[i+1] == "there") {
			return w[:i]
		}
		if x == "," && i+1 < len(w) && (subjects[w[i+1]] || w[i+1] == "it" || w[i+1] == "this" || w[i+1] == "that") {
			return w[:i]
		}
	}
	return w
}

// reports tells a clause that begins with a verb's form and yet reports: the
// noun "delete button" with the verb "deletes" behind it.
func reports(w []string) bool {
	return len(w) > 1 && finites[w[1]] && (!strings.HasSuffix(w[1], "s") || auxiliary[w[1]]) || finite(w[1:])
}

var prepositions = set("with to of for from by in on at and or")

var auxiliary = set("is was does has")

// finite tells whether a main clause has a verb of its own, before any word
// that begins another clause.
func finite(w []string) bool {
	for i, x := range w {
		if boundary[x] || relative[x] || x == "," || x == "and" && i > 3 {
			return false
		}
		if i > 0 && (x == "to" || w[i-1] == "to") {
			continue
		}
		if i == 0 && determiner[x] {
			continue
		}
		if noun := nounsInS[x] && (i+1 == len(w) || prepositions[w[i+1]]); noun {
			continue // "crash reports with"
		}
		if i > 0 && (finites[x] || finites[x+"s"] && strings.HasSuffix(w[i-1], "s")) {
			return true
		}
		if verb, form := lemma(x); i > 0 && verb != "" && form == "third" && !nounsInS[x] && !determiner[w[i-1]] {
			return true
		}
	}
	return false
}

// usage tells a question about what there is, which is no wish: "how do I
// disable X".
func usage(w []string) bool {
	i := 0
	for i < len(w) && (lead[w[i]] || w[i] == "question" || w[i] == "[question" || w[i] == "," || adverbs[w[i]]) {
		i++
	}
	if i >= len(w) {
		return false
	}
	switch w[i] {
	case "how", "what":
		return i+1 >= len(w) || w[i+1] != "about"
	case "where", "which", "who", "when", "what's", "whose", "does", "do", "did", "is", "are", "was", "has", "have":
		return i+1 < len(w) && (w[i] != "is" || w[i+1] != "it" || i+2 >= len(w) || w[i+2] != "possible") && (w[i] != "do" || w[i+1] != "not")
	case "why":
		return i+1 >= len(w) || w[i+1] != "not" && w[i+1] != "don't"
	}
	return false
}
