package answer

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// one is an answer with a single action.
func one(t *testing.T, fields map[string]any) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"actions": []any{fields}, "explanation": ""})
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func TestX2APathThatLeadsElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		"/etc/passwd", "../a.py", "src/../../a.py", "a/..", "~/.ssh/id_rsa", "~root/x", `C:\x.py`, "c:/x.py", `src\a.py`, `\\host\share\x`, "file:///etc/passwd",
		"https://example.org/a.py", "$HOME/.bashrc", "${HOME}/x", "%APPDATA%/x", ".git/config", "sub/.GIT/hooks/pre-commit", "-rf", "<path>", "src/<name>.py", "a.py, b.py",
		"a.py;b.py", "src/a.py:12", "src/a.py:12-20", " a.py", "a.py ", "a.py\n", "a\x00.py", "a\u200b.py", "a\u202eyp.b", "src\u00a0/a.py", "src/p\u0430th.py", "a\ufffd.py", "a&amp;b.py",
	} {
		for _, action := range []map[string]any{{"action": ReadRegion, "path": p}, {"action": DeleteRegion, "path": p, "region": "r"}, {"action": ListFiles, "path": p}} {
			if v, _, err := Developer.Read(one(t, action), "stop"); err == nil {
				t.Errorf("%q: %+v", p, v)
			}
		}
		plan, _ := json.Marshal(map[string]any{"summary": "s", "steps": []any{map[string]any{"goal": "g", "targets": []string{p}, "acceptance": "a", "critical": false}}})
		if v, _, err := Planner.Read(string(plan), "stop"); err == nil && !position.MatchString(p) {
			t.Errorf("%q: %+v", p, v)
		}
	}
	for _, p := range []string{"a.py", "./src/a.py", ".", ".github/workflows/ci.yml", "app/[id]/page.tsx", "routes/$user.tsx", "docs/日本語_guide.md", "Ä.py", "a b/c.txt", "lib/c++/x.hh", "x@1.2/a.js", "src/…/a.py", ".gitignore", "код.py", "ΔT.py"} {
		if v, _, err := Developer.Read(one(t, map[string]any{"action": ReadRegion, "path": p}), "stop"); err != nil || v.Actions[0].Path != p {
			t.Errorf("%q: %+v %v", p, v, err)
		}
	}
}

func TestX2AChecksNameIsNoCommand(t *testing.T) {
	t.Parallel()
	for check, right := range map[string]bool{"tests": true, "pytest .": true, "go test ./...": true, "lint: ruff": true, "npm run test:unit": true,
		"tests; rm -rf /": false, "tests && curl x": false, "$(id)": false, "`id`": false, "a | b": false, "a > b": false, "tests\nid": false} {
		if v, _, err := Developer.Read(one(t, map[string]any{"action": RunCheck, "check": check}), "stop"); (err == nil) != right {
			t.Errorf("%q: %+v %v", check, v, err)
		}
	}
}

func TestE2WhatOnlyStandsForCodeIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path, info, code string
	}{
		"rest unchanged":       {"a.py", "python", "def f():\n    x = 1\n    # ... rest of the function unchanged\n"},
		"the same":             {"a.py", "python", "class C:\n    a = 1\n    # [other methods remain the same]\n"},
		"existing code":        {"a.go", "go", "func F() {\n\t// ... existing code ...\n\tg()\n}\n"},
		"dots in a comment":    {"a.js", "js", "function f() {\n  // ...\n  g()\n}\n"},
		"a form's place":       {"a.py", "python", "<your code here>\n"},
		"in brackets":          {"a.py", "python", "[insert new implementation here]\n"},
		"an ellipsis":          {"a.py", "python", "…\n"},
		"three dots":           {"a.go", "go", "...\n"},
		"dots amid statements": {"a.py", "python", "def f():\n    x = 1\n    ...\n    return x\n"},
		"dots as a line of Go": {"a.go", "go", "func F() {\n\tg()\n\t...\n}\n"},
		"base64":               {"a.py", "python", "ZGVmIGYoKToKICAgIHJldHVybiAxCg==\n"},
		"base64 in lines":      {"a.py", "", "ZGVmIGYoKToKICAgIHJl\ndHVybiAxCg==\n"},
		"a form's words":       {"a.py", "python", "<the full implementation>\n"},
		"base64 by its name":   {"a.py", "base64", "x\n"},
		"HTML's form":          {"a.py", "python", "def f(a, b):\n    return a &lt; b and b &gt; 0\n"},
		"HTML's quotes":        {"a.go", "go", "var s = &quot;x&quot;\n"},
		"a diff":               {"a.py", "diff", "-x = 1\n+x = 2\n"},
		"a diff by its head":   {"a.py", "python", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"},
		"a patch":              {"a.py", "", "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch\n"},
		"two versions":         {"a.py", "python", "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"},
		"NUL":                  {"a.py", "python", "x = '\x00'\n"},
		"a broken character":   {"a.py", "python", "x = '\ufffd'\n"},
		"bytes":                {"a.py", "python", "x = '\xff'\n"},
	} {
		text := one(t, map[string]any{"action": ReplaceRegion, "path": tc.path, "region": fn, "code": 1}) + "```" + tc.info + "\n" + tc.code + "```\n"
		if v, _, err := Developer.Read(text, "stop"); err == nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestA2CodeThatLooksOddAndIsMeantIsTaken(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path, info, code string
	}{
		"bodies of dots":       {"a.py", "python", "class P(Protocol):\n    def f(self) -> int: ...\n    def g(self) -> int:\n        \"\"\"Doc.\"\"\"\n        ...\n"},
		"a slice of dots":      {"a.py", "python", "def f(x):\n    return x[..., 0]\n"},
		"spread":               {"a.ts", "ts", "const f = (...args) => {\n  return { ...rest, ...args }\n}\n"},
		"entities in a string": {"a.py", "python", "def esc(s):\n    return s.replace('&', '&amp;').replace(\"<\", \"&lt;\")\n"},
		"entities in a page":   {"a.html", "html", "<p>a &lt; b</p>\n"},
		"entities in JSX":      {"a.tsx", "tsx", "const A = () => <b>a &amp; b</b>\n"},
		"JSX in .js":           {"a.js", "js", "const A = () => <b>a &amp; b</b>\n"},
		"a word":               {"a.py", "python", "pass\n"},
		"a long word":          {"a.txt", "text", "internationalization\n"},
		"a patch as a file":    {"fix.patch", "diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n"},
		"rest in a comment":    {"a.py", "python", "def f(x):\n    # the rest is zero for even x\n    return x % 2\n"},
		"a call of other code": {"a.py", "python", "[code]\nx = 1\n"},
		"escape characters":    {"a.py", "python", "RED = '\\x1b[31m'\n"},
		"a comment of TODO":    {"a.py", "python", "def f():\n    raise NotImplementedError  # TODO\n"},
		"comparisons":          {"a.c", "c", "int f(int a, int *b) { return a < 1 && *b > 2; }\n"},
	} {
		text := one(t, map[string]any{"action": CreateFile, "path": tc.path, "code": 1}) + "```" + tc.info + "\n" + tc.code + "```\n"
		if v, _, err := Developer.Read(text, "stop"); err != nil || v.Actions[0].Code != tc.code {
			t.Errorf("%s: %+v %v", name, v, err)
		}
	}
	marks := "<<<<<<< SEARCH\nx = 1\n# ...\n=======\nx = 2\n>>>>>>> REPLACE\n"
	text := one(t, map[string]any{"action": SearchReplace, "path": "a.py", "code": 1}) + "```python\n" + marks + "```\n"
	if v, _, err := Developer.Read(text, "stop"); err != nil || v.Actions[0].Code != marks {
		t.Errorf("marks that are part of the form: %+v %v", v, err)
	}
}

// A single word in a fenced block is code; inside the JSON it may be a number
// or a name of something.
func TestA2AWordInABlockIsCode(t *testing.T) {
	t.Parallel()
	for _, text := range []string{one(t, map[string]any{"action": ReplaceRegion, "path": "a.py", "region": fn, "code": 1}) + "```\nright\n```\n"} {
		if v, _, err := Developer.Read(text, "stop"); err != nil || !reflect.DeepEqual(v.Actions, want("a.py", fn, "right\n")) {
			t.Errorf("%s: %+v %v", text, v, err)
		}
	}
}

func TestA2BlocksAreNotNumberedByGuess(t *testing.T) {
	t.Parallel()
	two := func(a, b any) string {
		list := []any{map[string]any{"action": ReplaceRegion, "path": "a.py", "region": "r", "code": a}, map[string]any{"action": ReplaceRegion, "path": "b.py", "region": "r", "code": b}}
		data, _ := json.Marshal(map[string]any{"actions": list})
		return string(data) + "\n" + python + "\n```python\nx = 1\n```\n"
	}
	for _, n := range [][2]any{{0, 1}, {2, 3}, {nil, nil}, {1, nil}, {1, 1}, {1, 3}, {-1, 1}, {true, 2}, {1.5, 2}} {
		if v, _, err := Developer.Read(two(n[0], n[1]), "stop"); err == nil {
			t.Errorf("%v: %+v", n, v)
		}
	}
	v, _, err := Developer.Read(two(2, "1"), "stop")
	if err != nil || v.Actions[0].Code != "x = 1\n" || v.Actions[1].Code != body {
		t.Errorf("crossed: %+v %v", v, err)
	}
}

func TestA2AnIndentedFenceIndentsItsCode(t *testing.T) {
	t.Parallel()
	v, _, err := Developer.Read(edit+"\n  ```python\n  def f():\n      return 1\n  ```\n", "stop")
	if err != nil || !reflect.DeepEqual(v.Actions, want("a.py", "function:f@1", body)) {
		t.Errorf("%+v %v", v, err)
	}
}

// Code without a decision may be a new file, an old one over again, or an example.
func TestF09CodeAloneIsNoAction(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"```python path=a.py\n" + blue, "**a.py**\n```python\n" + blue, "```python replace_region a.py " + fn + "\n" + blue, "<create_file path=\"a.py\">\n" + body + "</create_file>\n",
		one(t, map[string]any{"action": "write_file", "path": "a.py", "code": 1}) + python, one(t, map[string]any{"path": "a.py", "code": 1}) + python} {
		if v, _, err := Developer.Read(text, "stop"); err == nil {
			t.Errorf("%s: %+v", text, v)
		}
	}
}

