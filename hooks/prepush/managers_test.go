package prepush

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tool is a hook manager of .ci/setup-runners.sh.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../.tools/runners", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not installed: make setup-runners", filepath.Base(name))
	}
	return path
}

// used runs a manager's command in the repository.
func (w *world) used(program string, args ...string) {
	w.t.Helper()
	if out, ok := w.run(w.repo, program, args...); !ok {
		w.t.Fatalf("%s %s: %s", program, args, out)
	}
}

// after is what stands in the log once fettle was asked: the manager's own hook.
func (w *world) after(word string) {
	w.t.Helper()
	w.commit("c" + word)
	out, ok := w.run(w.repo, "git", "push", "origin", "main")
	got := w.log()
	f, m := strings.Index(got, "fettle hooks run"), strings.Index(got, word)
	if !ok || f < 0 || m < f {
		w.t.Errorf("ok %v, noted %q: %s", ok, got, out)
	}
	w.commit("d" + word)
	w.ends(1)
	if out, ok := w.run(w.repo, "git", "push", "origin", "main"); ok || !strings.Contains(w.log(), "fettle") {
		w.t.Errorf("red goes through: %s", out)
	}
	w.ends(0)
	w.log()
}

func (w *world) uninstalled(before string) {
	w.t.Helper()
	if _, err := w.find(w.repo).Uninstall(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	w.same(before, w.print(w.repo+"/.git"))
}

func TestS8BesideHusky(t *testing.T) {
	husky := tool(t, "node_modules/.bin/husky")
	w := newWorld(t)
	w.write(w.repo+"/.husky/pre-push", 0o644, "echo husky >>'"+w.dir+"/log'\n")
	w.used(husky)
	before, theirs := w.print(w.repo+"/.git"), w.print(w.repo+"/.husky")
	w.install()
	w.after("husky")
	w.same(theirs, w.print(w.repo+"/.husky"))
	w.uninstalled(before)
	w.install()
	w.used(husky) // npm install: it takes fettle out
	w.install()
	w.after("husky")
	w.uninstalled(before)
}

func TestS8BesideLefthook(t *testing.T) {
	lefthook := tool(t, "node_modules/.bin/lefthook")
	w := newWorld(t)
	w.write(w.repo+"/lefthook.yml", 0o644, "pre-push:\n  jobs:\n    - run: echo lefthook >>'"+w.dir+"/log'\n")
	w.used(lefthook, "install")
	before := w.print(w.repo + "/.git")
	w.install()
	w.after("lefthook")
	w.uninstalled(before)
	w.install()
	w.used(lefthook, "install", "--force") // it writes its hook anew
	w.install()
	w.after("lefthook")
}

func TestS8BesidePreCommitAlsoAfterItIsInstalledAnew(t *testing.T) {
	precommit := tool(t, "pre-commit/bin/pre-commit")
	w := newWorld(t)
	w.write(w.repo+"/.pre-commit-config.yaml", 0o644, "repos:\n- repo: local\n  hooks:\n  - id: a\n    name: a\n    entry: sh -c 'echo pre-commit >>"+w.dir+"/log'\n    language: system\n    stages: [pre-push]\n    always_run: true\n")
	w.git(w.repo, "add", ".pre-commit-config.yaml")
	w.used(precommit, "install", "-t", "pre-push")
	before := w.print(w.repo + "/.git")
	w.install()
	w.after("pre-commit")
	w.used(precommit, "install", "-t", "pre-push")
	w.after("pre-commit")
	w.uninstalled(before)
}

func TestS8BesideTwoManagers(t *testing.T) {
	precommit, lefthook := tool(t, "pre-commit/bin/pre-commit"), tool(t, "node_modules/.bin/lefthook")
	w := newWorld(t)
	w.write(w.repo+"/lefthook.yml", 0o644, "pre-push:\n  jobs:\n    - run: echo lefthook >>'"+w.dir+"/log'\n")
	w.write(w.repo+"/.pre-commit-config.yaml", 0o644, "repos: []\n")
	w.git(w.repo, "add", ".pre-commit-config.yaml")
	w.used(lefthook, "install")
	w.used(precommit, "install", "-t", "pre-push") // lefthook's goes on as .legacy
	before := w.print(w.repo + "/.git")
	w.install()
	w.after("lefthook")
	w.uninstalled(before)
}
