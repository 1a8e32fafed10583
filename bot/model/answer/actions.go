package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The actions that a developer may ask for. Those that change something have
// the names of task.EditKind.
const (
	ReadRegion    = "read_region"
	Search        = "search"
	ListFiles     = "list_files"
	ReplaceRegion = "replace_region"
	InsertAfter   = "insert_after"
	DeleteRegion  = "delete_region"
	CreateFile    = "create_file"
	AddImport     = "add_import"     // import statements, whose place fettle finds
	SearchReplace = "search_replace" // blocks of lines as they are and as they shall be
	WholeFile     = "whole_file"     // for models that insist
	RunCheck      = "run_check"
	Outline       = "outline"  // the regions of a file, or the files of a folder
	TryCode       = "try_code" // an expression, in the sandbox
	Finish        = "finish"
)

// MaxActions is how many actions one answer may hold.
const MaxActions = 20

// Action is one thing asked for. Which fields are set depends on its kind;
// Code is whole, with its last line break.
type Action struct {
	Action string `json:"action"`
	Path   string `json:"path,omitempty"`
	Region string `json:"region,omitempty"`
	Query  string `json:"query,omitempty"`
	Check  string `json:"check,omitempty"`
	Reason string `json:"reason,omitempty"`
	Code   string `json:"-"`

	Signature bool `json:"signature,omitempty"` // a name or parameters change on purpose

	Block *int `json:"code,omitempty"` // number of the fenced block, from 1
}

// Actions is a developer's answer.
type Actions struct {
	Actions     []Action `json:"actions"`
	Explanation string   `json:"explanation"`
}

// fields says what an action needs and what it may have besides.
type fields struct{ needs, may []string }

var kinds = map[string]fields{
	ReadRegion:    {[]string{"path"}, []string{"region", "reason"}},
	Search:        {[]string{"query"}, []string{"path", "reason"}},
	ListFiles:     {nil, []string{"path", "reason"}},
	ReplaceRegion: {[]string{"path", "region", "code"}, []string{"reason", "signature"}},
	InsertAfter:   {[]string{"path", "region", "code"}, []string{"reason", "signature"}},
	DeleteRegion:  {[]string{"path", "region"}, []string{"reason", "signature"}},
	CreateFile:    {[]string{"path", "code"}, []string{"reason"}},
	AddImport:     {[]string{"path", "code"}, []string{"reason"}},
	SearchReplace: {[]string{"path", "code"}, []string{"reason", "signature"}},
	WholeFile:     {[]string{"path", "code"}, []string{"reason", "signature"}},
	RunCheck:      {[]string{"check"}, []string{"reason"}},
	Outline:       {[]string{"path"}, []string{"reason"}},
	TryCode:       {[]string{"path", "query"}, []string{"reason"}},
	Finish:        {nil, []string{"reason"}},
}

// spellings are other names of actions. A name that could mean something more
// dangerous than the action, such as delete_file, write_file (over another?)
// or run_command, is not here, nor one that leaves open what: insert may be
// before, and an edit or update may come with a part of the region only.
var spellings = map[string]string{
	"read": ReadRegion, "read_file": ReadRegion, "read_code": ReadRegion, "view": ReadRegion, "view_file": ReadRegion, "view_region": ReadRegion,
	"open": ReadRegion, "open_file": ReadRegion, "show": ReadRegion, "show_region": ReadRegion, "get_region": ReadRegion, "cat": ReadRegion,
	"grep": Search, "find": Search, "search_code": Search, "code_search": Search, "search_text": Search, "find_text": Search, "search_files": Search,
	"list": ListFiles, "ls": ListFiles, "list_dir": ListFiles, "list_directory": ListFiles, "tree": ListFiles, "list_file": ListFiles,
	"replace": ReplaceRegion, "edit_region": ReplaceRegion, "update_region": ReplaceRegion,
	"modify_region": ReplaceRegion, "rewrite": ReplaceRegion, "rewrite_region": ReplaceRegion, "replace_function": ReplaceRegion,
	"edit_function": ReplaceRegion, "update_function": ReplaceRegion, "replace_code": ReplaceRegion, "change_region": ReplaceRegion,
	"insert_after_region": InsertAfter, "add_after": InsertAfter, "insert_code_after": InsertAfter,
	"delete": DeleteRegion, "remove": DeleteRegion, "remove_region": DeleteRegion, "delete_function": DeleteRegion, "remove_function": DeleteRegion,
	"create": CreateFile, "new_file": CreateFile, "add_file": CreateFile, "create_new_file": CreateFile,
	"test": RunCheck, "check": RunCheck, "run_test": RunCheck, "run_tests": RunCheck, "run_checks": RunCheck, "run_named_check": RunCheck,
	"symbols": Outline, "list_regions": Outline, "list_symbols": Outline, "get_outline": Outline,
	"try": TryCode, "evaluate": TryCode, "eval": TryCode, "try_expression": TryCode,
	"done": Finish, "complete": Finish, "submit": Finish, "finished": Finish, "final": Finish, "end": Finish,
}

