package answer

import (
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Words beside a decision may forbid it, take it back, quote it or put it off, in any
// language and wording. So one rule counts instead of lists of such words: right before a
// decision and anywhere behind it nothing may stand but introductions and polite
// ends, which are made of few known words; right before it also a plain English
// statement. Beside a verdict that lets pass nothing else may stand at all. Everything
// else is asked about.

// introWords are what an introduction of one's own decision, or of its code, is made of.
var introWords = set(`a above action actions actual again all also am an analysis and answer answers as asked assessment assistant at be below best block blocks body by certainly change changed changes code
	complete conclusion const corrected correction d decide decided decision do edit edits evaluation explanation fence fenced file files final finally first fix fixed following follows for form four from full function go goes
	here how i implementation in is it its json last let ll m made make me method minimal mine model my need needed new next no note now object of ok okay on once one only outcome output own patch plan propose
	python reason reasoning recommend recommendation region remaining required requested response result results review s second short simple single small so solution step steps summarise summarize repeat sure task test tests that the then there
	therefore these think third this three thus to two update updated use var ve verdict we what whole will with yes you your`)

var (
	wordish  = lazyregexp.New(`[\pL\pN_]+(?:[./_-][\pL\pN_]+)*`)
	markup   = lazyregexp.New("</?[A-Za-z_|][^<>\n]*>|\\[/?[A-Z_]+\\]|\x1b?\\[[0-9;]*m")
	closings = lazyregexp.New(`(?i)^\W*(?:done|cheers|thanks?|thank you|great work|good luck|that(?:['’]s| is) (?:it|all)|(?:i )?hope (?:this|that|it) helps|let me know if you(?:['’]d| would)? (?:need|want|like|have)(?: me to (?:add|adjust|explain))? (?:any|more|further|questions|tests)[\w ]*|feel free to ask)\W*$`)
	// takenOut is what stands before a decision that is quoted or struck out.
	takenOut = lazyregexp.New(`(?i)(?:~~|<!--|<(?:del|s|strike)>|^>|\n[ \t]*>)\s*$`)
	hedge    = lazyregexp.New(`(?i)\b(?:not|never|cannot|would|could|should|might|may|if|when|unless|once|until|only (?:an?|as|to|after|for)|suppos\w+|assum\w+|provided|perhaps|maybe|examples?|sample|template|previous|earlier|old|wrong|reject\w+|draft|hypothe\w+|instead|rather|otherwise|or|quot\w+|sa(?:id|ys)|wrote|writes|suggest\w*|propos\w+|wants?|ask\w*|like this|conf?irm\w*|wait\w*|ignor\w+|forb\w+|refus\w+|avoid|stop|contain\w*|inject\w*|apparently|users?)\b|n['’]t\b|\?|^\W*no\b`)
	english  = lazyregexp.New(`(?i)\b(?:the|is|are|was|were|has|have|it|this|that|of|to|and|my|i|we|let|me)\b`)
	clause   = lazyregexp.New(`[.!?]\s+|[。！？]\s*|\n`)
)

func set(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(text) {
		out[w] = true
	}
	return out
}

// introduces tells whether words are made of those of introductions, names and numbers only.
func introduces(words string) bool {
	if strings.ContainsAny(words, "?？") {
		return false
	}
	for _, w := range wordish.FindAllString(strings.ToLower(words), -1) {
		if !introWords[w] && !strings.ContainsAny(w, "./_0123456789") {
			return false
		}
	}
	return true
}

// states tells whether a sentence is English and leaves nothing open.
func states(sentence string) bool {
	foreign := strings.ContainsFunc(sentence, func(r rune) bool { return r > 0x7f && unicode.IsLetter(r) })
	return !foreign && english.MatchString(sentence) && !hedge.MatchString(sentence)
}

// parts are the sentences and lines of words, without markup.
func parts(words string) (out []string) {
	words = markup.ReplaceAllString(words, " ")
	for at := 0; at < len(words); {
		end := len(words)
		if m := clause.FindStringIndex(words[at:]); m != nil {
			end = at + m[1]
		}
		if part := strings.TrimSpace(words[at:end]); strings.ContainsFunc(part, unicode.IsLetter) {
			out = append(out, part)
		}
		at = end
	}
	return out
}

// doubtful gives the words beside a decision that it is asked about again for, or "".
// closed tells a decision beside which nothing but introductions may stand.
func doubtful(before, behind string, closed bool) string {
	if takenOut.MatchString(before) {
		return strings.TrimSpace(before)
	}
	last := strings.TrimSpace(markup.ReplaceAllString(before, " "))
	last = last[strings.LastIndexByte(last, '\n')+1:]
	all := parts(last)
	for _, part := range all[max(0, len(all)-2):] {
		if leads := !strings.HasSuffix(strings.TrimRight(part, "*_`"), "."); !introduces(part) && (leads || !states(part)) {
			return part
		}
	}
	if !closed {
		before = ""
	}
	for _, part := range append(parts(before), parts(behind)...) {
		if !introduces(part) && !closings.MatchString(part) {
			return part
		}
	}
	return ""
}

// withdrawn refuses a decision that the prose before or behind it leaves in doubt.
func (s *Shape[T]) withdrawn(object map[string]any, before, behind string) *Malformed {
	options, chosen, closed := s.options(), s.chosen(object), false
	for i, o := range options {
		switch {
		case sameWord(o, chosen):
			closed = i == 0 // the first is the one that lets pass
		case strings.Contains(fold(before+" "+behind), fold(o)) && strings.Contains(before+behind, o):
			return doubted(s.Name, o)
		}
	}
	if words := doubtful(before, behind, closed); words != "" {
		return doubted(s.Name, words)
	}
	return nil
}

// chosen is the word that a decision between words gives, as it stands there.
func (s *Shape[T]) chosen(object map[string]any) string {
	for key, v := range object {
		text, isText := v.(string)
		if name := snake(key); isText && s.word != "" && (name == s.word || s.names[name] == s.word) {
			return text
		}
	}
	return ""
}

func doubted(what, words string) *Malformed {
	return malformed(SchemaInvalid, "the words beside the %s may say otherwise (%q); give only what you decided", what, oneLine(strings.Trim(words, " \n.!?:")))
}

// notToDo says of actions, in their own words, that they shall not be done.
var notToDo = lazyregexp.New(`(?i)\b(?:do not|don['’]t|never)\s+(?:apply|run|execute|perform)\b|\b(?:just|only) an example\b|\bexample only\b|\b(?:ignore|disregard) (?:this|these|the) \w+|^\W*(?:wait|scratch that|never ?mind)\b`)
