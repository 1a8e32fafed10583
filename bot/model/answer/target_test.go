package answer

import (
	"reflect"
	"strings"
	"testing"
)

const (
	fn   = "function:f@1234abcd"
	blue = body + "```\n"
)

func TestA2ABlockMayNameItsTarget(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"words":             "```python a.py " + fn + "\n" + blue,
		"an action":         "```python replace_region a.py " + fn + "\n" + blue,
		"the action first":  "```replace_region path=\"a.py\" region=\"" + fn + "\"\n" + blue,
		"glued":             "```python:a.py#" + fn + "\n" + blue,
		"in braces":         "```python {path=\"a.py\" region=\"" + fn + "\"}\n" + blue,
		"a comment":         "```python\n# a.py::" + fn + "\n" + blue,
		"two comments":      "```python\n# path: a.py\n# region: " + fn + "\n" + blue,
		"the line before":   "The sum was wrong.\n\n**a.py** `" + fn + "`:\n```python\n" + blue,
		"a heading":         "### a.py · " + fn + "\n\n```python\n" + blue,
		"the same twice":    "`a.py` `" + fn + "`\n```python a.py " + fn + "\n" + blue,
		"output besides":    "```text\nls\n```\n```python a.py " + fn + "\n" + blue,
		"prose with a path": "I read b.py first.\n```python a.py " + fn + "\n" + blue,
	} {
		v, r, err := Developer.Read(text, "stop")
		if err != nil || r.Rung != "blocks" || !reflect.DeepEqual(v.Actions, want("a.py", fn, body)) {
			t.Errorf("%s: %+v %v", name, v, err)
		}
	}
	for _, info := range []string{"python a.py", "python ./a.py " + "{.numberLines}", "python path=a.py region=function:f@1", "python title=\"b.py\""} {
		if v, _, err := Developer.Read(edit+"\n```"+info+"\n"+blue, "stop"); err != nil || !reflect.DeepEqual(v.Actions, want("a.py", "function:f@1", body)) {
			t.Errorf("%s: %+v %v", info, v, err)
		}
	}
	v, _, err := Developer.Read("```insert_after path=a.py region="+fn+"\n"+blue, "stop")
	if err != nil || v.Actions[0].Action != InsertAfter {
		t.Errorf("an action that is named is another: %+v %v", v, err)
	}
}

func TestF09ABlockWhoseTargetIsInDoubtIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, class string }{
		"only a path in words":     {"```python a.py\n" + blue, NoJSON},
		"only a comment":           {"```python\n# a.py\n" + blue, NoJSON},
		"prose before it":          {"I would change a.py at " + fn + "\n```python\n" + blue, NoJSON},
		"two paths":                {"```python a.py b.py " + fn + "\n" + blue, NoJSON},
		"two places that differ":   {"**b.py** " + fn + "\n```python a.py " + fn + "\n" + blue, SchemaInvalid},
		"old and new":              {"```python a.py " + fn + "\nold\n```\n```python a.py " + fn + "\n" + blue, SchemaInvalid},
		"a first one without":      {"```python\nx = 1\n```\n```python a.py " + fn + "\n" + blue, SchemaInvalid},
		"not closed":               {"```python a.py " + fn + "\n" + body, Truncated},
		"an end with code":         {"```delete_region path=a.py region=" + fn + "\n" + blue, SchemaInvalid},
		"a region that is no id":   {"```python a.py total\n" + blue, NoJSON},
		"JSON with two versions":   {`{"actions": [{"action": "delete_region", "path": "a.py", "region": "r"}, {"action": "replace_region", "path": "./a.py", "region": "r", "code": 1}]}` + "\n" + python, SchemaInvalid},
		"a block for another file": {edit + "\n```python b.py\n" + blue, SchemaInvalid},
		"for another region":       {edit + "\n```python path=a.py region=function:g@1\n" + blue, SchemaInvalid},
		"a file twice":             {strings.Repeat("<create_file path=\"a.py\">\nx\n</create_file>\n", 2), SchemaInvalid},
		"a tag that names others":  {"<replace path=\"a.py\">\nx\n</replace>\n", SchemaInvalid},
	} {
		v, _, err := Developer.Read(tc.text, "stop")
		if m, ok := IsMalformed(err); !ok || m.Class != tc.class {
			t.Errorf("%s: %+v %v, want %s", name, v, err, tc.class)
		}
	}
}
