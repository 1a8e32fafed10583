package prepare

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"
)

// poison writes wherever a script can.
const poison = `
mkdir -p ~/.cache/poison ~/go/pkg/mod/cache/download ~/.local/bin ~/.local/lib/python3.11/site-packages node_modules /tmp/poison /out/poison
for d in "$HOME" ~/.cache/poison ~/go/pkg/mod ~/.local/bin ~/.local/lib/python3.11/site-packages node_modules . /tmp /tmp/poison /cache /cache/go-build /out /out/poison /work /run /run/fettle /var /usr/local/bin /etc; do
  echo POISON > "$d/poison.txt" 2>/dev/null
done
echo 'echo POISON' > ~/.bashrc; cp ~/.bashrc ~/.profile; printf '[user]\nname = POISON\n' > ~/.gitconfig; echo 'registry=http://POISON' > ~/.npmrc
echo 'print("POISON")' > ~/.local/lib/python3.11/site-packages/poison.pth
go env -w GOFLAGS=-POISON 2>/dev/null
true`

// look searches everything that a check can read.
const look = `cat main.txt 2>/dev/null; env | grep POISON; grep -rls POISON /work /tmp /cache /out /run /var /etc 2>/dev/null | sort; go env GOFLAGS 2>/dev/null; true`

func TestX1WhatOneRepositorysSetupLeavesReachesNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	locked := func(lock, script string) Request {
		return w.tree(map[string]string{"main.txt": "own\n", "requirements.txt": lock, "package-lock.json": "{}"}, script)
	}
	a := w.prepare(locked("one\n", poison))
	if a.res.State != Done {
		t.Fatalf("%+v", a.res)
	}
	if out, _ := a.run(look); !strings.Contains(out, "/tmp/home/.npmrc") || !strings.Contains(out, "/work/node_modules/poison.txt") {
		t.Fatalf("the poison is not even in its own layer, so this proves nothing:\n%s", out)
	}
	clean := func(name string, p *prepared) {
		t.Helper()
		if out, _ := p.run(look); strings.Contains(out, "POISON") || strings.Contains(out, "poison") || !strings.HasPrefix(out, "own\n") {
			t.Errorf("%s sees\n%s", name, out)
		}
	}
	nothing := w.prepare(Request{Dir: locked("one\n", "true").Dir})
	clean("a run without a setup", nothing)
	for name, change := range map[string]func(*Request){
		"another repository":        func(r *Request) { r.Repo = "owner/b" },
		"another installation":      func(r *Request) { r.Installation = 2 },
		"other commands":            func(r *Request) { r.Commands = []string{"true"} },
		"other lock files":          func(r *Request) { *r = locked("two\n", r.Commands[0]) },
		"other lock files, as a PR": func(r *Request) { *r = locked("three\n", r.Commands[0]); r.Default = false },
	} {
		req := locked("one\n", poison)
		change(&req)
		mine := w.prepare(req)
		if mine.res.State == Cached {
			t.Errorf("%s shares the layer", name)
		}
		if mine.res.Key == a.res.Key {
			t.Errorf("%s has the same key", name)
		}
		if req.Commands[0] == "true" {
			clean(name, mine)
		}
	}
	harmless := locked("four\n", "mkdir node_modules; echo fine > node_modules/x")
	b := w.prepare(harmless)
	clean("a repository with a setup of its own", b)
	if out, _ := b.run("cat node_modules/x"); out != "fine\n" {
		t.Errorf("got %q", out)
	}
}

func TestC1OnlyTheDefaultBranchWritesTheCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := w.tree(map[string]string{"requirements.txt": "x"}, "mkdir gen; echo from-pr > gen/x")
	req.Default = false
	pr := w.prepare(req)
	if pr.res.State != Done || pr.res.Kept || len(w.entries(layersDir)) != 0 || len(w.entries(tmpDir)) != 1 {
		t.Fatalf("%+v, layers %v, for this run %v", pr.res, w.entries(layersDir), w.entries(tmpDir))
	}
	if out, _ := pr.run("cat gen/x"); out != "from-pr\n" {
		t.Errorf("its own run sees %q", out)
	}
	pr.end()
	if left := w.entries(tmpDir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	req.Default = true
	if p := w.prepare(req); p.res.State != Done || !p.res.Kept {
		t.Errorf("the default branch after it: %+v", p.res)
	}
	req.Default = false
	if p := w.prepare(req); p.res.State != Cached {
		t.Errorf("a pull request with the same lock files: %+v", p.res)
	}
}

func TestC1TwoRunsAtOnceInstallOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.needs("go")
	req := w.tree(goRepo, "go mod download")
	states := make([]Result, 4)
	var all sync.WaitGroup
	for i := range states {
		all.Go(func() {
			box := w.box.Session()
			s := w.For(box)
			res, err := s.Prepare(context.Background(), req)
			if err != nil {
				t.Error(err)
			}
			states[i] = res
			_ = box.Close()
			_ = s.Close()
		})
	}
	all.Wait()
	done := 0
	for _, r := range states {
		if r.State == Done {
			done++
		} else if r.State != Cached {
			t.Errorf("%+v", r)
		}
	}
	if done != 1 || len(w.entries(layersDir)) != 1 {
		t.Errorf("%d installed, layers %v", done, w.entries(layersDir))
	}
}

func TestC1ADamagedLayerIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := w.tree(map[string]string{"requirements.txt": "x"}, "mkdir gen; echo whole > gen/x")
	for name, damage := range map[string]func(dir string) error{
		"a shorter file":    func(dir string) error { return os.Truncate(filepath.Join(dir, dataName, "p0/x"), 1) },
		"a missing file":    func(dir string) error { return os.Remove(filepath.Join(dir, dataName, "p0/x")) },
		"half a list":       func(dir string) error { return os.Truncate(filepath.Join(dir, layerName), 20) },
		"no list":           func(dir string) error { return os.Remove(filepath.Join(dir, layerName)) },
		"no lock":           func(dir string) error { return os.RemoveAll(filepath.Join(dir, dataName)) },
		"a part elsewhere":  func(dir string) error { return edit(filepath.Join(dir, layerName), "/work/gen", "/etc/gen") },
		"a part with a way": func(dir string) error { return edit(filepath.Join(dir, layerName), `"p0"`, `"../p0"`) },
	} {
		first := w.prepare(req)
		first.end()
		if err := damage(filepath.Join(w.cfg.Dir, layersDir, first.res.Key)); err != nil {
			t.Fatal(err)
		}
		again := w.prepare(req)
		if out, _ := again.run("cat gen/x"); again.res.State != Done || out != "whole\n" {
			t.Errorf("%s: %+v %q", name, again.res, out)
		}
		again.end()
		if p := w.prepare(req); p.res.State != Cached {
			t.Errorf("%s, after it: %+v", name, p.res)
		} else {
			p.end()
		}
	}
	if left := w.entries(tmpDir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// A process that is being started holds the lock's file until it calls exec.
func TestC1ALockIsGivenBackWhileAProcessStarts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), lockName)
	one, err := openLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if !one.try(syscall.LOCK_SH) {
		t.Fatal("a new file is locked")
	}
	child, err := syscall.Dup(int(one.f.Fd())) // what fork gives a child
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	one.close()
	two, err := openLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer two.close()
	if !two.try(syscall.LOCK_EX) {
		t.Error("the lock is still held after it was given back")
	}
}

func edit(file, from, to string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.ReplaceAll(string(raw), from, to)), 0o600)
}

func TestC1TheLeastRecentlyUsedLayersGoFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := newWorld(t, func(c *Config) {
		c.MaxBytes = 2500 << 10
		c.Now = func() time.Time { now = now.Add(time.Second); return now }
	})
	req := func(lock string) Request {
		return w.tree(map[string]string{"requirements.txt": lock}, "mkdir gen; head -c 1048576 /dev/zero > gen/x")
	}
	one := w.prepare(req("1"))
	one.end()
	two := w.prepare(req("2"))
	two.end()
	used := w.prepare(req("1")) // now two is the oldest
	three := w.prepare(req("3"))
	got := w.entries(layersDir)
	if len(got) != 2 || slices.Contains(got, two.res.Key) || !slices.Contains(got, used.res.Key) || !slices.Contains(got, three.res.Key) {
		t.Errorf("kept %v of 1 %s 2 %s 3 %s", got, one.res.Key, two.res.Key, three.res.Key)
	}
	w.prepare(req("4")) // all others are in use
	if out, _ := used.run("stat -c %s gen/x"); out != "1048576\n" {
		t.Errorf("a layer in use was thrown out: %q", out)
	}
	if n := len(w.entries(layersDir)); n != 3 {
		t.Errorf("%d layers", n)
	}
	big := w.tree(map[string]string{"requirements.txt": "5"}, "mkdir gen; head -c 4194304 /dev/zero > gen/x")
	if p := w.prepare(big); p.res.State != Done || p.res.Kept || len(p.res.Notes) != 1 {
		t.Errorf("%+v", p.res)
	}
}

func TestC1WhatADeadProcessLeftIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	left := filepath.Join(w.cfg.Dir, tmpDir, "left")
	if err := os.MkdirAll(filepath.Join(left, dataName, "p0"), 0o700); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(left, long, long); err != nil {
		t.Fatal(err)
	}
	busy, err := w.begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(busy.dir, long, long); err != nil {
		t.Fatal(err)
	}
	w.prepare(w.tree(map[string]string{"requirements.txt": "x"}, "true")).end()
	if got := w.entries(tmpDir); len(got) != 1 || got[0] != filepath.Base(busy.dir) {
		t.Errorf("left %v, want %s alone", got, filepath.Base(busy.dir))
	}
	if err := busy.release(); err != nil || len(w.entries(tmpDir)) != 0 {
		t.Errorf("%v %v", err, w.entries(tmpDir))
	}
}

func TestC1TheKeyFollowsWhatIsInstalledAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := map[string]string{"package-lock.json": "1", "web/package.json": "{}", "requirements/dev.txt": "1", "scripts/setup.sh": "1", "Makefile": "1", "src/main.py": "1", "README.md": "1"}
	key := func(files map[string]string, change func(*Request)) string {
		tree := fstest.MapFS{}
		for name, text := range files {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
		req := Request{Installation: 1, Repo: "o/r", Tree: tree, Commands: []string{"sh ./scripts/setup.sh", "make deps"}}
		if change != nil {
			change(&req)
		}
		k, err := w.key(w.box, req)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	same := key(base, nil)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names(base)).Draw(t, "name")
		files := maps.Clone(base)
		files[name] = rapid.StringN(0, 9, -1).Draw(t, "text")
		matters := files[name] != base[name] && name != "src/main.py" && name != "README.md"
		if got := key(files, nil) != same; got != matters {
			t.Fatalf("%s = %q: the key differs: %v", name, files[name], got)
		}
	})
	for name, change := range map[string]func(*Request){
		"installation": func(r *Request) { r.Installation = 11 }, "repository": func(r *Request) { r.Repo = "o/rr" },
		"command": func(r *Request) { r.Commands[1] = "make all" }, "order": func(r *Request) { slices.Reverse(r.Commands) },
		"split": func(r *Request) { r.Commands = []string{strings.Join(r.Commands, "\n")} },
	} {
		if key(base, change) == same {
			t.Errorf("another %s has the same key", name)
		}
	}
	w.cfg.Env["PIP_INDEX_URL"] = "http://other.test"
	if key(base, nil) == same {
		t.Error("another index has the same key")
	}
}

func TestC2AnObviousNeedIsSeen(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]bool{
		"package.json package-lock.json": true, "package.json package-lock.json node_modules/x/index.js": false, "package.json": false, "web/pnpm-lock.yaml": true,
		"web/pnpm-lock.yaml node_modules/a": false, "requirements.txt a.py": true, "requirements.txt .venv/pyvenv.cfg": false, "uv.lock": true, "testdata/x/go.sum": false, "go.sum": true, "main.go": false,
	} {
		tree := fstest.MapFS{}
		for _, name := range strings.Fields(list) {
			tree[name] = &fstest.MapFile{}
		}
		if Pinned(tree) != want {
			t.Errorf("%s: %v", list, !want)
		}
		if installed := strings.Contains(list, "node_modules") || strings.Contains(list, ".venv"); Installed(tree) != installed {
			t.Errorf("%s: installed %v", list, !installed)
		}
	}
}

func TestC1ALocalFolderIsKeptOnItsDefaultBranchOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head, remote string
		want         bool
	}{
		"main": {"ref: refs/heads/main\n", "", true}, "master": {"ref: refs/heads/master\n", "", true}, "feature": {"ref: refs/heads/feature\n", "", false}, "detached": {"0123456789abcdef\n", "", false},
		"trunk": {"ref: refs/heads/trunk\n", "ref: refs/remotes/origin/trunk\n", true}, "main beside trunk": {"ref: refs/heads/main\n", "ref: refs/remotes/origin/trunk\n", false},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"HEAD": c.head, "refs/remotes/origin/HEAD": c.remote} {
			at := filepath.Join(dir, ".git", file)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		below := filepath.Join(dir, "a/b")
		if err := os.MkdirAll(below, 0o755); err != nil {
			t.Fatal(err)
		}
		if DefaultBranch(dir) != c.want || DefaultBranch(below) != c.want {
			t.Errorf("%s: not %v", name, c.want)
		}
	}
}
