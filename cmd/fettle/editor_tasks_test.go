package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// S10: whatever way a tasks.json is written, every byte of it is kept in its order, the
// result is read with all tasks in it, and a second time nothing is added.
func TestTasksAreAddedAndNothingIsLost(t *testing.T) {
	t.Parallel()
	for _, old := range []string{
		"", " \n", "{}", "{\n}", "{\n    // nothing yet\n}", `{"a":1}`, `{"a":1,}`, "{\r\n\t\"version\": \"2.0.0\", // two\r\n}\r\n",
		`{"tasks":[]}`, "{\"tasks\": [\n  // none\n]}", `{"tasks":[{"label":"x"}]}`, `{"tasks":[{"label":"x"} /* y */ , ] , "inputs": []}`,
		"\uFEFF{\n  \"tasks\": [\n    {\"taskName\": \"fettle: diff\"} // old\n    // end\n  ]\n}\n",
		`{"tasks":[1, null, {"label": 7}, ["fettle: check"]]}`, `{"TASKS": [], "ta\u0073ks": [ ]}`,
	} {
		text, added, err := withTasks([]byte(old), editorTasks())
		if err != nil || len(added) == 0 {
			t.Errorf("%q: %v, added %v", old, err, added)
			continue
		}
		at := 0
		for _, b := range []byte(strings.TrimSpace(old)) {
			i := bytes.IndexByte(text[at:], b)
			if i < 0 {
				t.Errorf("%q is lost in\n%s", old, text)
				break
			}
			at += i + 1
		}
		body := bytes.TrimPrefix(text, []byte("\uFEFF"))
		raw, err := hujson.Standardize(bytes.Clone(body))
		if err != nil {
			t.Errorf("%q: %v\n%s", old, err, text)
			continue
		}
		var file struct{ Tasks []json.RawMessage }
		if err := json.Unmarshal(raw, &file); err != nil || len(file.Tasks) < len(added) {
			t.Errorf("%q: %v\n%s", old, err, text)
		}
		if strings.Contains(old, "\r\n") && bytes.Count(text, []byte("\n")) != bytes.Count(text, []byte("\r\n")) {
			t.Errorf("%q: lines end in two ways: %q", old, text)
		}
		again, more, err := withTasks(text, editorTasks())
		if err != nil || len(more) > 0 || !bytes.Equal(again, text) {
			t.Errorf("%q: a second time %v is added: %v", old, more, err)
		}
	}
	for _, old := range []string{"[]", "1", "{", `{"tasks": {}}`, `{"tasks": null}`, `{"tasks":[],"tasks":[]}`, "{\n x }", "\xff"} {
		if text, _, err := withTasks([]byte(old), editorTasks()); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v\n%s", old, err, text)
		}
	}
}
