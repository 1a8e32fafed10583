package answer

import "testing"

func TestE2AnyWordingThatStandsForCodeIsRefused(t *testing.T) {
	t.Parallel()
	for kind, lines := range map[string][]string{
		".py": {"# (keep the existing code from here on)", "<existing docstring>", "<existing return statement>", "# (leave the other methods as they are)", "# the original body stays here", "<the existing code>", "[unchanged methods]", "# [existing imports]", "# <unchanged body>", "# ...", "# ... rest unchanged", "# ...rest of code...", "# rest of the function unchanged", "# (rest of file unchanged)", "# [rest of the class stays the same]", "# existing code here", "# existing code",
			"# ... existing code ...", "...  # keep existing implementation", "pass  # existing implementation", "# keep the rest as is", "# Keep existing code", "# other methods remain unchanged", "# Other methods here",
			"# remaining methods omitted", "# unchanged", "# same as before", "# no changes here", "# omitted for brevity", "# imports omitted for brevity", "# (unchanged)", "# your code here", "# TODO: implement logic here",
			"# Insert your implementation here", "# the rest of your code", "# The rest of the code remains the same", "# Previous code goes here", "# original implementation", "# etc...", "# and so on", "# rest of code as before",
			"# everything else stays the same", "# All other methods are unchanged", "# ... (the remaining 20 lines are identical)", "# ... more fields", "# <existing code>", "# {existing code}", "# Rest of method...", "# snip",
			"# --- snip ---", "# Rest unverändert", "# ... Rest bleibt gleich", "# 其余代码保持不变", "# 省略", "# resto del código sin cambios", "# le reste du code est inchangé", "# остальной код без изменений", "# 残りは変更なし", "# 나머지 코드는 동일",
			"[rest of the code]", "(rest of the function unchanged)", "... existing code ...", "<rest of the function>", "{{ existing code }}", "-- rest unchanged --", "def f(self): ...  # unchanged", `"""rest of the class unchanged"""`},
		".js": {"// existing code here", "// ... existing code ...", "// ...", "/* ... */", "/* existing code */", "/* rest of the component unchanged */", "{/* existing content */}", "{/* ... rest of JSX ... */}", "// rest of code remains the same",
			"// keep existing logic", "// ...rest of the code", "// Rest of the imports...", "// same as above", "// (other handlers unchanged)", "// implementation remains unchanged", "// ... your existing code", "// [existing code]",
			"function f() { /* ... */ }", "const f = () => { ... }", "return { // existing code", "* rest unchanged"},
		".go":   {"// ... rest of the function ...", "// existing code", "// unchanged", "// Rest of struct fields", "/* unchanged */", "// (rest unchanged)", "func F() { ... }"},
		".sql":  {"-- existing code", "-- ... rest unchanged", "-- other columns unchanged"},
		".lua":  {"-- existing code here", "-- rest of the function"},
		".html": {"<!-- existing content here -->", "<!-- rest of the page unchanged -->", "<!-- ... -->"},
		".el":   {";; rest of the function unchanged", "; existing code"},
		".tex":  nil,
		".rb":   {"# rest of the class", "# existing methods remain unchanged"},
	} {
		for _, line := range lines {
			for _, text := range []string{"x(1)\n    " + line + "\n", line + "\ny(2)\n"} {
				if leftOut(text, kind, nil) == "" {
					t.Errorf("%s: %q is taken for code", kind, text)
				}
			}
		}
	}
}

func TestE2ACommentThatDescribesCodeStays(t *testing.T) {
	t.Parallel()
	for kind, lines := range map[string][]string{
		".py": {"# the rest of the list is sorted", "# existing values win over new ones", "# keep the first match", "# same key twice: the last one counts", "# unchanged values are skipped", "# the remaining items are zero",
			"# other errors are raised", "# skip the header", "# copy the original list first", "# TODO: sort", "x = f(*rest)  # the rest", "timeout = 5  # unchanged", "# loading...", "# returns the code of the country", "# the code below is hot",
			"def g(self) -> int: ...", "(existing, new)", "[existing]", "(existing or default)", "[remaining for x in y]", "{original}", "x[..., 0] = 1", "Tuple[int, ...]", "# use the existing connection", "# previous and next page", "# the implementation follows RFC 3339", "# all tests share it", "# body of the request", "# here be dragons",
			"'existing code here',", `"rest": rest,`, "# Other imports", "# remaining budget in cents", "# insert the row here and not at the end", "# put it here so that the lock is held"},
		".js": {"[remaining, total]", "<remaining-items>", "<existing.Panel>", "{original}", "(previous)", "...rest,", "...rest", "...(existing ?? []),", "...(rest || {}),", "...rest.map(x => x),", "...existing.items,", "{ ...defaults, ...rest }", "#rest;", "this.#rest = rest;", "f(...args);", "// rest parameters are copied", "/* body of the loop */", "{/* header of the page */}", "return `...`;", "const s = '{ ... }';",
			"// the same object is returned", "...(existing ?? []),", "[...items, x]", "case 'other': // fall through"},
		".go": {"// Unmodified pages are not written back.", "// The original order is kept because callers print it.", "// keep the lock until the file is closed", "// Remaining bytes have been read before.", "// The rest of the parts may be empty; unchanged ones are kept as they are.", "// Other callers have the same lock, which is held here.", "// Existing rows can stay as before if the key is empty.", "// the rest is padding", "args...)", "fmt.Println(rest...)", "// existing entries are kept, new ones appended", "// code is the status", "// see the original for the proof", "// No lock is needed here."},
		".md": {"# Other code", "...", "The rest of the code is unchanged.", "existing code"},
	} {
		for _, line := range lines {
			text := "x(1)\n" + line + "\ny(2)\n"
			if leftOut(text, kind, nil) != "" {
				t.Errorf("%s: %q counts as left out", kind, line)
			}
		}
	}
}

func TestE2CodeWithTheSignsOfADiffIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		" def f(x):\n+    if not x:\n+        return 0\n     return x\n", "def f(x):\n-    return 1\n+    return 2\n", "+def f(x):\n+    return 1\n", "-x = 1\n+x = 2\n", "@@ -1,2 +1,2 @@\n def f():\n", "@@ def f @@\n x\n",
		"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n", "*** Begin Patch\n*** Update File: a.py\n+x\n*** End Patch\n", "\n\ndiff --git a/a b/a\n", "def f(x):\n\treturn 1\n+\treturn 2\n", " a = 1\n b = 2\n-c = 3\n",
	} {
		if !isPatch(text, ".py") {
			t.Errorf("%q is taken for code", text)
		}
	}
	for text, kind := range map[string]string{
		"- a\n- b\n  c: d\n": ".yaml", "- one\n+ two\n": ".md", "x = (a\n+ b)\n": ".py", "S = \"\"\"\n-    x\n+    y\n\"\"\"\n": ".py", "-- a comment\n--   indented\nlocal x = 1\n": ".lua", "    return (a\n        - b)\n": ".py", "    x = 1\n    y = 2\n": ".py",
		"-1\n": ".txt", "var x = `\n@@ -1 +1 @@\n-   a\n`\n": ".go", "  ++i;\n  --j;\n": ".c", "@dataclass\nclass A:\n    x: int\n": ".py", "/*\n -  a\n+   b\n*/\nint x;\n": ".c",
	} {
		if isPatch(text, kind) {
			t.Errorf("%s: %q is taken for a diff", kind, text)
		}
	}
}
