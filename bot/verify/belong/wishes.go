package belong

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// maxWishes bounds the points of an issue that are answered one by one.
const maxWishes = 8

var (
	bullet  = lazyregexp.New(`^\s{0,6}(?:[-*+•]|\d{1,2}[.)])\s+(\S.*)$`)
	heading = lazyregexp.New(`^\s{0,3}(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*]+)\*\*:?|([A-Z][\w /-]{2,40}):)\s*$`)
	// Sections whose points are no wishes: how to see it, where it was seen, what
	// was ticked.
	aside  = lazyregexp.New(`(?i)\b(?:steps?|reproduc\w*|how to|environment|versions?|setup|system|platform|checklist|logs?|context|about you|additional|background|not in scope|out of scope|notes?|see also|links?|references?|related)\b`)
	ticked = lazyregexp.New(`^\[[ xX]\]\s`)
	asks   = lazyregexp.New(`(?i)\b(?:should|must|needs? to|has to|have to|want\w*|would like|please|add|remove|support|allow|make|let|accept|reject|return|raise|throw|print|show|rename|replace|convert|drop|handle|use|keep|change|delete|implement|provide|fix|doesn['’]?t|does not|isn['’]?t|is not|can(?:no|['’])?t|cannot|wrong|fails?|crash\w*|breaks?|broken|missing|instead|never|ignore[sd]?|returns?|gives?|raises?|throws?|lost|loses|expected)\b`)
	fact   = lazyregexp.New(`(?i)^(?:os|python|node|go|version|browser|platform|ubuntu|windows|macos|debian|package|library|fettle|commit|branch)\b[^.]{0,40}[:=]?\s*[\w.+ -]*$`)
)

