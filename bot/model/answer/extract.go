package answer

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// candidate is an object that may be the decision.
type candidate struct {
	object  map[string]any
	block   int // index of its fenced block, -1 in prose
	at, end int // bytes that it takes: of the prose, or of its block's body
	repairs []string
}

// find takes the answer apart: the one object that is the decision, and the
// code beside it.
func (s *Shape[T]) find(text string, all []block, r *Report) (document, *Malformed) {
	var found []candidate
	own := map[int]bool{}
	for i, b := range all {
		if !mayBeDecision(b) {
			continue
		}
		objects, bad := s.objects(b.body, i)
		if bad != nil {
			return document{}, bad
		}
		own[i] = len(objects) > 0
		found = append(found, objects...)
	}
	words := outside(text, all)
	prose, bad := s.objects(words, -1)
	if bad != nil {
		return document{}, bad
	}
	found = append(found, prose...)
	if len(found) == 0 {
		inner, ok := wrapped(all)
		if !ok {
			inner, ok = wrappedAlike(text)
		}
		if ok { // a fence in a fence
			again, bad := fences(inner)
			if bad != nil {
				return document{}, bad
			}
			if n := len(again); n > 0 && again[n-1].end == 0 {
				again[n-1].end = len(inner) // the outer fence was closed
			}
			r.Repairs = append(r.Repairs, "the whole answer stood in a fence")
			return s.find(inner, again, r)
		}
		return document{}, malformed(NoJSON, "it holds no JSON object that is a %s", s.Name)
	}
	one, bad := s.choose(found)
	if bad == nil {
		before, behind := s.besides(words, all, found, one)
		bad = s.withdrawn(one.object, before, behind)
	}
	if bad != nil {
		return document{}, bad
	}
	doc := document{object: one.object}
	for i, b := range all {
		if !own[i] {
			doc.code = append(doc.code, b)
		}
	}
	doc.stray = strings.Contains(outside(text, all), "```")
	r.Repairs = append(r.Repairs, one.repairs...)
	switch {
	case len(one.repairs) > 0:
		r.Rung = "repaired"
	case one.block >= 0:
		r.Rung = "fenced"
	case strings.HasPrefix(strings.TrimSpace(text), "{") && len(found) == 1:
		r.Rung = "strict"
	default:
		r.Rung = "prose"
	}
	return doc, nil
}

