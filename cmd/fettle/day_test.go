package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// village is a repository of some fifty files, in the quick form twenty, one of which
// has a fault that mechanical repair does not reach.
func village(t *testing.T) string {
	t.Helper()
	files := weaveFiles()
	houses := 25
	if sandboxtest.Quick() {
		houses = 9
	}
	for n := range houses {
		name := fmt.Sprintf("house%02d", n)
		files[name+".py"] = fmt.Sprintf("\"\"\"House %d.\"\"\"\n\n\ndef beds_%02d(rooms):\n    return rooms * 2 + %d\n", n, n, n)
		files["test_"+name+".py"] = fmt.Sprintf("import unittest\n\nfrom %s import beds_%02d\n\n\nclass House%02d(unittest.TestCase):\n    def test_beds(self):\n        self.assertEqual(beds_%02d(3), %d)\n", name, n, n, n, 6+n)
	}
	files["README.md"] = "# village\n"
	dir := lay(t, files)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "ada"}, {"config", "user.email", "ada@example.com"}, {"add", "."}, {"commit", "-qm", "the village"}} {
		inGit(t, dir, args...)
	}
	return dir
}

func inGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

// S6, S7: a day in a terminal, from a repository that fettle has never seen to the text of
// a pull request.
func TestS7ADayInATerminal(t *testing.T) {
	endToEnd(t)
	right := rightWeave(t)
	double, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: right} }, task.Tier1)
	dir, config := village(t), operator(t, tiers)
	do := func(want int, args ...string) string {
		t.Helper()
		got := call(t, append([]string{"--config", config}, args...)...)
		if got.code != want {
			t.Fatalf("fettle %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), got.code, want, got.out, got.errors)
		}
		return got.out
	}
	holds := func(what, text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not say %q:\n%s", what, w, text)
			}
		}
	}
	weaves := func() string {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(dir, "weave.py"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}

	holds("init", do(0, "init", dir, "--write"), ".fettle.yml")
	inGit(t, dir, "add", ".fettle.yml")
	inGit(t, dir, "commit", "-qm", "chore: fettle's settings")
	holds("check", do(1, "check", dir), "test_takes_turns")

	out := do(0, "fix", "--repo", dir, "--fix-until-green", "--apply")
	holds("fix", out, "weave.py", "tier1")
	if weaves() == weave || len(double.Calls()) == 0 {
		t.Fatalf("nothing was applied, or no model asked:\n%s", out)
	}
	holds("check", do(0, "check", dir), "passed")
	holds("review", do(0, "review", "--repo", dir), "weave.py")
	do(0, "undo", "--repo", dir)
	if weaves() != weave {
		t.Fatalf("undo leaves\n%s", weaves())
	}
	if left := inGit(t, dir, "status", "--porcelain", "--untracked-files=no"); left != "" {
		t.Errorf("undo leaves %s", left)
	}

	out = do(0, "fix", "--repo", dir, weaveTitle+"\n\n"+weaveBody, "--commit", "--branch", "turns")
	holds("fix", out, "turns")
	if weaves() != weave {
		t.Error("with --branch a file of the folder was written")
	}
	inGit(t, dir, "switch", "-q", "turns")
	out = do(0, "pr-ready", "--repo", dir, "--dry-run")
	holds("pr-ready", out, "turns into main", "test_takes_turns", "Ready")
	holds("explain", do(0, "explain", "--repo", dir), "weave.py")
}
