package verify

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

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

// javaRunner are the packages of test runners and assertions. Classes of the tree come
// before those of what it depends on, whatever folder their source lies in.
var javaRunner = lazyregexp.New(`(?m)^\s*package\s+((?:org\.(?:junit|testng|hamcrest|assertj|opentest4j|apiguardian|apache\.maven|gradle|mockito)|junit|com\.google\.common\.truth|worker\.org\.gradle)(?:\.\w+)*)`)

// javaShadows says that a change puts a class into such a package, or "".
func javaShadows(f Change) string {
	m := javaRunner.FindSubmatch(f.After)
	if m == nil || code.LanguageOf(f.Path) != code.Java || javaRunner.Match(f.Before) {
		return ""
	}
	return fmt.Sprintf("%s takes the place of a class of the package %q that the tests use", f.Path, m[1])
}

// importDirs are the folders that a Python suite puts on the import path: its
// own, its src, and those of its test files.
func importDirs(t *detect.Tree, suites []Suite) map[string]bool {
	out := map[string]bool{".": true, "src": true}
	for _, s := range suites {
		out[s.Dir], out[joinDir(s.Dir, "src")] = true, true
	}
	for _, f := range t.Files {
		for d := path.Dir(f); detect.PythonTest(f) && !out[d]; d = path.Dir(d) {
			out[d] = true
			if !t.Has(joinDir(d, "__init__.py")) {
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
	for _, p := range keys(reach.Union(now, then)) {
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
