package prepare

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestC1WhereAnInstallationRunsTheTreeEveryFileIsInTheKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := func(files fstest.MapFS) string {
		t.Helper()
		k, err := w.key(w.box, Request{Repo: "a", Tree: files, Commands: []string{"install"}})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), Mode: 0o644} }
	for name, c := range map[string]struct {
		path, text string
		runs       bool
	}{
		"no script":          {"package.json", `{"scripts":{"test":"x"}}`, false},
		"postinstall":        {"package.json", `{"scripts":{"postinstall":"node tools/x.js"}}`, true},
		"prepare, workspace": {"pkg/a/package.json", `{"scripts":{"prepare":"node x"}}`, true},
		"no JSON":            {"package.json", `{`, true},
		"setup.py":           {"setup.py", "", true},
		"build.rs":           {"crate/build.rs", "", true},
	} {
		base := fstest.MapFS{c.path: file(c.text), "tools/x.js": file("one")}
		was := key(base)
		if key(base) != was {
			t.Errorf("%s: not the same key again", name)
		}
		for what, f := range map[string]*fstest.MapFile{"content": file("two"), "mode": {Data: []byte("one"), Mode: 0o755}, "link": {Data: []byte("y.js"), Mode: 0o777 | fs.ModeSymlink}} {
			if other := key(fstest.MapFS{c.path: file(c.text), "tools/x.js": f}); (other != was) != c.runs {
				t.Errorf("%s: another %s of a script, another key: %v", name, what, !c.runs)
			}
		}
		if vendored := key(fstest.MapFS{c.path: file(c.text), "tools/x.js": file("one"), "vendor/x.js": file("x")}); (vendored != was) != c.runs {
			t.Errorf("%s: a vendored file, another key: %v", name, !c.runs)
		}
		if key(fstest.MapFS{c.path: file(c.text), "tools/x.js": file("one"), "node_modules/x.js": file("x")}) != was {
			t.Errorf("%s: what is installed changes the key", name)
		}
	}
}