// fieldNames are other names of fields.
var fieldNames = map[string]string{
	"edits": "actions", "steps": "actions", "changes": "actions", "tool_calls": "actions", "commands": "actions", "operations": "actions",
	"kind": "action", "action_type": "action", "action_name": "action", "command": "action", "operation": "action", "op": "action", "edit_type": "action",
	"file": "path", "filename": "path", "file_name": "path", "file_path": "path", "filepath": "path", "target_file": "path",
	"region_id": "region", "target": "region", "symbol": "region", "block": "code", "code_block": "code", "new_code": "code", "code_index": "code",
	"replacement": "code", "content": "code", "new_content": "code", "pattern": "query", "search_term": "query", "q": "query", "term": "query", "keyword": "query", "regex": "query", "test": "check", "check_name": "check",
	"message": "explanation", "summary": "explanation", "description": "explanation", "why": "reason", "rationale": "reason", "reason": "explanation",
}

// Developer is the shape of a developer's answer.
var Developer = Shape[Actions]{
	Name: "list of actions", Fenced: true, keys: []string{"actions"}, many: "actions",
	Schema: json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["actions", "explanation"], "properties": {
  "actions": {"type": "array", "minItems": 1, "maxItems": ` + strconv.Itoa(MaxActions) + `, "items": {"type": "object", "additionalProperties": false, "required": ["action"], "properties": {
    "action": {"type": "string", "enum": ["read_region", "search", "list_files", "replace_region", "insert_after", "delete_region", "create_file", "add_import", "search_replace", "whole_file", "run_check", "outline", "try_code", "finish"]},
    "path": {"type": "string", "maxLength": 1000}, "region": {"type": "string", "maxLength": 1000}, "query": {"type": "string", "maxLength": 1000},
    "check": {"type": "string", "maxLength": 200}, "reason": {"type": "string"}, "code": {"type": "integer", "minimum": 0, "maximum": 100}, "signature": {"type": "boolean"}}}},
  "explanation": {"type": "string", "default": ""}}}`),
	Example: "```json\n" + `{"actions": [{"action": "replace_region", "path": "src/a.py", "region": "function:total@12345678", "code": 1}],
 "explanation": "one or two sentences: what was wrong, what the change does"}` + "\n```\n\n```\nthe whole new code of that region, and nothing else\n```",
	names: fieldNames, single: isAction, adjust: adjustActions, blocks: readBlocks, finish: finishActions, whole: complete,
}.compile()

// NewTestForm is the form of a Developer's answer that is one new file.
const NewTestForm = "Answer in exactly this form:\n```json\n" + `{"actions": [{"action": "create_file", "path": "tests/test_total.py", "code": 1}],
 "explanation": "one or two sentences: what the test shows"}` + "\n```\n\n```\nthe whole new file, and nothing else\n```"

// isAction tells an object that is one action on its own. A JSON file that
// comes as code, with a "name" or a "command", is none.
func isAction(v map[string]any) bool {
	v = unpacked(v)
	field, name := actionOf(v)
	_, known := kindOf(name)
	aimed := false
	for key := range v {
		switch to := fieldNames[snake(key)]; {
		case key == field:
		case slices.Contains(aims, snake(key)), slices.Contains(aims, to):
			aimed = true
		}
	}
	switch snake(field) {
	case "":
		return false
	case "action":
		return known || aimed
	case "kind", "action_type", "action_name":
		return aimed
	}
	return known && (aimed || len(v) == 1)
}

// aims are the fields that only an action has.
var aims = []string{"path", "region", "query", "check", "code"}

// actionOf finds an action's name, and the field that it stands in.
func actionOf(v map[string]any) (field, name string) {
	spelled := map[string]string{}
	for key := range v {
		spelled[snake(key)] = key
	}
	for _, f := range []string{"action", "kind", "action_type", "action_name", "command", "operation", "op", "edit_type"} {
		if text, ok := v[spelled[f]].(string); ok {
			return spelled[f], text
		}
	}
	for _, f := range []string{"tool", "tool_name", "name", "function", "type"} { // names of many things
		text, _ := v[spelled[f]].(string)
		if _, known := kindOf(text); known {
			return spelled[f], text
		}
	}
	return "", ""
}

