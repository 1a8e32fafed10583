package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	tag       = lazyregexp.New(`(?m)^[ \t]*<([A-Za-z_]+)((?:[ \t]+[A-Za-z_]+[ \t]*=[ \t]*(?:"[^"\n]*"|'[^'\n]*'))+)[ \t]*(/?)>[ \t]*\n?`)
	attribute = lazyregexp.New(`([A-Za-z_]+)[ \t]*[=:][ \t]*("[^"\n]*"|'[^'\n]*'|[^\s"']+)`)
)

// readBlocks reads the form without JSON: tags around code, or fenced blocks
// that name their target.
//
//	<replace_region path="a.py" region="function:f@1234abcd">   ```python path=a.py region=function:f@1234abcd
//	code                                                         code
//	</replace_region>                                            ```
func readBlocks(all []block, text string) (Actions, *Malformed) {
	v, bad := readTags(text, all)
	if bad != nil || len(v.Actions) > 0 {
		return finishBlocks(v, bad)
	}
	lost, from := 0, 0 // a block of code that names nothing, from 1
	for i, b := range all {
		values, code, bad := target(b, lastLine(text[from:b.start]))
		if bad != nil {
			return v, bad
		}
		from = max(b.end, b.start)
		if values["path"] == "" {
			if lost == 0 && !slices.Contains(shown, b.lang) {
				lost = i + 1
			}
			continue
		}
		if b.end == 0 {
			return v, malformed(Truncated, "the last code block is not closed, and half of a region is never used")
		}
		a, bad := fromAttributes(values, code, i+1)
		if bad != nil {
			return v, bad
		}
		v.Actions = append(v.Actions, a)
	}
	if lost > 0 && len(v.Actions) > 0 {
		return v, malformed(SchemaInvalid, "code block %d names no path", lost)
	}
	return finishBlocks(v, nil)
}

// lastLine is the last line of a text that is not empty.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func finishBlocks(v Actions, bad *Malformed) (Actions, *Malformed) {
	if bad != nil {
		return Actions{}, bad
	}
	switch n := len(v.Actions); {
	case n == 0:
		return Actions{}, malformed(NoJSON, "it holds no action")
	case n > MaxActions:
		return Actions{}, malformed(SchemaInvalid, "it holds %d actions, at most %d are taken", n, MaxActions)
	}
	for i := range v.Actions {
		if bad := v.Actions[i].checked(i + 1); bad != nil {
			return Actions{}, bad
		}
		if bad := v.Actions[i].sensible(i+1, ""); bad != nil {
			return Actions{}, bad
		}
	}
	if bad := v.contradicts(); bad != nil {
		return Actions{}, bad
	}
	return v, nil
}

// readTags reads tags that stand outside fenced blocks.
func readTags(text string, all []block) (Actions, *Malformed) {
	var v Actions
	for at := 0; ; {
		m := tag.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return v, nil
		}
		name, body := text[at+m[2]:at+m[3]], ""
		values := attributes(text[at+m[4] : at+m[5]])
		kind, known := kindOf(name)
		next := at + m[1]
		fenced := slices.ContainsFunc(all, func(b block) bool { return b.start <= at+m[0] && (at+m[0] < b.end || b.end == 0) })
		if !known || values["action"] != "" || fenced {
			at = next
			continue
		}
		if m[6] == m[7] { // not <…/>
			closing := "\n</" + name + ">"
			end := strings.Index(text[next-1:], closing)
			if end < 0 {
				return v, malformed(Truncated, "<%s> is not closed, and half of a region is never used", name)
			}
			body = text[next : next-1+end+1]
			next += end - 1 + len(closing)
		}
		if strings.Contains(body, "<"+name+" ") {
			return v, malformed(SchemaInvalid, "<%s> stands inside another <%s>", name, name)
		}
		values["action"] = kind
		a, bad := fromAttributes(values, unfenced(body), len(v.Actions)+1)
		if bad != nil {
			return v, bad
		}
		v.Actions = append(v.Actions, a)
		at = next
	}
}

// unfenced takes the fence off code that stands in a tag and in a fence.
func unfenced(body string) string {
	if all, bad := fences(body); bad == nil && len(all) == 1 && all[0].end > 0 && strings.TrimSpace(outside(body, all)) == "" {
		return all[0].body
	}
	return body
}

func attributes(text string) map[string]string {
	out := map[string]string{}
	for _, m := range attribute.FindAllStringSubmatch(text, -1) {
		name := snake(m[1])
		if to, ok := fieldNames[name]; ok {
			name = to
		}
		out[name] = strings.Trim(m[2], `"'`)
	}
	return out
}

func fromAttributes(values map[string]string, code string, n int) (Action, *Malformed) {
	name := values["action"]
	switch {
	case name == "" && values["region"] != "":
		name = ReplaceRegion
	case name == "": // a new file, or an existing one over again?
		return Action{}, malformed(SchemaInvalid, "block %d names a path, and neither a region nor an action; say create_file for a new file, or name the region to replace", n)
	}
	kind, known := kindOf(name)
	if !known {
		return Action{}, &Malformed{Class: UnknownAction, Action: oneLine(name), Reason: fmt.Sprintf("action %d is %q; known are %s", n, oneLine(name), strings.Join(names(), ", "))}
	}
	a := Action{Action: kind, Path: values["path"], Region: values["region"], Query: values["query"], Check: values["check"], Reason: values["reason"]}
	if strings.TrimSpace(code) != "" {
		a.Code = code
	}
	return a, nil
}

// behindCode is the prose behind the last tag, or else behind the first block.
func behindCode(text string, all []block) string {
	words := outside(text, all)
	if last := lastTag.FindAllStringIndex(words, -1); last != nil {
		return words[last[len(last)-1][1]:]
	}
	if len(all) > 0 && all[0].end > 0 {
		return words[all[0].end:]
	}
	return ""
}

var lastTag = lazyregexp.New(`(?m)(?:</[A-Za-z_]+>|/>)[ \t]*$`)
