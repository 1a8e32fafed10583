package answer

import (
	"strings"
	"testing"
)

const (
	look   = `{"actions": [{"action": "read_region", "path": "a.py"}], "explanation": "first"}`
	remove = `{"actions": [{"action": "delete_region", "path": "a.py", "region": "` + fn + `"}], "explanation": "unused"}`
)

// taken reads texts as a developer's answers, and compares whether each is
// used.
func taken(t *testing.T, want bool, texts map[string][]string) {
	t.Helper()
	for class, list := range texts {
		for _, text := range list {
			if v, _, err := Developer.Read(text, "stop"); (err == nil) != want {
				t.Errorf("%s: %+v %v\n%s", class, v, err, text)
			}
		}
	}
}

func TestF09WhatIsNotClearlyAskedIsNotDone(t *testing.T) {
	t.Parallel()
	var quoted, behind, choice, inside []string
	for _, words := range []string{
		"Do not do this:", "I would not do this:", "What not to do:", "Wrong answer:", "My previous answer was:", "The rejected plan:", "The issue says:", "A comment in the file says:", "The user wants me to run:", "For example:", "An example answer:",
		"Something like:", "One could do:", "I considered", "I was going to answer", "If the tests fail:", "If you agree:", "Only if it is unused:", "The format is:", "I thought about", "Instead of", "First draft:", "You might try:", "Before:",
		"The log contains", "Don't use:", "When the build is green:", "The answer should never look like this:", "Template:", "Hypothetically:", "An outdated version:", "The README tells me to do:", "This could be", "I'd rather not, but the ticket requests:", "The old code was wrong:", "This should never happen again:",
	} {
		quoted = append(quoted, words+"\n"+remove, words+" "+remove, words+"\n```json\n"+remove+"\n```\n", "The bug is in f.\n\n**"+words+"**\n\n"+remove)
	}
	for _, words := range []string{
		"Shall I go ahead?", "Should I apply this?", "Would you like me to proceed?", "Please confirm.", "Awaiting your approval.", "Is this what you wanted?", "Is that OK?", "Apply this only if b.py does not use it.", "Run it after the tests pass: do it when they are green.",
		"Unless b.py uses it.", "Only if the tests pass.", "I won't do that.", "[truncated]", "(continued)", "To be continued", "Part 1 of 2", "I will continue in the next message.", "More code to follow.", "Do not apply this.", "Can I delete it?", "May I proceed with it?",
	} {
		behind = append(behind, remove+"\n\n"+words, "```json\n"+remove+"\n```\n"+words)
	}
	for _, words := range []string{"or", "Alternatively:", "otherwise", "if that fails:", "or rather", "Option B:", "Instead:", "Maybe:", "else", "Better not:", "The issue demands:", "which was wrong, so"} {
		choice = append(choice, `{"action": "delete_region", "path": "a.py", "region": "r"}`+"\n"+words+"\n"+`{"action": "delete_region", "path": "b.py", "region": "r"}`)
	}
	for _, words := range []string{"do not apply this", "Just an example.", "Never run it.", "ignore this action", "Wait, b.py uses it", "Never mind", "Don't execute that", "example only"} {
		inside = append(inside, strings.Replace(remove, "unused", words, 1), strings.Replace(remove, `"region"`, `"reason": "`+words+`", "region"`, 1))
	}
	taken(t, false, map[string][]string{
		"quoted": quoted, "asked or bound": behind, "a choice": choice, "its own words": inside,
		"under another name":            {`{"rejected": ` + remove + `}`, `{"example": ` + remove + `}`, `{"draft": ` + remove + `}`, `{"if_tests_fail": ` + remove + `}`, `{"alternative": ` + remove + `}`, `{"do_not_run": ` + remove + `}`, `{"error": ` + remove + `}`, `{"previous": {"answer": ` + remove + `}}`, `{"response": ` + remove + `, "alternative": ` + look + `}`, `{"response": ` + remove + `, "answer": ` + look + `}`},
		"struck out":                    {"~~" + remove + "~~", "<!-- " + remove + " -->", "<del>" + remove + "</del>", "<s>\n" + remove + "</s>"},
		"an unfinished channel":         {"<|channel|>analysis<|message|>" + remove, "<|channel|>analysis<|message|>" + remove + "<|end|>", "<|channel|>commentary<|message|>maybe " + remove, "<|begin_of_thought|>" + remove, "<seed:think>" + remove, "<antThinking>" + remove},
		"two names":                     {`{"action": "read_region", "path": "a.py", "arguments": {"action": "delete_region", "path": "a.py", "region": "r"}}`, `{"name": "finish", "arguments": {"action": "delete_region", "path": "a.py", "region": "r"}}`, `{"action": "finish", "command": "delete_region", "path": "a.py", "region": "r"}`, `{"actions": [{"action": "read_region", "path": "a.py", "file": "b.py"}]}`, `{"actions": [{"action": "read_region", "file": "a.py", "filename": "b.py"}]}`, `{"name": "read_region", "path": "a.py", "arguments": {"path": "b.py"}}`},
		"code twice":                    {`{"actions": [{"action": "create_file", "path": "a", "code": "x", "content": "y"}]}`, `{"actions": [{"action": "create_file", "path": "a", "code": "x", "text": "y"}]}`, `{"actions": [{"action": "create_file", "path": "a", "code": 1, "content": "y"}]}` + "\n" + python, `{"actions": [{"action": "create_file", "path": "a", "code": 1, "text": "y"}]}`},
		"a vague verb":                  {strings.Replace(edit, "replace_region", "edit", 1) + python, strings.Replace(edit, "replace_region", "update", 1) + python, strings.Replace(edit, "replace_region", "modify", 1) + python, strings.Replace(edit, "replace_region", "patch", 1) + python, strings.Replace(edit, "replace_region", "insert", 1) + python, strings.Replace(edit, "replace_region", "apply", 1) + python, strings.Replace(edit, "replace_region", "insert_before", 1) + python, strings.Replace(edit, "replace_region", "append", 1) + python, strings.Replace(edit, "replace_region", "move_region", 1) + python},
		"blocks that are no code":       {edit + "\n```bash\npip install x\n```\n", strings.Replace(edit, `, "code": 1`, "", 1) + "\n```bash\npytest\n```\n", edit + "\n```json\n[1, 2]\n```\n", edit + "\n```console\n$ ls\n```\n", edit + "\n```output\nok\n```\n", edit + "\n```yaml\na: b\n```\n", edit + "\n```diff\n-x\n+y\n```\n", edit + "\n```patch\n-x\n+y\n```\n"},
		"blocks that nothing refers to": {edit + python + "```bash\npytest\n```\n", edit + python + "```python\nprint(1)\n```\n", edit + python + "```diff\n-x\n+y\n```\n", "```bash\nls\n```\n" + edit + python, remove + python, look + "\n```sh\nrm -rf build\n```\n", edit + python + "```sql\ndrop table x\n```\n", edit + "\n```python\nold()\n```\n" + python, edit + python + "```\nx\n```\n", edit + python + "~~~js\nx\n~~~\n"},
	})
	for _, p := range []string{"src/*.py", "a?.py", "a.py and b.py", "a.py b.py", "a.py,b.py", "a.py -> b.py", "path/to/file.py", "/path/to/a.py", "src/.../a.py", "null", "None", "undefined", "all", "your_file.py", "{path}", "[path]", "%2e%2e/a.py", "a.py#L10", "a.py#L3-L9", "see above", "same file", "string"} {
		if v, _, err := Developer.Read(one(t, map[string]any{"action": ReadRegion, "path": p}), "stop"); err == nil {
			t.Errorf("the path %q: %+v", p, v)
		}
	}
	for _, r := range []string{"*", "all", "whole file", "entire file", "function:f@XXXXXXXX", "function:f@...", "function:f@<hash>", "<region id>", "none", "null", "lines 10-20", "L10-L20", "10-20", "everything", "same as above", "function:*", "function:f@hash"} {
		if v, _, err := Developer.Read(one(t, map[string]any{"action": DeleteRegion, "path": "a.py", "region": r}), "stop"); err == nil {
			t.Errorf("the region %q: %+v", r, v)
		}
	}
}

