package example

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// role is what a value after some words is.
type role int

const (
	none    role = iota
	got          // what came out
	want         // what should have
	unknown      // one of them
	flip         // the other than the last
	gotError
	wantError
	quiet // "should not raise": nothing follows
)

// speech are the words before a value, the more special before the general.
var speech = []struct {
	role role
	re   *lazyregexp.Regexp
}{
	{quiet, lazyregexp.New(`(?i)\b(?:should|must|does|did|do)(?: not|n['’]t) (?:raise|throw|crash|fail|panic)\b`)},
	{wantError, lazyregexp.New(`(?i)\b(?:should|must|(?:is )?expected to|supposed to|ought to)(?: have)? (?:raised?|throwe?n?|fail(?:ed)? with|panic(?: with)?)\b|\bexpect(?:ed|ing)?\b(?: an?)?(?: exception)?:?\s+(?:\w+Error\b)?`)},
	{want, lazyregexp.New(`(?i)\b(?:should|must|ought to)(?: have)? (?:be|been|return(?:ed)?|given?|yield|equal|produce|evaluate to|print|result in|come out as)\b|\bexpect(?:ed|ing|s)?\b(?: (?:behaviou?r|result|values?|outputs?|answer|return value))?(?: (?:is|was|would be|to (?:be|get|return|see|give|have)|it to (?:be|return|give|equal)))?|\bwant(?:ed|s)?\b|\b(?:supposed )?to (?:be|return|give|equal|yield)\b|\b(?:correct|right|proper) (?:answer|result|value|output) (?:is|was|would be|should be)\b|\bwould be\b|\b(?:is not|isn['’]t|(?:does|did)(?:n['’]t| not) (?:return|give|equal|yield|produce))\b`)},
	{flip, lazyregexp.New(`(?i)\binstead of\b|\brather than\b|, not\b|\band not\b|\bbut not\b`)},
	{gotError, lazyregexp.New(`(?i)\b(?:raises?|raised|throws?|threw|(?:fails?|failed|crash(?:es|ed)?|dies|died|blows up|errors?|errored) with|panics?(?: with)?|gives? an?|got an?)\b`)},
	{got, lazyregexp.New(`(?i)\b(?:returns?|returned|returning|gives?|gave|giving|gets?|got|getting|yields?|yielded|produces?|produced|outputs?|prints?|printed|evaluates? to|results? in|resulted in|comes? out as|is|was|equals?|actual(?:ly)?(?: (?:behaviou?r|result|value|output))?)\b`)},
	{unknown, lazyregexp.New(`->|=>|→|==`)},
}

var (
	filler    = lazyregexp.New("^[\\s:*>`]*(?:- )?(?:(?:the|a|an|value|values|list|number|string|tuple|result|just|only|to|be|as|me|of|it|exactly|always|returned|still)\\s+)*[`*]*")
	exception = lazyregexp.New("^[\\s:*`]*(?:(?:an?|the|with)\\s+)?`?((?:[A-Za-z_]\\w*\\.)*[A-Z]\\w*(?:Error|Exception|Warning|Iteration|Interrupt|Exit))\\b")
	after     = lazyregexp.New("(?i)^[`*]*\\s*(?:$|[.,;:!?)—–(\\n#/-]|(?:instead|but|rather|and|not|when|where|while|for|from|which|expected|should|got|however|because|as|in|on|with|since|though|although|even|here|now|after|before|if|is|was|i|it|the)\\b)")
)

// said is one finding in a text.
type said struct {
	role role
	text string
	end  int
}

// listen reads what a text says of values and exceptions, in order.
func listen(s string) []said {
	var out []said
	last := none
	for at := 0; at < len(s) && len(out) < 20; {
		r, end := next(s[at:])
		if r == none {
			break
		}
		at += end
		rest := s[at:]
		if r == gotError || r == wantError || r == want || r == got {
			if m := exception.FindStringSubmatch(rest); m != nil {
				as := gotError
				if r == wantError || r == want {
					as = wantError
				}
				last = map[role]role{gotError: got, wantError: want}[as]
				out = append(out, said{as, m[1], at + len(m[0])})
				at += len(m[0])
				continue
			}
		}
		skip := len(filler.FindString(rest))
		n := value(rest[skip:])
		if n == 0 || !after.MatchString(rest[skip+n:]) {
			continue
		}
		switch {
		case r == wantError: // "expected 2": the word alone says nothing of errors
			r = want
		case r == gotError || r == quiet:
			continue
		case r == flip && last == want:
			r = got
		case r == flip && last == none:
			continue
		case r == flip:
			r = want
		}
		last = r
		out = append(out, said{r, rest[skip : skip+n], at + skip + n})
		at += skip + n
	}
	return out
}

// next finds the first words that tell a role.
func next(s string) (r role, end int) {
	start := len(s)
	for _, w := range speech {
		if loc := w.re.FindStringIndex(s); loc != nil && (loc[0] < start || loc[0] == start && loc[1] > end) {
			r, start, end = w.role, loc[0], loc[1]
		}
	}
	return r, end
}