// mayBeDecision tells blocks of JSON, or of nothing in particular, from code.
func mayBeDecision(b block) bool {
	p := &reader{text: b.body}
	p.space() // and comments
	body := b.body[p.at:]
	switch b.lang {
	case "json", "jsonc", "json5", "jsonl", "hjson", "javascript", "js", "text", "txt", "plaintext", "markdown", "md", "tool_call", "tool_calls", "tool_code", "python", "py", "":
		return strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[")
	}
	return false
}

// wrapped gives what stands in a single block that holds fences of its own.
func wrapped(all []block) (string, bool) {
	if len(all) != 1 || all[0].end == 0 {
		return "", false
	}
	return all[0].body, strings.Contains(all[0].body, "```") || strings.Contains(all[0].body, "~~~")
}

// wrappedAlike gives what stands between an outer pair of fences that are as
// long as those inside, so that Markdown pairs them otherwise: one of text
// opens before another that has a name, and two close at the end.
func wrappedAlike(text string) (string, bool) {
	lines := strings.SplitAfter(strings.TrimSpace(text), "\n")
	at := func(i int) (mark, info string) { return marker(strings.TrimRight(lines[i], "\n")) }
	first := slices.IndexFunc(lines, func(l string) bool { mark, _ := marker(strings.TrimRight(l, "\n")); return mark != "" })
	end := len(lines) - 1
	last := end - 1
	for last > 0 && strings.TrimSpace(lines[last]) == "" {
		last--
	}
	if first < 0 || last < first+3 {
		return "", false
	}
	outer, lang := at(first)
	mark, after := at(end)
	again, behind := at(last)
	if mark != outer || again != outer || after+behind != "" || !slices.Contains([]string{"", "markdown", "md", "text", "txt", "plaintext"}, lang) {
		return "", false
	}
	for i := first + 1; i < last; i++ { // the next fence opens a block inside
		if inner, name := at(i); inner != "" {
			return strings.Join(lines[:first], "") + strings.Join(lines[first+1:end], ""), inner == outer && name != ""
		}
	}
	return "", false
}

// besides is the prose before and behind a decision, without what was found
// in it: the decision may be one of several that say the same. What leads to
// an echo of the example leads to no decision.
func (s *Shape[T]) besides(words string, all []block, found []candidate, one candidate) (before, behind string) {
	text := []byte(words)
	past := s.forms(words)
	for _, c := range found {
		if c.block < 0 {
			for i := c.at; i < c.end; i++ {
				text[i] = ' '
			}
		}
		if s.isExample(c.object) || s.allWords(c.object) {
			end := c.end
			if c.block >= 0 {
				end = all[c.block].end
			}
			past = append(past, end)
		}
	}
	if one.block < 0 {
		return string(text[from(past, one.at):one.at]), string(text[one.end:])
	}
	b := all[one.block]
	end := b.end
	if end == 0 {
		end = len(text)
	}
	return string(text[from(past, b.start):b.start]), b.body[one.end:] + "\n" + string(text[end:])
}

// forms are the ends of the forms of an answer that words repeat.
func (s *Shape[T]) forms(words string) []int {
	var ends []int
	for at, tries := 0, 0; tries < maxTries; tries++ {
		i := strings.Index(words[at:], `"`+s.keys[0]+`"`)
		if i < 0 {
			break
		}
		open := strings.LastIndexByte(words[at:at+i], '{')
		n := 0
		if open >= 0 {
			n = s.form(words[at+open:])
		}
		if n > 0 {
			ends = append(ends, at+open+n)
		}
		at += max(i+1, open+n)
	}
	return ends
}

// from is the last of some places that is not behind another, or 0.
func from(places []int, at int) int {
	last := 0
	for _, p := range places {
		if p <= at {
			last = max(last, p)
		}
	}
	return last
}

// maxTries bounds how often reading an object is begun in one text.
const maxTries = 200

// objects reads all objects of a text that are decisions. One that is an
// attempt at a decision and cannot be read spoils them all.
func (s *Shape[T]) objects(text string, at int) ([]candidate, *Malformed) {
	var out []candidate
	tries := 0
	for i := 0; i < len(text); {
		next := strings.IndexAny(text[i:], "{[")
		if next < 0 {
			break
		}
		i += next
		if tries++; tries > maxTries {
			return nil, malformed(InvalidJSON, "it holds more than %d brackets that open no decision", maxTries)
		}
		p := &reader{text: text, at: i}
		value, err := p.value(0)
		switch {
		case err != nil && s.form(text[i:]) > 0:
			i += s.form(text[i:])
			continue
		case err != nil && s.attempt(text[i:min(p.at+1, len(text))]):
			return nil, err
		case err != nil:
			i = max(p.at, i+1)
			continue
		}
		from := i
		i = p.at
		if struckOut.MatchString(text[max(0, from-20):from]) && struckEnd.MatchString(text[i:min(len(text), i+20)]) {
			continue
		}
		if object, note := s.recognise(value, 0); object != nil {
			if note != "" {
				p.fix(note)
			}
			out = append(out, candidate{object: object, block: at, at: from, end: p.at, repairs: p.repairs})
		}
	}
	return out, nil
}

// struckOut is what opens a part of a text that is not to be read, and
// struckEnd what closes it.
var (
	struckOut = lazyregexp.New(`(?i)(?:~~|<!--|<(?:del|s|strike)>)\s*$`)
	struckEnd = lazyregexp.New(`(?i)^\s*(?:~~|-->|</(?:del|s|strike)>)`)
)

// form is how many bytes of a text the form of an answer takes that the text
// begins with: an object with a choice of all words, or with dots for a list,
// as prompts show it. It is no decision, nor an attempt at one.
func (s *Shape[T]) form(text string) int {
	var choice []string
	for _, o := range s.options() {
		choice = append(choice, `"`+regexp.QuoteMeta(o)+`"`)
	}
	pattern := `^\{\s*"` + s.keys[0] + `"\s*:\s*`
	if len(choice) > 0 {
		pattern += strings.Join(choice, `\s*\|\s*`)
	} else {
		pattern += `\[\s*\{?\s*(?:[A-Z_]+\s*,?\s*)?(?:…|\.\.\.)[^"\]{}]*\]`
	}
	if m := regexp.MustCompile(pattern + `[^{}]*\}`).FindString(text); m != "" {
		return len(m)
	}
	return 0
}

// attempt tells whether a broken piece of text was meant to be a decision.
func (s *Shape[T]) attempt(text string) bool {
	for _, w := range s.words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// choose takes the one decision out of what was found.
func (s *Shape[T]) choose(found []candidate) (candidate, *Malformed) {
	var kept []candidate
	for _, c := range found {
		if s.isExample(c.object) || s.allWords(c.object) {
			continue
		}
		known := false
		for _, k := range kept {
			known = known || equal(s.plainly(k.object), s.plainly(c.object))
		}
		if !known {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return candidate{}, malformed(NoJSON, "it only repeats the example of the form; give your own %s", s.Name)
	}
	if len(kept) == 1 {
		return kept[0], nil
	}
	if s.many != "" && !slices.ContainsFunc(kept, func(c candidate) bool { list, _ := c.object[s.many].([]any); return len(list) > 1 }) {
		return candidate{}, malformed(SchemaInvalid, "it holds %d objects; give one JSON object with all actions in its list %q, in their order", len(kept), s.many)
	}
	return candidate{}, malformed(SchemaInvalid, "it holds %d different decisions; give one JSON object", len(kept))
}

// plainly is a decision with its names and words as the shape writes them.
func (s *Shape[T]) plainly(object map[string]any) any {
	v, _ := deep(object).(map[string]any)
	var unheard Report
	s.rename(v, s.rules, &unheard)
	return s.fit(v, s.rules, &unheard)
}

// deep is a copy of a value with all that it holds.
func deep(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := copyOf(v)
		for k, x := range out {
			out[k] = deep(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = deep(x)
		}
		return out
	}
	return v
}

// allWords tells an object whose decision is the list of all words.
func (s *Shape[T]) allWords(object map[string]any) bool {
	text, _ := object[s.word].(string)
	options := s.options()
	for _, o := range options {
		if !strings.Contains(text, o) {
			return false
		}
	}
	return len(options) > 1
}

func (s *Shape[T]) isExample(object map[string]any) bool {
	p := &reader{text: s.Example, at: strings.IndexByte(s.Example, '{')}
	if p.at < 0 {
		return false
	}
	v, err := p.value(0)
	return err == nil && echoes(v, object)
}

// echoes tells whether a value repeats the example's, also where it leaves out a
// text of it.
func echoes(example, v any) bool {
	switch e := example.(type) {
	case map[string]any:
		o, ok := v.(map[string]any)
		if !ok || len(o) != len(e) {
			return false
		}
		for k, x := range e {
			if y, ok := o[k]; !ok || !echoes(x, y) {
				return false
			}
		}
		return true
	case []any:
		o, ok := v.([]any)
		return ok && slices.EqualFunc(e, o, echoes)
	}
	return equal(example, v) || v == "…" || v == "..."
}