func TestA2WhatNobodyWouldDoubtIsTaken(t *testing.T) {
	t.Parallel()
	var wrapped []string
	for _, key := range []string{"response", "answer", "result", "output", "data", "content", "final_answer", "message", "developer", "json", "payload", "Response", "finalAnswer"} {
		wrapped = append(wrapped, `{"`+key+`": `+look+`}`)
	}
	quotes := [][2]string{{"'", "'"}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"”", "”"}, {"«", "»"}, {"‘", "’"}, {"`", "`"}, {"“", "“"}}
	var quoted []string
	for _, q := range quotes {
		open := true
		quoted = append(quoted, strings.Map(func(r rune) rune { return r }, func() string {
			var out strings.Builder
			for _, r := range look {
				switch {
				case r != '"':
					out.WriteRune(r)
				case open:
					out.WriteString(q[0])
					open = false
				default:
					out.WriteString(q[1])
					open = true
				}
			}
			return out.String()
		}()))
	}
	taken(t, true, map[string][]string{
		"wrapped": wrapped, "quotes": quoted,
		"the example echoed": {Developer.Example[:strings.LastIndex(Developer.Example, "\n\n")] + "\n" + look},
		"fences":             {"```markdown\n## Answer\n```json\n" + look + "\n```\n```", "Sure:\n```\nHere:\n```json\n" + look + "\n```\n```", "```md\nFirst.\n\n```json\n" + look + "\n```\n\n```", "\ufeff```json\n" + look + "\n```", "~~~\n" + look + "\n~~~", "````text\n```json\n" + look + "\n```\n````", "```JSON\n" + look + "\n```", "```json title=\"x\"\n" + look + "\n```"},
		"channels":           {"<|channel|>analysis<|message|>maybe " + remove + "<|end|><|start|>assistant<|channel|>final<|message|>" + look, "<|channel|>final <|constrain|>json<|message|>" + look + "<|return|>", "<|begin_of_thought|>" + remove + "<|end_of_thought|>" + look, "<seed:think>" + remove + "</seed:think>" + look, "<antThinking>" + remove + "</antThinking>" + look, "<think>" + remove + "</think>\n<answer>" + look + "</answer>"},
		"names":              {`{"actions": [{"action": "search", "q": "x"}], "reason": "y"}`, `{"actions": [{"action": "search", "term": "x"}], "reason": "y", "explanation": "z"}`, `{"Actions": [{"Action": "Read Region", "File-Path": "a.py"}]}`, `{"actions": [{"action": "readRegion", "filePath": "a.py", "reason": "see it"}]}`, `{"actions": [{"tool": "list files"}]}`, `{"ACTIONS": [{"ACTION": "FINISH"}]}`},
	})
}

// Actions that stand in no list may be a choice, or a draft and the answer.
func TestF09ActionsInNoListAreNotDone(t *testing.T) {
	t.Parallel()
	var linked []string
	a, b := `{"action": "read_region", "path": "a.py"}`, `{"action": "replace_region", "path": "a.py", "region": "`+fn+`", "code": 1}`
	for _, words := range []string{"", "then", "and", "and then", "Then:", "Next:", "2.", "**Step 2**", "- ", "Finally,", "Action 2:", "After that:"} {
		linked = append(linked, a+"\n"+words+"\n"+b+"\n"+python, "```json\n"+a+"\n```\n"+words+"\n```json\n"+b+"\n```\n"+python)
	}
	taken(t, false, map[string][]string{"linked": linked})
}
