package checkout

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// git runs the host's git as a user would, to make fixtures.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t testing.TB, dir, name, text string, mode fs.FileMode) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// odd are files whose names and bytes are easily spoiled.
var odd = map[string]string{
	"plain.py":             "def f():\n    return 1\n",
	"crlf.txt":             "a\r\nb\r\n",
	"no-newline":           "x",
	"empty":                "",
	"dir/with space.txt":   "s\n",
	"new\nline":            "n\n",
	"quote\"back\\slash":   "q\n",
	"latin-\xe9.txt":       "caf\xe9\n",
	"ünïcode.txt":          "ü\n",
	"binary.bin":           "\x00\x01\x02",
	"-option":              "o\n",
	"deep/er/and/deeper/f": "d\n",
	".gitattributes":       "*.txt text eol=crlf filter=evil\n*.py ident\n",
}

// fixture makes a working copy with one commit on main.
func fixture(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for name, text := range odd {
		write(t, dir, name, text, 0o644)
	}
	write(t, dir, "run.sh", "#!/bin/sh\n", 0o755)
	for link, target := range map[string]string{"link": "plain.py", "outside": "/etc/passwd", "dangling": "../../nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	attributes := filepath.Join(dir, ".gitattributes") // would change the bytes that add takes
	if err := os.Remove(attributes); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "--all")
	write(t, dir, ".gitattributes", odd[".gitattributes"], 0o644)
	git(t, dir, "add", ".gitattributes")
	git(t, dir, "commit", "-q", "-m", "one")
	return dir
}

// bare clones a working copy into a bare repository that can be pushed to.
func bare(t testing.TB, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r.git")
	git(t, "/", "clone", "-q", "--bare", from, dir)
	return dir
}

func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := New(Config{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func repoAt(address string) task.Repo {
	return task.Repo{Installation: 1, Owner: "o", Name: "r", CloneURL: address, DefaultBranch: "main"}
}

func open(t testing.TB, s *Store, address string) *Tree {
	t.Helper()
	tree, err := s.Open(context.Background(), repoAt(address), "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

// picture describes every file below a folder: kind, mode and content.
func picture(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			out[rel] = "-> " + target
			return err
		}
		if !info.Mode().IsRegular() {
			out[rel] = info.Mode().String()
			return nil
		}
		data, err := os.ReadFile(p)
		out[rel] = fmt.Sprintf("%o %s", info.Mode().Perm(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %q is %.80q, want %.80q", what, name, got[name], text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %q is too much", what, name)
		}
	}
}

func without(p map[string]string, prefix string) map[string]string {
	out := map[string]string{}
	for name, text := range p {
		if !strings.HasPrefix(name, prefix) {
			out[name] = text
		}
	}
	return out
}

// server is a Git server over HTTP that wants a token.
type server struct {
	*httptest.Server
	token   string
	seen    atomic.Int64 // requests that carried the token
	onReply func(w http.ResponseWriter, r *http.Request, serve http.Handler)
}

func serve(t testing.TB, repo string) *server {
	t.Helper()
	git(t, repo, "config", "http.receivepack", "true")
	gitPath, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{token: "canary-" + rand.Text()}
	backend := &cgi.Handler{Path: gitPath, Args: []string{"http-backend"}, InheritEnv: []string{"PATH"},
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(repo), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=x", "GIT_CONFIG_GLOBAL=/dev/null"}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		if !ok || user != "x-access-token" || password != s.token {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		s.seen.Add(1)
		if s.onReply != nil {
			s.onReply(w, r, backend)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) auth(context.Context) (string, error) { return s.token, nil }

func (s *server) repo(dir string) task.Repo { return repoAt(s.URL + "/" + filepath.Base(dir)) }
