package answer

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// A block of code can name its target itself: in its info string, in a comment
// at its head, or in the line before it.
//
//	```python src/a.py function:f@1234abcd
//	```insert_after path="src/a.py" region="function:f@1234abcd"
//	# src/a.py::function:f@1234abcd
//	**src/a.py** `function:f@1234abcd`:
//
// Words count only when every one of them is understood, so that prose that
// happens to hold a path names nothing.

var (
	regionID = lazyregexp.New(`^[a-z][a-z_-]*:[^\s:]\S*@[0-9a-f]{8}$`)
	filePath = lazyregexp.New(`^(?:[\w@+.-]+/)*[\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,7}$|^(?:[\w@+.-]+/)+[\w@+.-]+$`)
	leader   = lazyregexp.New(`^\s*(?:#+|//+|--|/\*|<!--|;|\d+[.)]|[-*+] )\s*`)
	marks    = "*`\"'(){}[],;" // that stand around words
	labels   = []string{"path", "file", "filename", "region", "region_id", "target", "action"}
)

// target finds what a block names, and its code without the lines that do.
// Names in two places have to agree.
func target(b block, before string) (values map[string]string, code string, bad *Malformed) {
	code = b.body
	lang, rest, _ := strings.Cut(b.info, " ")
	if strings.Contains(lang, "=") || strings.HasPrefix(lang, "{") {
		rest = b.info
	}
	values = attributes(rest)
	for _, w := range strings.Fields(lang + " " + rest) { // ```insert_after path=…
		if kind, known := kindOf(w); known && values["action"] == "" && (w == lang || strings.Contains(w, "_")) {
			values["action"] = kind
		}
	}
	if values["path"] == "" {
		_, glued, _ := strings.Cut(lang, ":") // ```python:src/a.py
		values = named(glued + " " + rest)
	}
	for _, other := range []func() map[string]string{
		func() map[string]string { return head(&code) },
		func() map[string]string { return named(leader.ReplaceAllString(before, "")) },
	} {
		if own := other(); own != nil {
			if values != nil && !maps.Equal(values, own) {
				return nil, "", malformed(SchemaInvalid, "a code block is given two targets, %s and %s", said(values), said(own))
			}
			values = own
		}
	}
	return values, code, nil
}

func said(values map[string]string) string {
	return oneLine(strings.Join([]string{values["action"], values["path"], values["region"]}, " "))
}

// head reads the comment lines at the head of code that name its target, and
// takes them off.
func head(code *string) map[string]string {
	rest, words := *code, ""
	for range 3 {
		line, after, more := strings.Cut(rest, "\n")
		mark := leader.FindString(line)
		if mark == "" || !more {
			return nil
		}
		words += " " + strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(line[len(mark):]), "*/"), "-->")
		rest = after
		if values := named(words); values != nil {
			*code = rest
			return values
		}
	}
	return nil
}

// named reads words that name a target and nothing else: a path with a
// region, or with an action that needs none. Otherwise it gives nil.
func named(words string) map[string]string {
	out := map[string]string{}
	put := func(key, value string) bool {
		old, twice := out[key]
		out[key] = value
		return !twice || old == value
	}
	for _, w := range strings.Fields(words) {
		w = strings.Trim(w, marks+":")
		if label, value, ok := strings.Cut(w, ":"); ok && slices.Contains(labels, snake(label)) {
			w = strings.Trim(value, marks)
		}
		file, region, both := strings.Cut(w, "#")
		if !both {
			file, region, both = strings.Cut(w, "::")
		}
		kind, known := kindOf(w)
		ok := true
		switch {
		case w == "" || slices.Contains(labels, snake(w)) || w == "|" || w == "·" || w == "→" || w == "-":
		case regionID.MatchString(w):
			ok = put("region", w)
		case both && filePath.MatchString(file) && regionID.MatchString(region):
			ok = put("path", file) && put("region", region)
		case known && strings.Contains(w, "_"): // a plain word such as "edit" may be prose
			ok = put("action", kind)
		case filePath.MatchString(w):
			ok = put("path", w)
		default:
			ok = false
		}
		if !ok {
			return nil
		}
	}
	if out["path"] == "" || out["region"] == "" && out["action"] == "" {
		return nil
	}
	return out
}

// against gives the target that a block's info string names, where it is
// another than the action's that refers to the block.
func (b block) against(a Action) string {
	words := strings.Fields(b.info)
	if len(words) == 0 {
		return ""
	}
	if strings.Contains(b.info, "=") {
		values := attributes(b.info)
		if r := values["region"]; r != "" && a.Region != "" && !strings.Contains(a.Region, r) { // its name alone will do
			return oneLine(r)
		}
		words = []string{"", values["path"]}
	}
	for _, w := range words[1:] {
		w = strings.Trim(w, marks+":")
		switch {
		case w == "" || path.Clean(w) == path.Clean(a.Path) || w == a.Region:
		case regionID.MatchString(w) && a.Region != "", filePath.MatchString(w):
			return oneLine(w)
		}
	}
	return ""
}

// blockLabel is a number that words give a block.
var blockLabel = lazyregexp.New(`(?i)\b(?:block|snippet|fence)\s*(?:no\.?|number|#)?\s*([0-9]{1,2})\b`)

// labelled gives the words that contradict that a block is the one with the
// number that an action refers to: another number, or the target of another
// action, in the line before it, in its info string, or at its head.
func (b block) labelled(number int, a Action, all []Action) string {
	first, _, _ := strings.Cut(strings.TrimSpace(b.body), "\n")
	if mark := leader.FindString(first); mark == "" {
		first = ""
	}
	for _, words := range []string{b.before, b.info, first} {
		if m := blockLabel.FindAllStringSubmatch(words, -1); len(m) == 1 && m[0][1] != strconv.Itoa(number) && len(strings.Fields(words)) <= maxLabel {
			return oneLine(m[0][0])
		}
	}
	other := ""
	for _, w := range strings.Fields(b.before) {
		w = strings.Trim(w, marks+":.")
		for _, x := range all {
			switch {
			case w == "" || x.Code == "" && x.Block == nil:
			case w == a.Path && x.Path == a.Path, w == a.Region:
				return ""
			case w == x.Path && x.Path != a.Path, w == x.Region && x.Region != a.Region:
				other = w
			}
		}
	}
	return oneLine(other)
}

// maxLabel is how many words a label has at most: a sentence may speak of
// another block.
const maxLabel = 8