// Wishes are the points of an issue that asks for several things, in its words;
// none for one that asks for one thing, or does not list them.
func Wishes(body string) []string {
	body = strings.ReplaceAll(body[:min(len(body), maxText)], "\r\n", "\n")
	body = fence.ReplaceAllString(body, "\n")
	var out []string
	skip := false
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		if m := heading.FindStringSubmatch(line); m != nil {
			skip = aside.MatchString(m[1] + m[2] + m[3])
			continue
		}
		m := bullet.FindStringSubmatch(line)
		if m == nil || skip || ticked.MatchString(m[1]) || fact.MatchString(m[1]) || len(strings.Fields(m[1])) < 3 || !asks.MatchString(m[1]) {
			continue
		}
		if out = append(out, strings.TrimSpace(m[1])); len(out) == maxWishes {
			break
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// Shown tells which of the tests shows what each of an issue's points asks for: ""
// where none does. The tests are known to be the issue's, so two words in common are
// enough, or an exception; but none that several points speak of, since a test of
// one point would show them all.
func Shown(wishes []string, tests []Red) []string {
	told := map[string]int{} // stem or exception → points that speak of it
	issues := make([]*Issue, len(wishes))
	for n, wish := range wishes {
		issues[n] = Read("", wish)
		for w := range issues[n].all {
			told[w]++
		}
		for class := range issues[n].errors {
			told[class]++
		}
	}
	out := make([]string, len(wishes))
	for n, i := range issues {
		text := wishes[n] //nolint:gosec // an issue for each wish
		for class := range i.errors {
			if told[class] > 1 {
				text = strings.ReplaceAll(text, class, "")
				delete(i.errors, class)
			}
		}
		text = word.ReplaceAllStringFunc(text, func(w string) string {
			for s := range stems(w) {
				if told[s] > 1 {
					return ""
				}
			}
			return w
		})
		out[n] = i.shownBy(Read("", text), tests, told)
	}
	return out
}

// shownBy is the test that shows a point best; own is the point without what others
// speak of too.
func (i *Issue) shownBy(own *Issue, tests []Red, told map[string]int) string {
	best, weight := "", 0
	for _, t := range tests {
		n := own.Decide(t).Weight
		for w := range stems(t.Name + " " + t.Source) {
			if i.all[w] && told[w] == 1 {
				n++
			}
		}
		for class := range i.errors {
			if strings.Contains(t.Source, class) {
				n += enoughFor
			}
		}
		if n >= enoughFor && n > weight {
			best, weight = t.ID, n
		}
	}
	return best
}

// complaint: the issue says that something which is there goes wrong.
var complaint = lazyregexp.New(`(?i)\b(?:bug|broken|wrong(?:ly)?|crash\w*|fails?|failing|incorrect\w*|regression|has no|have no|lacks?|loses|lost|is missing|doesn['’]?t|does not|isn['’]?t|no longer|stopped|used to|instead of|ignored?|ignores|duplicates?|too (?:many|few|early|late)|gives|returns|shows|prints)\b`)

// asksForNew: it asks for what is not there yet.
var asksForNew = lazyregexp.New(`(?i)\b(?:add|implement|introduce|provide|support(?: for)?|feature|new|create|would be (?:nice|great|good|useful)|it would help|please (?:add|support|make)|we need|i need|could we (?:have|get)|can we (?:have|get)|proposal|request)\b`)

// wanted is a sentence below the title that asks for what is not there.
var wanted = lazyregexp.New(`(?i)\bplease (?:add|implement|provide|create)\b(?:[^.]|\.\S)*(?:\.(?:\s|\z)|\z)`)

var camel = lazyregexp.New(`^[a-z]+[A-Z]`)

var acronym = lazyregexp.New(`\b[A-Z][A-Z0-9]{2,7}s?\b`)

var everyone = wordSet(`API URL URI HTTP HTTPS CLI TODO FIXME README NOTE PR CI UTC USA EUR USD ASCII UTF UTF8 OS RAM CPU IDE GUI UI SQL NOT AND BUT ALL THE THIS FYI IMO TLDR EOF EOL CRLF LTS IDs EDIT UPDATE WARNING ERROR INFO DEBUG NULL NaN NAN TRUE FALSE`)

// once: the issue says that what it speaks of was there before.
var once = lazyregexp.New(`(?i)\b(?:since (?:v?\d|the (?:last|latest|update|upgrade|new))|used to|until v?\d|no longer|any ?more|stopped|regression|restore|worked (?:before|in|until)|broke in|is (?:silently )?ignored|was removed|has been removed|still)\b`)

// placeholder stands for something else: XXXX, foo, nnn.
var placeholder = lazyregexp.New(`(?i)^(?:x+|n+|y+|foo|bar|baz|qux|abc|xyz|your\w*|some\w*|my\w*)$`)

// Premise names what a complaint speaks of and the code does not have: has tells
// whether a word stands anywhere in it. It is empty for an issue that asks for what
// is new, and where anything that the issue names as code is there, but for what
// its title says to have been there before.
func (i *Issue) Premise(has func(word string) bool) []string {
	title, _, _ := strings.Cut(i.text, "\n")
	if !complaint.MatchString(i.text) || asksForNew.MatchString(title) {
		return nil
	}
	var named, absent []string
	if once.MatchString(title) {
		for _, w := range word.FindAllString(title, -1) {
			if code := strings.Contains(title, "`"+w+"`") || camel.MatchString(w) || strings.Contains(strings.Trim(w, "_"), "_"); code && !placeholder.MatchString(w) && !notProject[w] && !common[w] && !i.errors[w] && !has(w) {
				absent = append(absent, w)
			}
		}
		if len(absent) > 0 {
			return absent
		}
	}
	prose := wanted.ReplaceAllString(fence.ReplaceAllString(i.text, "\n"), "\n")
	for _, m := range applied.FindAllStringSubmatch(prose, -1) {
		named = append(named, m[1])
	}
	for _, s := range span.FindAllString(prose, -1) {
		if w := strings.Trim(s, "`"); shaped.MatchString(w) && word.FindString(w) == w && strings.ToLower(w[:1]) == w[:1] { // a class may be another project's
			named = append(named, w)
		}
	}
	slices.Sort(named)
	for _, n := range slices.Compact(named) {
		if notProject[n] || common[n] || i.errors[n] || placeholder.MatchString(n) {
			continue
		}
		if has(n) {
			return nil
		}
		absent = append(absent, n)
	}
	if len(absent) > 0 {
		return absent
	}
	for _, a := range acronym.FindAllString(title, -1) {
		if !everyone[a] && !placeholder.MatchString(a) && !has(strings.ToLower(strings.TrimSuffix(a, "s"))) && !slices.Contains(absent, a) {
			absent = append(absent, a)
		}
	}
	return absent
}
