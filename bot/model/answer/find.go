package answer

import (
	"slices"
	"strings"
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
		if inner := unwrapped(text); inner != "" {
			again, bad := fences(inner)
			if bad != nil {
				return document{}, bad
			}
			r.Repairs = append(r.Repairs, "the whole answer stood in a fence")
			return s.find(inner, again, r)
		}
		return document{}, malformed(NoJSON, "it holds no JSON object that is a %s", s.Name)
	}
	one, bad := s.choose(found)
	if bad == nil {
		before, behind := besides(words, all, found, one)
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

// unwrapped is a text without its first and its last fence, where others stand between
// them; else "".
func unwrapped(text string) string {
	lines := strings.SplitAfter(text, "\n")
	isFence := func(line string) bool { mark, _ := marker(strings.TrimRight(line, "\n")); return mark != "" }
	first := slices.IndexFunc(lines, isFence)
	last := len(lines) - 1
	for last > first && !isFence(lines[last]) {
		last--
	}
	if first < 0 || !slices.ContainsFunc(lines[first+1:max(last, first+1)], isFence) {
		return ""
	}
	return strings.Join(slices.Concat(lines[:first], lines[first+1:last], lines[last+1:]), "")
}

// mayBeDecision tells blocks of JSON, or of nothing in particular, from code.
func mayBeDecision(b block) bool {
	p := &reader{text: b.body}
	p.space() // and comments
	body := b.body[p.at:]
	langs := []string{"json", "jsonc", "json5", "jsonl", "javascript", "js", "text", "txt", "plaintext", "markdown", "md", "tool_call", "tool_code", "python", "py", ""}
	return slices.Contains(langs, b.lang) && (strings.HasPrefix(body, "{") || strings.HasPrefix(body, "["))
}

// besides is the prose before and behind a decision, without what was found in it: the
// decision may be one of several that say the same.
func besides(words string, all []block, found []candidate, one candidate) (before, behind string) {
	text := []byte(words)
	for _, c := range found {
		for i := c.at; c.block < 0 && i < c.end; i++ {
			text[i] = ' '
		}
	}
	if one.block < 0 {
		return string(text[:one.at]), string(text[one.end:])
	}
	b := all[one.block]
	end := b.end
	if end == 0 {
		end = len(text)
	}
	return string(text[:b.start]), b.body[one.end:] + "\n" + string(text[end:])
}

// maxTries bounds how often reading an object is begun in one text.
const maxTries = 200

// objects reads all objects of a text that are decisions. One that is an
// attempt at a decision and cannot be read spoils them all.
func (s *Shape[T]) objects(text string, at int) ([]candidate, *Malformed) {
	var out []candidate
	for i, tries := 0, 0; ; tries++ {
		next := strings.IndexAny(text[i:], "{[")
		switch {
		case next < 0:
			return out, nil
		case tries >= maxTries:
			return nil, malformed(InvalidJSON, "it holds more than %d brackets that open no decision", maxTries)
		}
		i += next
		p := &reader{text: text, at: i}
		value, err := p.value()
		switch {
		case err != nil && s.attempt.MatchString(text[i:min(p.at+1, len(text))]):
			return nil, err
		case err != nil:
			i = max(p.at, i+1)
			continue
		}
		from := i
		i = p.at
		if object := s.recognise(value, p); object != nil {
			out = append(out, candidate{object: object, block: at, at: from, end: p.at, repairs: p.repairs})
		}
	}
}

// choose takes the one decision out of what was found.
func (s *Shape[T]) choose(found []candidate) (candidate, *Malformed) {
	var kept []candidate
	for _, c := range found {
		same := func(k candidate) bool { return equal(k.object, c.object) }
		if !equal(s.shown, c.object) && !slices.ContainsFunc(kept, same) {
			kept = append(kept, c)
		}
	}
	switch {
	case len(kept) == 0:
		return candidate{}, malformed(NoJSON, "it only repeats the example of the form; give your own %s", s.Name)
	case len(kept) == 1:
		return kept[0], nil
	case s.many != "":
		return candidate{}, malformed(SchemaInvalid, "it holds %d objects; give one JSON object with all actions in its list %q, in their order", len(kept), s.many)
	}
	return candidate{}, malformed(SchemaInvalid, "it holds %d different decisions; give one JSON object", len(kept))
}
