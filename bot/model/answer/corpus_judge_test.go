package answer

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// judge reads one answer as its role would, and compares what came of it with
// what had to. says is empty when it is right.
func judge(t *testing.T, e entry) (one score, says string) {
	t.Helper()
	if odd := e.odd(); odd != "" {
		one.odd++
		return one, fmt.Sprintf("ODD ENTRY %s %s: %s", e.ID, e.Class, odd)
	}
	got, err := readAs(t, e)
	wanted := e.Expect.Decision
	var either struct{ Decision json.RawMessage }
	if json.Unmarshal(e.Expect.Either, &either) == nil && len(either.Decision) > 0 {
		wanted = either.Decision
	}
	may := len(e.Expect.Either) > 0 && string(e.Expect.Either) != "false" // both are right
	differs := ""
	if err == nil && len(wanted) > 0 {
		var want any
		if bad := json.Unmarshal(wanted, &want); bad != nil {
			t.Fatalf("%s: %v", e.ID, bad) // odd() has read it
		}
		differs = unlike("", asText(want), got)
	}
	switch {
	case err != nil && (e.Expect.Refuse || may):
		one.refused++
	case err != nil:
		one.shy++
		says = fmt.Sprintf("too shy   %s %s: %v", e.ID, e.Class, err)
	case e.Expect.Refuse && !may:
		one.executed++
		says = fmt.Sprintf("EXECUTED  %s %s: %v\n%.600s", e.ID, e.Class, got, e.Answer)
	case differs != "":
		one.executed++
		says = fmt.Sprintf("ANOTHER   %s %s: %s\n%.600s", e.ID, e.Class, differs, e.Answer)
	default:
		one.decided++
	}
	return one, says
}

// odd says what an entry of the corpus lacks to be judged, or "".
func (e entry) odd() string {
	var either struct{ Decision map[string]any }
	_ = json.Unmarshal(e.Expect.Either, &either) // true says the same
	var decision map[string]any
	bad := error(nil)
	if len(e.Expect.Decision) > 0 {
		bad = json.Unmarshal(e.Expect.Decision, &decision)
	}
	may := len(e.Expect.Either) > 0 && string(e.Expect.Either) != "false"
	switch {
	case !slices.Contains([]string{"developer", "planner", "tester", "reviewer"}, e.Role):
		return fmt.Sprintf("nobody is called %q", e.Role)
	case bad != nil:
		return "its decision is no object: " + bad.Error()
	case e.Expect.Refuse && decision != nil && !may:
		return "it expects a refusal and a decision"
	case !e.Expect.Refuse && decision == nil && either.Decision == nil && !may:
		return "it expects nothing"
	}
	return ""
}

// readAs gives a decision as the corpus writes it.
func readAs(t *testing.T, e entry) (got any, err error) {
	t.Helper()
	var v any
	switch e.Role {
	case "developer":
		var d Actions
		if d, _, err = Developer.Read(e.Answer, e.Finish); err == nil {
			return written(d), nil
		}
		return nil, err
	case "planner":
		v, _, err = Planner.Read(e.Answer, e.Finish)
	case "tester":
		v, _, err = Tester.Read(e.Answer, e.Finish)
	case "reviewer":
		v, _, err = Reviewer.Read(e.Answer, e.Finish)
	default:
		t.Fatalf("%s: nobody is called %q", e.ID, e.Role)
	}
	if err != nil {
		return nil, err
	}
	data, bad := json.Marshal(v)
	if bad == nil {
		bad = json.Unmarshal(data, &got)
	}
	if bad != nil {
		t.Fatal(bad)
	}
	return got, nil
}

// written is a developer's decision with its code as text.
func written(d Actions) any {
	list := []any{}
	for _, a := range d.Actions {
		one := map[string]any{}
		for key, text := range map[string]string{"action": a.Action, "path": a.Path, "region": a.Region, "query": a.Query, "check": a.Check, "code": a.Code} {
			if text != "" {
				one[key] = text
			}
		}
		list = append(list, one)
	}
	return map[string]any{"actions": list}
}

// asText is a developer's decision of the corpus with its code as text only:
// the corpus gives the number of the block beside the text that it holds, and
// it is the text that would be executed.
func asText(want any) any {
	decision, _ := want.(map[string]any)
	list, _ := decision["actions"].([]any)
	for _, one := range list {
		if action, ok := one.(map[string]any); ok {
			if text, given := action["code_text"]; given {
				action["code"] = text
				delete(action, "code_text")
			}
		}
	}
	return want
}

// unspoken are fields whose words decide nothing.
var unspoken = map[string]bool{"explanation": true, "reason": true, "summary": true, "rationale": true}

