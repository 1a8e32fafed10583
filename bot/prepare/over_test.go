package prepare

import (
	"io/fs"
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
