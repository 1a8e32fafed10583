package agent

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestE2CodeTravelsInFencesNotInJSON(t *testing.T) {
	t.Parallel()
	a, err := parse("Sure!\n" + scripted.Edit("a/b.py", "function:f@1", "def f():\n    return \"```\"\n", "why"))
	if err != nil {
		t.Fatal(err)
	}
	want := task.Edit{Kind: task.EditReplace, Path: "a/b.py", Region: "function:f@1", Code: "def f():\n    return \"```\"\n"}
	if len(a.Patch.Edits) != 1 || a.Patch.Edits[0] != want || a.Explanation != "why" {
		t.Fatalf("got %+v", a)
	}
}

func TestE2ABareDecisionBeforeTheCodeIsRead(t *testing.T) {
	t.Parallel()
	a, err := parse("{\"edits\":[{\"kind\":\"create_file\",\"path\":\"test_x.py\",\"code\":2},{\"kind\":\"replace_region\",\"path\":\"x.py\",\"region\":\"r\",\"code\":1}],\"explanation\":\"\"}\n~~~py\nA\n~~~\n````\n```\nB\n```\n````\n")
	if err != nil {
		t.Fatal(err)
	}
	if a.Patch.Edits[0].Code != "```\nB\n```\n" || a.Patch.Edits[1].Code != "A\n" {
		t.Fatalf("got %+v", a.Patch.Edits)
	}
	if len(a.NewTests) != 1 || a.NewTests[0] != "test_x.py" {
		t.Fatalf("new tests %v", a.NewTests)
	}
}

func TestE3ImportsBlocksAndFilesNeedNoRegion(t *testing.T) {
	t.Parallel()
	a, err := parse("{\"edits\":[{\"kind\":\"add_import\",\"path\":\"a.py\",\"code\":1},{\"kind\":\"search_replace\",\"path\":\"b.py\",\"code\":2},{\"kind\":\"whole_file\",\"path\":\"c.py\",\"code\":1},{\"kind\":\"replace_region\",\"path\":\"d.py\",\"region\":\"f\",\"code\":1,\"signature\":true}],\"explanation\":\"\"}\n```\nimport os\n```\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []task.Edit{
		{Kind: task.EditImport, Path: "a.py", Code: "import os\n"},
		{Kind: task.EditSearch, Path: "b.py", Code: "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"},
		{Kind: task.EditFile, Path: "c.py", Code: "import os\n"},
		{Kind: task.EditReplace, Path: "d.py", Region: "f", Code: "import os\n", Signature: true},
	}
	if !slices.Equal(a.Patch.Edits, want) {
		t.Fatalf("got %+v", a.Patch.Edits)
	}
}

func TestF09MalformedAnswersAreClassified(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, class string }{
		"prose":               {"I would change the loop.", "no_json"},
		"cut JSON":            {"```json\n{\"edits\": [{\n```\n", "invalid_json"},
		"unknown kind":        {`{"edits":[{"kind":"run_shell","path":"x","region":"r","code":1}]}`, "unknown_action"},
		"unknown field":       {`{"edits":[],"shell":"rm"}`, "schema_invalid"},
		"block missing":       {`{"edits":[{"kind":"replace_region","path":"x","region":"r","code":1}]}`, "schema_invalid"},
		"no path":             {"{\"edits\":[{\"kind\":\"delete_region\",\"path\":\"\",\"region\":\"r\"}]}", "schema_invalid"},
		"open fence":          {"{\"edits\":[{\"kind\":\"replace_region\",\"path\":\"x\",\"region\":\"r\",\"code\":1}]}\n```\nhalf", "schema_invalid"},
		"100,000 brackets":    {strings.Repeat("[", 100000), "no_json"},
		"100,000 open braces": {strings.Repeat("{", 100000) + "}", "invalid_json"},
		"too large":           {strings.Repeat("x", maxAnswer+1), "schema_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse(tc.text)
			var m *Malformed
			if !errors.As(err, &m) || m.Class != tc.class {
				t.Fatalf("got %v, want class %s", err, tc.class)
			}
		})
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(scripted.Edit("a.py", "r", "x = 1\n", "e"))
	f.Add("{\"edits\":[]}\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parse(text)
		if err == nil {
			for _, e := range a.Patch.Edits {
				if e.Path == "" {
					t.Fatal("an edit without a path was taken")
				}
			}
		}
	})
}