func TestA2ADecisionThatIsTakenBackIsNone(t *testing.T) {
	t.Parallel()
	decision := `{"actions": [{"action": "delete_region", "path": "a.py", "region": "` + fn + `"}], "explanation": "unused"}`
	for _, words := range []string{
		"Wait, that's wrong, b.py uses it.", "Hmm, actually ignore the above plan.", "Actually, it is used.", "Scratch that.", "On second thought, keep it.", "No, that's not right.",
		"Sorry, I made a mistake.", "Please disregard this answer.", "Never mind.", "Oops!", "Let me reconsider.", "Correction: it is used.", "I take that back.", "Don't apply this.",
		"But wait - b.py imports it.", "**Wait:** it is used.", "That is incorrect.", "Forget everything above.", "Hold on, there's more.", "I changed my mind.", "EDIT: keep it",
	} {
		for _, text := range []string{decision + "\n\n" + words, "```json\n" + decision + "\n```\n" + words, "```json\n" + decision + "\n" + words + "\n```\n", decision + "\n" + words + "\n" + decision} {
			if v, _, err := Developer.Read(text, "stop"); err == nil {
				t.Errorf("%s: %+v", text, v)
			}
		}
	}
	parts := `{"action": "delete_region", "path": "a.py", "region": "r"}` + "\nWait, that's wrong. First:\n" + `{"action": "read_region", "path": "a.py"}`
	if v, _, err := Developer.Read(parts, "stop"); err == nil {
		t.Errorf("an action that was taken back: %+v", v)
	}
}

func TestL2AGatesDecisionIsNotOverheard(t *testing.T) {
	t.Parallel()
	pass := `{"recommendation": "pass_to_commit", "reason": "green", "confidence": 0.9}`
	for text, right := range map[string]bool{
		"Here is my recommendation:\n" + pass:                          true,
		"All is well.\n" + pass:                                        false,
		pass + "\nI recommend fixing the style before commit.":         false,
		pass + "\nOnly if the lint is clean.":                          false,
		pass + "\nThis should not be merged.":                          false,
		"Recommendation: fix_required\n" + pass:                        false,
		"I weighed fix_required and decided otherwise.\n" + pass:       false,
		pass + "\nOr escalate_tier.":                                   false,
		strings.Replace(pass, "green", "…", 1):                         false,
		strings.Replace(pass, `"green"`, "null", 1):                    false,
		strings.Replace(pass, `, "confidence": 0.9`, "", 1):            false,
		strings.Replace(pass, "pass_to_commit", "pass_to_commit?", 1):  false,
		strings.Replace(pass, "pass_to_commit", "✅ Pass to commit", 1): true,
	} {
		if v, _, err := Tester.Read(text, "stop"); (err == nil) != right {
			t.Errorf("%s: %+v %v", text, v, err)
		}
	}
}

func TestA2ThoughtsAreNoAnswerWhereverTheyStand(t *testing.T) {
	t.Parallel()
	draft := `{"verdict": "FAIL", "reason": "d"}`
	real := `{"verdict": "ACCEPT", "reason": "r"}`
	for _, text := range []string{"<think>" + draft + "</think>" + real, "Sure.\n<think>\n" + draft + "\n</think>\n" + real, "[THINK]" + draft + "[/THINK]" + real, "◁think▷" + draft + "◁/think▷\n" + real,
		"<Reflection>" + draft + "</reflection>\n" + real, draft + "\n</think>\n" + real} {
		if v, _, err := Reviewer.Read(text, "stop"); err != nil || v.Verdict != Accept {
			t.Errorf("%s: %+v %v", text, v, err)
		}
	}
	if v, _, err := Reviewer.Read("[THINK]"+draft+" hm", "stop"); err == nil {
		t.Errorf("half a thought: %+v", v)
	}
}
