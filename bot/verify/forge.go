package verify

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// A patch of source has no business with the test harness. forgery lists words
// that a changed file may not newly use: not proof of anything by themselves,
// but whoever needs them is writing to the judge, and a person should look.
var forgery = map[code.Language][]*regexp.Regexp{
	code.Python: words(`\b_pytest\b`, `\bpluggy\b`, `\bos\._exit\b`, `\bos\.abort\b`, `\bunittest\.(?:case|TestCase|result|SkipTest)\b`,
		`\bpytest\.(?:skip|exit|xfail|importorskip)\b`, `\bgc\.get_(?:objects|referrers)\b`, `\bf_(?:back|locals)\b`, `\bPYTEST_CURRENT_TEST\b`,
		`\bsys\.modules\[\s*['"](?:pytest|unittest|builtins)`, `\bsys\.(?:settrace|setprofile)\b`, `\b__builtins__\b`, `\bbuiltins\.\w+\s*=[^=]`,
		`def\s+__eq__\s*\([^)]*\)[^:]*:\s*(?:#[^\n]*)?\s*return\s+True\b`),
	code.JavaScript: words(`['"]node:test['"]`, `\bprocess\.(?:reallyExit|abort)\b`, `\bprocess\.binding\b`, `\bNODE_TEST_CONTEXT\b`,
		`['"](?:node:)?v8['"]`, `\b(?:assert|Assert)\.\w+\s*=[^=>]`),
	code.Go: words(`"testing"`, `\btesting\.Testing\b`, `\bsyscall\.Exit\b`, `--- PASS`, `\\x16|\\u0016`, `go:linkname`),
}

func words(patterns ...string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, p := range patterns {
		out = append(out, regexp.MustCompile(p))
	}
	return out
}

// newForgery names what a changed file newly says to the harness, "" if nothing.
func newForgery(p string, before, after []byte) string {
	lang := code.LanguageOf(p)
	if lang == "typescript" || lang == "tsx" {
		lang = code.JavaScript
	}
	for _, re := range forgery[lang] {
		if was, now := len(re.FindAll(before, -1)), re.FindAll(after, -1); len(now) > was {
			return fmt.Sprintf("%s newly uses `%s`, which addresses the test harness", p, strings.TrimSpace(string(now[len(now)-1])))
		}
	}
	return ""
}

// shadows tells whether an added Python file would be imported in place of a
// module of the standard library or of pytest.
// dirs are the folders that stand on the import path.
func shadows(p string, dirs map[string]bool) string {
	dir, name := path.Dir(p), strings.TrimSuffix(path.Base(p), ".py")
	if path.Ext(p) != ".py" {
		return ""
	}
	if name == "__init__" {
		dir, name = path.Dir(dir), path.Base(dir)
	}
	if !dirs[dir] || !pythonStdlib[name] {
		return ""
	}
	return fmt.Sprintf("%s is new and takes the place of the module %q that the test runner uses", p, name)
}

// importDirs are the folders that a Python suite puts on the import path: its
// own, its src, and those of its test files.
func importDirs(t *tree, suites []Suite) map[string]bool {
	out := map[string]bool{".": true, "src": true}
	for _, s := range suites {
		out[s.Dir], out[joinDir(s.Dir, "src")] = true, true
	}
	for _, f := range t.files {
		for d := dirOf(f); pythonCandidate(f) && !out[d]; d = dirOf(d) {
			out[d] = true
			if !t.have[joinDir(d, "__init__.py")] {
				break
			}
		}
	}
	return out
}

// changes lists the files of the copy that differ from the base. It is called
// after restore, so tests are not among them but for new ones.
func changes(b box, base fs.FS) ([]Change, error) {
	now, err := scanAll(b)
	if err != nil {
		return nil, err
	}
	then, err := scanFS(base)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, p := range keys(union(now, then)) {
		var c Change
		if then[p] {
			if c.Before, err = fs.ReadFile(base, p); err != nil {
				return nil, err
			}
		}
		if now[p] {
			if c.After, err = b.ReadFile(p, 64<<20); err != nil {
				continue // a link, or too large to be source
			}
		}
		if then[p] != now[p] || string(c.Before) != string(c.After) {
			c.Path = p
			out = append(out, c)
		}
	}
	return out, nil
}

func union(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}
