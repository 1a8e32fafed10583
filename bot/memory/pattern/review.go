package pattern

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	fenced   = lazyregexp.New("(?s)```.*?(```|$)")
	quote    = lazyregexp.New(`(?m)^\s*>.*$`)
	sentence = lazyregexp.New(`[.!?]+(\s+|$)|\n+`)
	// general is how people speak of more than the line in front of them.
	general = lazyregexp.New(`(?i)\b(we|our|ours|always|never|prefer(red)?|please use|use|avoid|don't|do not|instead of|rather than|conventions?|house style|tests? (go|belong|live|are kept|should)|should (be|go|use|have|live|return|raise|throw)|must|everywhere|in this (project|repo|repository|codebase))\b`)
	// particular is how they speak of that line alone.
	particular = lazyregexp.New(`(?i)\b(this line|line \d+|here is|typo|off by one|this (is|was) (wrong|broken|fine)|revert this)\b`)
)

// mostSentences bounds the advice of one review.
const mostSentences = 5

// AdviceIn are the sentences of a review that speak of more than its lines, such as
// "use our error type" or "tests go to spec/". It is advice: whoever keeps the
// repository's memory edits it or takes it out.
func AdviceIn(review string) []string {
	text := quote.ReplaceAllString(fenced.ReplaceAllString(strings.ReplaceAll(review, "\r\n", "\n"), "\n"), "")
	var out []string
	from := 0
	add := func(s, end string) {
		s = strings.Trim(strings.Join(strings.Fields(s), " "), "*_-• ")
		n := len(strings.Fields(s))
		if strings.HasPrefix(strings.TrimSpace(end), "?") || n < 3 || len(s) > longestAdvice || !general.MatchString(s) || particular.MatchString(s) || len(out) == mostSentences {
			return
		}
		out = append(out, s)
	}
	for _, m := range sentence.FindAllStringIndex(text, -1) {
		add(text[from:m[0]], text[m[0]:m[1]])
		from = m[1]
	}
	add(text[from:], "")
	return out
}
