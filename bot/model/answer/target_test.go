package answer

import (
	"reflect"
	"testing"
)

const (
	fn   = "function:f@1234abcd"
	blue = body + "```\n"
)

func TestA2ABlockMayNameItsTarget(t *testing.T) {
	t.Parallel()
	for _, info := range []string{"python a.py", "python ./a.py " + "{.numberLines}", "python path=a.py region=function:f@1", "python title=\"b.py\""} {
		if v, _, err := Developer.Read(edit+"\n```"+info+"\n"+blue, "stop"); err != nil || !reflect.DeepEqual(v.Actions, want("a.py", "function:f@1", body)) {
			t.Errorf("%s: %+v %v", info, v, err)
		}
	}
}

func TestF09ABlockWhoseTargetIsInDoubtIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, class string }{
		"JSON with two versions":   {`{"actions": [{"action": "delete_region", "path": "a.py", "region": "r"}, {"action": "replace_region", "path": "./a.py", "region": "r", "code": 1}]}` + "\n" + python, SchemaInvalid},
		"a block for another file": {edit + "\n```python b.py\n" + blue, SchemaInvalid},
		"for another region":       {edit + "\n```python path=a.py region=function:g@1\n" + blue, SchemaInvalid},
	} {
		v, _, err := Developer.Read(tc.text, "stop")
		if m, ok := IsMalformed(err); !ok || m.Class != tc.class {
			t.Errorf("%s: %+v %v, want %s", name, v, err, tc.class)
		}
	}
}