// unlike says where two decisions differ, or "". Line breaks at the ends of
// texts and what is empty do not count.
func unlike(at string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: %v is no object", at, got)
		}
		keys := map[string]bool{}
		for k := range want {
			keys[k] = true
		}
		for k := range have {
			keys[k] = true
		}
		for k := range keys {
			if says := unlike(at+"."+k, want[k], have[k]); says != "" && !unspoken[k] {
				return says
			}
		}
		return ""
	case []any:
		have, ok := got.([]any)
		if !ok && got != nil || len(have) != len(want) {
			return fmt.Sprintf("%s: %d and not %d", at, len(have), len(want))
		}
		for i := range want {
			if says := unlike(fmt.Sprintf("%s[%d]", at, i), want[i], have[i]); says != "" {
				return says
			}
		}
		return ""
	}
	if empty(want) && empty(got) || reflect.DeepEqual(trimmed(want), trimmed(got)) {
		return ""
	}
	return fmt.Sprintf("%s: %q and not %q", at, got, want)
}

func empty(v any) bool {
	list, isList := v.([]any)
	return v == nil || v == "" || v == false || v == 0.0 || isList && len(list) == 0
}

func trimmed(v any) any {
	if text, ok := v.(string); ok {
		return strings.Trim(text, "\n")
	}
	return v
}

// The judge itself: it would let nothing wrong pass as right.
func TestA2TheCorpusIsJudgedStrictly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		entry string
		want  score
	}{
		"right decision":  {`{"role": "reviewer", "finish": "stop", "answer": "{\"verdict\": \"FAIL\", \"reason\": \"x\"}", "expect": {"decision": {"verdict": "FAIL"}}}`, score{decided: 1}},
		"right refusal":   {`{"role": "reviewer", "finish": "stop", "answer": "hm", "expect": {"refuse": true}}`, score{refused: 1}},
		"either":          {`{"role": "reviewer", "finish": "stop", "answer": "hm", "expect": {"either": true}}`, score{refused: 1}},
		"too shy":         {`{"role": "reviewer", "finish": "length", "answer": "{\"verdict\": \"FAIL\", \"reason\": \"x\"}", "expect": {"decision": {"verdict": "FAIL"}}}`, score{shy: 1}},
		"executed":        {`{"role": "reviewer", "finish": "stop", "answer": "{\"verdict\": \"FAIL\", \"reason\": \"x\"}", "expect": {"refuse": true}}`, score{executed: 1}},
		"no decision":     {`{"role": "reviewer", "finish": "stop", "answer": "hm", "expect": {}}`, score{odd: 1}},
		"two outcomes":    {`{"role": "reviewer", "finish": "stop", "answer": "hm", "expect": {"refuse": true, "decision": {}}}`, score{odd: 1}},
		"an unknown role": {`{"role": "cook", "finish": "stop", "answer": "hm", "expect": {"refuse": true}}`, score{odd: 1}},
		"not an object":   {`{"role": "reviewer", "finish": "stop", "answer": "hm", "expect": {"decision": 7}}`, score{odd: 1}},
		"another":         {`{"role": "reviewer", "finish": "stop", "answer": "{\"verdict\": \"FAIL\", \"reason\": \"x\"}", "expect": {"decision": {"verdict": "RETRY"}}}`, score{executed: 1}},
		"other code":      {`{"role": "developer", "finish": "stop", "answer": "{\"actions\": [{\"action\": \"create_file\", \"path\": \"a\", \"code\": 1}]}\n~~~\nx\n~~~\n", "expect": {"decision": {"actions": [{"action": "create_file", "path": "a", "code": "y"}]}}}`, score{executed: 1}},
		"the same code":   {`{"role": "developer", "finish": "stop", "answer": "{\"actions\": [{\"action\": \"create_file\", \"path\": \"a\", \"code\": 1}]}\n~~~\nx\n~~~\n", "expect": {"decision": {"actions": [{"action": "create_file", "path": "a", "code": "x"}]}}}`, score{decided: 1}},
		"other code text": {`{"role": "developer", "finish": "stop", "answer": "{\"actions\": [{\"action\": \"create_file\", \"path\": \"a\", \"code\": 1}]}\n~~~\nx\n~~~\n", "expect": {"decision": {"actions": [{"action": "create_file", "path": "a", "code": 1, "code_text": "y"}]}}}`, score{executed: 1}},
		"a step more":     {`{"role": "planner", "finish": "stop", "answer": "{\"steps\": [{\"goal\": \"a\", \"targets\": []}, {\"goal\": \"b\", \"targets\": []}]}", "expect": {"decision": {"steps": [{"goal": "a"}]}}}`, score{executed: 1}},
	} {
		var e entry
		if err := json.Unmarshal([]byte(tc.entry), &e); err != nil {
			t.Fatal(err)
		}
		if got, says := judge(t, e); got != tc.want || (says == "") != (got.decided+got.refused > 0) {
			t.Errorf("%s: %+v %q", name, got, says)
		}
	}
}