// otherName is another action that an action names, or "".
func otherName(v map[string]any, field, kind string) string {
	for key, x := range v {
		text, _ := x.(string)
		if other, known := kindOf(text); known && key != field && other != kind && slices.Contains([]string{"tool", "tool_name", "name", "function", "type", "kind"}, snake(key)) {
			return text
		}
	}
	return ""
}

func kindOf(name string) (string, bool) {
	name = snake(unmarked(name))
	if _, ok := kinds[name]; ok {
		return name, true
	}
	kind, ok := spellings[name]
	return kind, ok
}

// adjustActions corrects what is particular to actions: their names, the ways
// of calling tools, and the numbers of blocks.
func adjustActions(s *Shape[Actions], obj map[string]any, r *Report) *Malformed {
	if one, ok := obj["actions"].(map[string]any); ok { // one instead of a list
		obj["actions"] = []any{one}
	}
	list, _ := obj["actions"].([]any)
	for i, x := range list {
		if word, ok := x.(string); ok { // ["finish"]
			if kind, known := kindOf(word); known && len(kinds[kind].needs) == 0 {
				x = map[string]any{"action": word}
			}
		}
		v, ok := x.(map[string]any)
		if !ok {
			continue
		}
		v = unpacked(v)
		list[i] = v
		field, name := actionOf(v)
		kind, known := kindOf(name)
		plain(v, r)
		switch {
		case field == "":
			return malformed(SchemaInvalid, "action %d has no field \"action\"", i+1)
		case !known:
			return &Malformed{Class: UnknownAction, Action: oneLine(name), Reason: fmt.Sprintf("action %d is %q; known are %s", i+1, oneLine(name), strings.Join(names(), ", "))}
		case kind != name || field != "action":
			r.Repairs = append(r.Repairs, fmt.Sprintf("%s %q was taken for %q", oneLine(field), oneLine(name), kind))
		}
		if other := otherName(v, field, kind); other != "" {
			return malformed(SchemaInvalid, "action %d is %q and %q", i+1, oneLine(name), oneLine(other))
		}
		delete(v, field)
		v["action"] = kind
		if bad := inlineCode(v, i+1, r); bad != nil {
			return bad
		}
		words(v)
		s.rename(v, itemRules(s.rules), r)
	}
	return nil
}

func itemRules(rules map[string]any) map[string]any {
	top, _ := rules["properties"].(map[string]any)
	list, _ := top["actions"].(map[string]any)
	items, _ := list["items"].(map[string]any)
	return items
}

// names lists the actions in a fixed order.
func names() []string {
	out := make([]string, 0, len(kinds))
	for k := range kinds {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// unpacked takes the ways in which tools are called for an action: the name
// in one field and the arguments in another, or the name as the only field.
func unpacked(v map[string]any) map[string]any {
	if f, ok := v["function"].(map[string]any); ok && onlyExtras(v, "function") {
		v = f
	}
	if len(v) == 1 {
		for name, inner := range v {
			if fields, ok := inner.(map[string]any); ok {
				if _, known := kindOf(name); known {
					fields = copyOf(fields)
					fields["action"] = name
					return fields
				}
			}
		}
	}
	for _, w := range []string{"arguments", "args", "parameters", "params", "input", "tool_input"} {
		inner := v[w]
		if text, ok := inner.(string); ok {
			p := &reader{text: text}
			if parsed, bad := p.value(0); bad == nil && strings.TrimSpace(text[p.at:]) == "" && len(p.repairs) == 0 {
				inner = parsed
			}
		}
		fields, ok := inner.(map[string]any)
		if !ok {
			continue
		}
		out := copyOf(fields)
		for k, x := range v {
			if was, twice := out[k]; twice && k != w && !equal(was, x) {
				return v // it says two things
			} else if k != w {
				out[k] = x
			}
		}
		return out
	}
	return v
}

// plain takes Markdown's marks off names.
func plain(v map[string]any, r *Report) {
	for key, x := range v {
		name := snake(key)
		if to := fieldNames[name]; to != "" {
			name = to
		}
		text, isText := x.(string)
		if !isText || !slices.Contains([]string{"path", "region", "check"}, name) || name == "check" && strings.Contains(text, "`") { // a shell's
			continue
		}
		if bare := unmarked(text); bare != text {
			v[key] = bare
			r.Repairs = append(r.Repairs, "marks round a name were left out")
		}
	}
}

// unmarked is a name without the pairs of marks round it.
func unmarked(name string) string {
	for _, m := range []string{"**", "`", "\"", "'"} {
		if n := len(m); len(name) > 2*n && strings.HasPrefix(name, m) && strings.HasSuffix(name, m) && !strings.Contains(name[n:len(name)-n], m) {
			name = name[n : len(name)-n]
		}
	}
	return name
}
