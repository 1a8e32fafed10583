package prepush

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// world is a repository with a bare remote, in a home of its own.
type world struct {
	t       *testing.T
	dir     string // holds all of it
	repo    string
	program string // in fettle's place: it notes what it is given, and ends as it is told
	env     []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, repo: filepath.Join(dir, "it's a repo"), program: filepath.Join(dir, "fettle's place", "fettle")}
	w.env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_GLOBAL="+filepath.Join(dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1")
	w.write(filepath.Join(dir, "gitconfig"), 0o644, "[user]\nname = A\nemail = a@localhost\n[init]\ndefaultBranch = main\n[protocol \"file\"]\nallow = always\n")
	w.write(w.program, 0o755, fmt.Sprintf("#!/bin/sh\n{ echo \"fettle $*\"; cat; } >>'%s/log'\nexit $(cat '%s/status')\n", dir, dir))
	w.ends(0)
	w.git(dir, "init", "-q", w.repo)
	w.git(dir, "init", "-q", "--bare", filepath.Join(dir, "remote.git"))
	w.git(w.repo, "config", "user.name", "A") // for what is not run in w.env
	w.git(w.repo, "config", "user.email", "a@localhost")
	w.git(w.repo, "remote", "add", "origin", filepath.Join(dir, "remote.git"))
	w.commit("a")
	return w
}

// ends sets the exit status of the program in fettle's place.
func (w *world) ends(status int) { w.write(filepath.Join(w.dir, "status"), 0o644, fmt.Sprint(status)) }

func (w *world) write(path string, mode fs.FileMode, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		w.t.Fatal(err)
	}
}

// run runs a program; its output comes out, and whether it ended with 0.
func (w *world) run(dir, name string, args ...string) (string, bool) {
	w.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	out, ok := w.run(dir, "git", args...)
	if !ok {
		w.t.Fatalf("git %s: %s", args, out)
	}
	return strings.TrimSpace(out)
}

// commit makes a commit, at the first time with a file of that name, and gives its hash.
func (w *world) commit(name string) string {
	w.t.Helper()
	w.write(filepath.Join(w.repo, name), 0o644, name+"\n")
	w.git(w.repo, "add", name)
	w.git(w.repo, "commit", "-q", "--allow-empty", "-m", name)
	return w.git(w.repo, "rev-parse", "HEAD")
}

// log is what the hooks noted since the last call.
func (w *world) log() string {
	data, _ := os.ReadFile(filepath.Join(w.dir, "log"))
	_ = os.Remove(filepath.Join(w.dir, "log"))
	return string(data)
}

// noting is a shell command by which a hook notes a word and what it is given.
func (w *world) noting(word string) string {
	return fmt.Sprintf("{ echo \"%s $0 $*\"; cat; } >>'%s/log'\n", word, w.dir)
}

func (w *world) find(dir string) *Repo {
	w.t.Helper()
	r, err := Find(context.Background(), dir)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) install() []string {
	w.t.Helper()
	said, err := w.find(w.repo).Install(context.Background(), w.program)
	if err != nil {
		w.t.Fatal(err)
	}
	return said
}

// print is each file of a folder but for objects and what a push or a commit
// writes: name, mode, link or bytes.
func (w *world) print(dir string) string {
	w.t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "objects" || d.Name() == "logs" || d.Name() == "refs"):
			return filepath.SkipDir
		case d.Name() == "index" || strings.HasSuffix(rel, "_HEAD") || d.Name() == "COMMIT_EDITMSG" || rel == "b":
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		if link, err := os.Readlink(p); err == nil {
			content = link
		} else if data, err := os.ReadFile(p); err == nil {
			content = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		fmt.Fprintf(&b, "%s %s %s\n", rel, info.Mode(), content)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// same fails where two prints differ, and says in which lines.
func (w *world) same(before, after string) {
	w.t.Helper()
	if before == after {
		return
	}
	for _, side := range []struct{ name, in, other string }{{"gone", before, after}, {"new", after, before}} {
		for line := range strings.Lines(side.in) {
			if !strings.Contains(side.other, line) {
				w.t.Errorf("%s after uninstall: %s", side.name, line)
			}
		}
	}
}