// hear adds what a text says to the example.
func (e *Example) hear(s string) {
	var open []string
	for _, f := range listen(s) {
		switch f.role {
		case got:
			e.set(&e.Got, f.text)
		case want:
			e.set(&e.Want, f.text)
		case gotError:
			e.set(&e.GotError, f.text)
		case wantError:
			e.set(&e.WantError, f.text)
		case unknown:
			open = append(open, f.text)
		}
	}
	for _, v := range open {
		e.either(v)
	}
}

// either adds a value of which the text does not say what it is.
func (e *Example) either(v string) {
	switch {
	case e.Want == v || e.Got == v:
	case e.Want != "" && !e.Unsure && e.Got == "":
		e.Got = v
	case e.Want == "":
		e.Want, e.Unsure = v, e.Got == ""
	default:
		e.clash = true
	}
}

func (e *Example) set(field *string, v string) {
	if field == &e.Want && e.Unsure { // now it is said: the other one was the result
		e.Got, e.Want, e.Unsure = e.Want, "", false
	}
	if field == &e.Got && e.Unsure && e.Want == v {
		e.Got, e.Want, e.Unsure = v, "", false
		return
	}
	if field == &e.Got && e.Unsure {
		e.Unsure = false
	}
	if *field != "" && *field != v {
		e.clash = true
	}
	*field = v
}

// before reads "expected V from" in front of a call.
func (e *Example) before(s string) {
	s = s[max(0, len(s)-120):]
	for _, f := range listen(s) {
		if !regexp.MustCompile("(?i)^[\\s`*]*(?:from|for|of|out of|when (?:I )?(?:call(?:ing)?|run(?:ning)?)?|calling)[\\s`*]*$").MatchString(s[f.end:]) {
			continue
		}
		switch f.role {
		case got:
			e.set(&e.Got, f.text)
		case want:
			e.set(&e.Want, f.text)
		case gotError:
			e.set(&e.GotError, f.text)
		}
	}
}

// another finds where a sentence begins with code that is no value: it has a
// subject of its own.
func another(s string) []int {
	var out []int
	for _, m := range newSubject.FindAllStringSubmatchIndex(s, -1) {
		if text := strings.TrimSpace(s[m[2]:m[3]]); value(text) != len(text) {
			out = append(out, m[2])
		}
	}
	return out
}

var (
	bold  = lazyregexp.New(`(^|[^*])\*\*([^*\s](?:[^*\n]*[^*\s])?)\*\*`)
	ticks = lazyregexp.New("`[^`\n]+`")
	says  = lazyregexp.New(`^\s*(?:[=→#(,;]|[-!]?>|!=|//)`) // what may stand behind a value in code
)

var newSubject = lazyregexp.New("[.!?]\\s+`([^`\n]+)`")

var (
	// wished is a sentence that begins by saying what should be: "I'd expect the
	// mirrored result, f(-2) -> -1".
	wished   = lazyregexp.New(`(?i)^[^\n]*\b(?:expect(?:ed)?|should|must|ought to|want(?:ed)?|would like)\b`)
	sentence = lazyregexp.New(`(?s)^.*[.!?]\s|^.*\n|(?i)^.*\b(?:not|n['’]t)\b.*$`) // all but the last one, and one that denies
)

// prose reads the examples of running text. carry is the last example before
// it, which the text up to its first call may complete.
func prose(s string, carry *Example) []Example {
	s = bold.ReplaceAllString(s, "$1$2")
	s = ticks.ReplaceAllStringFunc(s, func(code string) string {
		text := strings.TrimSpace(strings.Trim(code, "`"))
		if n := value(text); n > 0 && n < len(text) && !says.MatchString(text[n:]) {
			return "…" // words that begin with a value are none
		}
		return code
	})
	others := another(s)
	s = strings.ReplaceAll(s, "`", " ")
	found := calls(s)
	head := len(s)
	if len(found) > 0 {
		head = found[0].start
	}
	if carry != nil {
		carry.hear(s[:min(head, maxTail)])
	}
	var out []Example
	for i, c := range found {
		end := len(s)
		if i+1 < len(found) {
			end = found[i+1].start
		}
		for _, at := range others { // what follows speaks of something else
			if at > c.end && at < end {
				end = at
				break
			}
		}
		e := Example{Call: s[c.start:c.end]}
		from := 0
		if i > 0 {
			from = found[i-1].end
		}
		e.before(s[from:c.start])
		tail := s[c.end:min(end, c.end+maxTail)]
		if loc := regexp.MustCompile(`(?i)expect\w*\s*$|should\s*(?:have\s*)?$`).FindString(strings.TrimSpace(s[from:c.start])); loc != "" {
			tail = strings.Replace(tail, " == ", " should be ", 1)
		}
		e.hear(tail)
		if e.Unsure && wished.MatchString(sentence.ReplaceAllString(s[from:c.start], "")) {
			e.Unsure = false
		}
		out = append(out, e)
	}
	return out
}
