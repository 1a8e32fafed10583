package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Malformed is an answer that cannot be read as a decision. Its class is one
// of no_json, invalid_json, schema_invalid, unknown_action, truncated.
type Malformed struct {
	Class  string
	Reason string
}

func (m *Malformed) Error() string { return fmt.Sprintf("the answer is %s: %s", m.Class, m.Reason) }

const (
	maxAnswer = 1 << 20
	maxEdits  = 20
)

type decision struct {
	Edits []struct {
		Kind   task.EditKind `json:"kind"`
		Path   string        `json:"path"`
		Region string        `json:"region"`
		Code   int           `json:"code"`
		// Signature says that a name or parameters change on purpose.
		Signature bool `json:"signature"`
	} `json:"edits"`
	Explanation string `json:"explanation"`
}

// parse reads a decision and the fenced blocks it refers to.
func parse(text string) (Answer, error) {
	if len(text) > maxAnswer {
		return Answer{}, &Malformed{"schema_invalid", fmt.Sprintf("it has %d bytes, at most %d are read", len(text), maxAnswer)}
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	blocks := fences(text)
	raw, rest, err := findDecision(text, blocks)
	if err != nil {
		return Answer{}, err
	}
	var d decision
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Answer{}, &Malformed{"schema_invalid", err.Error()}
	}
	if len(d.Edits) > maxEdits {
		return Answer{}, &Malformed{"schema_invalid", fmt.Sprintf("%d edits, at most %d are taken", len(d.Edits), maxEdits)}
	}
	a := Answer{Explanation: strings.TrimSpace(d.Explanation)}
	for i, e := range d.Edits {
		edit := task.Edit{Kind: e.Kind, Path: e.Path, Region: e.Region, Signature: e.Signature}
		switch e.Kind {
		case task.EditDelete:
		case task.EditReplace, task.EditInsert, task.EditCreate, task.EditImport, task.EditFile, task.EditSearch:
			if e.Code < 1 || e.Code > len(rest) {
				return Answer{}, &Malformed{"schema_invalid", fmt.Sprintf("edit %d refers to code block %d, and there are %d", i+1, e.Code, len(rest))}
			}
			edit.Code = rest[e.Code-1].body
		default:
			return Answer{}, &Malformed{"unknown_action", fmt.Sprintf("edit %d has kind %q; known are replace_region, insert_after, delete_region, add_import, search_replace, whole_file, create_file", i+1, e.Kind)}
		}
		if e.Path == "" || (e.Region == "" && e.Kind.NeedsRegion()) {
			return Answer{}, &Malformed{"schema_invalid", fmt.Sprintf("edit %d names no path or no region", i+1)}
		}
		a.Patch.Edits = append(a.Patch.Edits, edit)
	}
	a.NewTests = newTests(a.Patch)
	return a, nil
}

// findDecision looks for the JSON object: in a fence of its own, or bare
// before the first fence. The other fences are the code.
func findDecision(text string, blocks []fence) (raw []byte, code []fence, err error) {
	for i, b := range blocks {
		if s := strings.TrimSpace(b.body); strings.HasPrefix(s, "{") && strings.Contains(s, `"edits"`) {
			if !json.Valid([]byte(s)) {
				return nil, nil, &Malformed{"invalid_json", "the decision's block is not valid JSON"}
			}
			return []byte(s), append(append([]fence{}, blocks[:i]...), blocks[i+1:]...), nil
		}
	}
	head := text
	if len(blocks) > 0 {
		head = text[:blocks[0].start]
	}
	start, end := strings.IndexByte(head, '{'), strings.LastIndexByte(head, '}')
	if start < 0 || end < start {
		return nil, nil, &Malformed{"no_json", "it holds no JSON object with edits"}
	}
	if s := head[start : end+1]; json.Valid([]byte(s)) {
		return []byte(s), blocks, nil
	}
	return nil, nil, &Malformed{"invalid_json", "the decision is not valid JSON"}
}

type fence struct {
	start int // byte offset of the opening line
	lang  string
	body  string
}

// fences finds the fenced blocks of CommonMark: three or more backticks or
// tildes, closed by at least as many of the same.
func fences(text string) []fence {
	var out []fence
	var open *fence
	var mark string
	var body strings.Builder
	offset := 0
	for _, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimRight(line, "\n")
		m, info := marker(bare)
		switch {
		case open == nil && m != "":
			open, mark = &fence{start: offset, lang: info}, m
			body.Reset()
		case open != nil && m != "" && info == "" && m[0] == mark[0] && len(m) >= len(mark):
			open.body = body.String()
			out = append(out, *open)
			open = nil
		case open != nil:
			body.WriteString(line)
		}
		offset += len(line)
	}
	return out
}

func marker(line string) (mark, info string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || len(s) < 3 || (s[0] != '`' && s[0] != '~') {
		return "", ""
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	info = strings.TrimSpace(s[n:])
	if n < 3 || (s[0] == '`' && strings.Contains(info, "`")) {
		return "", ""
	}
	return s[:n], info
}
