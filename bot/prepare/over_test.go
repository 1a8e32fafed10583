package prepare

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestC2ATreeIsSeenWithWhatTheSetupAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := w.tree(map[string]string{"package-lock.json": "{}", "web/a.js": "a"}, "mkdir -p node_modules/.bin web/gen; echo x > node_modules/.bin/tool; echo y > web/gen/f; ln -s / node_modules/out; ln -s /usr node_modules/usr")
	box := w.box.Session()
	t.Cleanup(func() { _ = box.Close() })
	s := w.For(box)
	t.Cleanup(func() { _ = s.Close() })
	if s.Over(req.Tree) != req.Tree {
		t.Error("without a setup it is another tree")
	}
	if res, err := s.Prepare(t.Context(), req); err != nil || res.State != Done {
		t.Fatalf("%+v %v", res, err)
	}
	tree := s.Over(req.Tree)
	var seen []string
	if err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		seen = append(seen, p)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, " "); got != ". node_modules node_modules/.bin node_modules/.bin/tool node_modules/.cache node_modules/.vite node_modules/.vite-temp node_modules/usr package-lock.json web web/a.js web/gen web/gen/f" {
		t.Errorf("got %s", got)
	}
	if raw, err := fs.ReadFile(tree, "web/gen/f"); err != nil || string(raw) != "y\n" {
		t.Errorf("%q %v", raw, err)
	}
	if _, err := fs.ReadDir(tree, "node_modules/usr"); err == nil {
		t.Error("a link led out of what was installed")
	}
}

func TestC1WhatAFolderHasInstalledIsShownAndFoundAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := t.TempDir()
	lay := func(name, text string) {
		t.Helper()
		at := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	lay("node_modules/dep/index.js", "one\n")
	lay("node_modules/.npmrc", "//registry.example.com/:_authToken=x\n")
	if err := os.Symlink("/root/secret", filepath.Join(folder, "node_modules/dep/elsewhere")); err != nil {
		t.Fatal(err)
	}
	req := w.tree(map[string]string{"package-lock.json": "{}\n"})
	req.Folder, req.Installed = folder, []string{"node_modules"}
	look := func(want string, layers int) {
		t.Helper()
		p := w.prepare(req)
		defer p.end()
		if got, _ := p.run("cat node_modules/dep/index.js; test -L node_modules/dep/elsewhere && echo link; cat node_modules/.npmrc && echo link; echo x > node_modules/dep/index.js || echo held"); p.res.State != There || !strings.HasPrefix(got, want) || strings.Contains(got, "link") || !strings.Contains(got, "held") {
			t.Errorf("%+v\n%s", p.res, got)
		}
		if got := w.entries(layersDir); len(got) != layers {
			t.Errorf("%d copies are kept, not %d", len(got), layers)
		}
	}
	look("one\n", 1)
	look("one\n", 1)
	lay("node_modules/dep/index.js", "another\n")
	look("another\n", 2)
	if raw, err := os.ReadFile(filepath.Join(folder, "node_modules/dep/index.js")); err != nil || string(raw) != "another\n" {
		t.Errorf("the folder was changed: %q %v", raw, err)
	}
}
