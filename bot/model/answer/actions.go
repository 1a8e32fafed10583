package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
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
	names: fieldNames, single: isAction, adjust: adjustActions, finish: finishActions, whole: complete,
}.compile()

// NewTestForm is the form of a Developer's answer that is one new file.
const NewTestForm = "Answer in exactly this form:\n```json\n" + `{"actions": [{"action": "create_file", "path": "tests/test_total.py", "code": 1}],
 "explanation": "one or two sentences: what the test shows"}` + "\n```\n\n```\nthe whole new file, and nothing else\n```"

// isAction tells an object that is one action on its own. A JSON file that
// comes as code, with a "name" or a "command", is none.
func isAction(v map[string]any) bool {
	field, name, _ := actionOf(v)
	_, known := kindOf(name)
	aimed := false
	for key := range v {
		to := snake(key)
		if fieldNames[to] != "" {
			to = fieldNames[to]
		}
		aimed = aimed || key != field && slices.Contains([]string{"path", "region", "query", "check", "code"}, to)
	}
	return field != "" && (known || snake(field) == "action") && (aimed || len(v) == 1 || snake(field) == "action")
}

// actionOf finds an action's name, and the field that it stands in. other is a
// different action that another field names.
func actionOf(v map[string]any) (field, name, other string) {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		text, isText := v[key].(string)
		kind, known := kindOf(text)
		names := snake(key) == "action" || fieldNames[snake(key)] == "action" || known && slices.Contains([]string{"tool", "tool_name", "name", "function", "type"}, snake(key))
		if !isText || !names {
			continue
		}
		was, _ := kindOf(name)
		switch {
		case field == "":
			field, name = key, text
		case known && was != kind:
			other = text
		}
	}
	return field, name, other
}

func kindOf(name string) (string, bool) {
	name = snake(strings.Trim(name, "*`"))
	if _, ok := kinds[name]; ok {
		return name, true
	}
	kind, ok := spellings[name]
	return kind, ok
}

// ofBlock finds the number of a block that is written with the word for it.
var ofBlock = lazyregexp.New(`^\s*(?i:block|fence|#)\s*(\d+)\s*$`)

// adjustActions corrects the names of actions. Code that stands inside the JSON is
// refused: there it loses its escapes and line breaks on its way, and nobody can tell
// (SPEC E2).
func adjustActions(s *Shape[Actions], obj map[string]any, r *Report) *Malformed {
	if one, ok := obj["actions"].(map[string]any); ok { // one instead of a list
		obj["actions"] = []any{one}
	}
	list, _ := obj["actions"].([]any)
	for i, x := range list {
		v, ok := x.(map[string]any)
		if !ok {
			continue
		}
		field, name, other := actionOf(v)
		kind, known := kindOf(name)
		switch {
		case field == "":
			return malformed(SchemaInvalid, "action %d has no field \"action\"", i+1)
		case !known:
			return &Malformed{Class: UnknownAction, Action: oneLine(name), Reason: fmt.Sprintf("action %d is %q; known are %s", i+1, oneLine(name), strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))}
		case other != "":
			return malformed(SchemaInvalid, "action %d is %q and %q", i+1, oneLine(name), oneLine(other))
		case kind != name || field != "action":
			r.Repairs = append(r.Repairs, fmt.Sprintf("%s %q was taken for %q", oneLine(field), oneLine(name), kind))
		}
		delete(v, field)
		v["action"] = kind
		for key, x := range maps.Clone(v) {
			_, isList := x.([]any)
			text, isText := x.(string)
			to := s.called(key)
			if m := ofBlock.FindStringSubmatch(text); m != nil && to == "code" {
				text, v[key] = m[1], m[1]
			}
			_, notNumber := strconv.Atoi(strings.TrimSpace(text))
			switch {
			case (to == "code" || to == "text") && (isList || isText && text != "" && (notNumber != nil || to == "text")):
				return &Malformed{Class: SchemaInvalid, Action: kind, Reason: fmt.Sprintf("the code of action %d stands inside the JSON; put it into a fenced block of its own behind the JSON, and give the block's number as \"code\", counted from 1", i+1)}
			case to == "explanation" && isText: // of a single action
				delete(v, key)
				v["reason"] = text
			}
		}
	}
	return nil
}
