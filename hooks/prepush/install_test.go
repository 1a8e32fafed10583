package prepush

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestS8HooksThatAreThereGoOnAndComeBack: in each of these repositories fettle is
// asked first and the own hook runs after it with the same arguments and lines; red
// stops both; and after uninstall every byte, mode and link is as before.
func TestS8HooksThatAreThereGoOnAndComeBack(t *testing.T) {
	for name, c := range map[string]struct {
		lay func(w *world, hooks string)
		own bool // a hook of the person's own notes "own"
	}{
		"no hook":            {func(*world, string) {}, false},
		"no folder of hooks": {func(w *world, hooks string) { _ = os.RemoveAll(hooks) }, false},
		"a shell script":     {func(w *world, hooks string) { w.write(hooks+"/pre-push", 0o755, "#!/bin/sh -eu\n"+w.noting("own")) }, true},
		"bash, private": {func(w *world, hooks string) {
			w.write(hooks+"/pre-push", 0o700, "#!/usr/bin/env bash\n"+w.noting("own"))
		}, true},
		"no newline at its end": {func(w *world, hooks string) {
			w.write(hooks+"/pre-push", 0o755, "#!/bin/sh\n"+strings.TrimSpace(w.noting("own")))
		}, true},
		"Python": {func(w *world, hooks string) {
			w.write(hooks+"/pre-push", 0o755, "#!/usr/bin/env python3\nimport sys\nopen('"+w.dir+"/log', 'a').write('own x ' + ' '.join(sys.argv[1:]) + '\\n' + sys.stdin.read())\n")
		}, true},
		"a link": {func(w *world, hooks string) {
			w.write(filepath.Join(w.repo, "scripts/push"), 0o755, "#!/bin/sh\n"+w.noting("own"))
			_ = os.Symlink("../../scripts/push", hooks+"/pre-push")
		}, true},
		"a link to nothing":  {func(w *world, hooks string) { _ = os.Symlink("nowhere", hooks+"/pre-push") }, false},
		"one that is off":    {func(w *world, hooks string) { w.write(hooks+"/pre-push", 0o644, "#!/bin/sh\n"+w.noting("own")) }, false},
		"without first line": {func(w *world, hooks string) { w.write(hooks+"/pre-push", 0o755, w.noting("own")) }, true},
		"a folder of its own": {func(w *world, hooks string) {
			w.write(filepath.Join(w.repo, ".githooks/pre-push"), 0o755, "#!/bin/sh\n"+w.noting("own"))
			w.git(w.repo, "config", "core.hooksPath", ".githooks")
		}, true},
		"a folder outside, by a handwritten line": {func(w *world, hooks string) {
			w.write(w.dir+"/all hooks/pre-push", 0o755, "#!/bin/sh\n"+w.noting("own"))
			config, _ := os.ReadFile(w.repo + "/.git/config")
			w.write(w.repo+"/.git/config", 0o640, string(config)+"[core]  ; mine\n  HooksPath=\""+w.dir+"/all hooks\" # all\n")
		}, true},
		"a folder for all repositories": {func(w *world, hooks string) {
			w.write(w.dir+"/all/pre-push", 0o755, "#!/bin/sh\n"+w.noting("own"))
			w.git(w.repo, "config", "core.hooksPath", w.dir+"/all")
		}, true},
		"a folder that is not there": {func(w *world, hooks string) { w.git(w.repo, "config", "core.hooksPath", "/nowhere/hooks") }, false},
		"core.hooksPath on .git/hooks": {func(w *world, hooks string) {
			w.write(hooks+"/pre-push", 0o755, "#!/bin/sh\n"+w.noting("own"))
			w.git(w.repo, "config", "core.hooksPath", ".git/hooks")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.lay(w, filepath.Join(w.repo, ".git/hooks"))
			before := w.print(w.repo)
			outside := w.print(w.dir + "/gitconfig")
			w.install()
			w.install() // once more changes nothing
			w.checkChain(c.own)
			if _, err := w.find(w.repo).Uninstall(context.Background()); err != nil {
				t.Fatal(err)
			}
			w.same(before, w.print(w.repo))
			w.same(outside, w.print(w.dir+"/gitconfig"))
			w.commit("later")
			if out, ok := w.run(w.repo, "git", "push", "origin", "main"); !ok || strings.Contains(w.log(), "fettle") {
				t.Errorf("a push after uninstall: %s", out)
			}
			if said, err := w.find(w.repo).Uninstall(context.Background()); err != nil || len(said) > 0 {
				t.Errorf("uninstalled twice: %v %v", said, err)
			}
		})
	}
}

// checkChain pushes red and then green.
func (w *world) checkChain(own bool) {
	t := w.t
	t.Helper()
	tip := w.commit("b")
	line := "refs/heads/main " + tip + " refs/heads/main 0000000000000000000000000000000000000000\n"
	w.ends(1)
	out, ok := w.run(w.repo, "git", "push", "origin", "main")
	if got := w.log(); ok || got != "fettle hooks run -- origin "+w.dir+"/remote.git\n"+line {
		t.Errorf("red: ok %v, %s, noted %q", ok, out, got)
	}
	w.ends(0)
	out, ok = w.run(w.repo, "git", "push", "origin", "main")
	got := w.log()
	first, rest, _ := strings.Cut(got, line)
	if !ok || first != "fettle hooks run -- origin "+w.dir+"/remote.git\n" {
		t.Errorf("green: ok %v, %s, noted %q", ok, out, got)
	}
	if own != (strings.HasPrefix(rest, "own ") && strings.HasSuffix(rest, "origin "+w.dir+"/remote.git\n"+line)) || !own && rest != "" {
		t.Errorf("the own hook, expected %v, noted %q", own, rest)
	}
	if out, ok := w.run(w.repo, "git", "push", "origin", "main"); !ok { // up to date: no lines
		t.Error(out)
	}
	w.log()
}

func TestS8TheOtherHooksOfAFolderGoOn(t *testing.T) {
	w := newWorld(t)
	w.write(w.repo+"/.githooks/pre-commit", 0o755, "#!/bin/sh\necho commit >>'"+w.dir+"/log'\n")
	w.git(w.repo, "config", "core.hooksPath", ".githooks")
	w.install()
	w.write(w.repo+"/.githooks/commit-msg", 0o755, "#!/bin/sh\necho \"message $1\" >>'"+w.dir+"/log'\n") // added later
	w.commit("b")
	if got := w.log(); got != "commit\nmessage .git/COMMIT_EDITMSG\n" {
		t.Errorf("noted %q", got)
	}
}

func TestS8AProgramThatIsGoneStopsNoPush(t *testing.T) {
	w := newWorld(t)
	w.install()
	if err := os.Remove(w.program); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "PATH=/usr/bin:/bin")
	if out, ok := w.run(w.repo, "git", "push", "origin", "main"); !ok || !strings.Contains(out, "this push is not checked") || !strings.Contains(out, w.program) {
		t.Error(out)
	}
}

func TestS8WhatThePersonWroteIntoTheHookStays(t *testing.T) {
	w := newWorld(t)
	w.install()
	hook := filepath.Join(w.repo, ".git/hooks/pre-push")
	text, err := os.ReadFile(hook)
	if err != nil {
		t.Fatal(err)
	}
	w.write(hook, 0o755, string(text)+w.noting("own"))
	w.checkChain(true)
	if _, err := w.find(w.repo).Uninstall(context.Background()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(hook); err != nil || string(text) != "#!/bin/sh\n"+w.noting("own") {
		t.Errorf("%q %v", text, err)
	}
}

func TestS8AConfigurationThatWasChangedMeanwhileKeepsTheChange(t *testing.T) {
	w := newWorld(t)
	w.git(w.repo, "config", "core.hooksPath", ".githooks")
	w.install()
	w.git(w.repo, "config", "branch.main.remote", "origin")
	if _, err := w.find(w.repo).Uninstall(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := w.git(w.repo, "config", "core.hooksPath") + " " + w.git(w.repo, "config", "branch.main.remote"); got != ".githooks origin" {
		t.Error(got)
	}
}

func TestS8WorktreesSubmodulesAndBareRepositories(t *testing.T) {
	w := newWorld(t)
	w.git(w.repo, "push", "-q", "origin", "main")
	t.Run("a worktree uses the repository's hooks", func(t *testing.T) {
		w.git(w.repo, "worktree", "add", "-q", w.dir+"/tree")
		if _, err := w.find(w.dir+"/tree").Install(context.Background(), w.program); err != nil {
			t.Fatal(err)
		}
		w.write(w.dir+"/tree/b", 0o644, "b")
		w.git(w.dir+"/tree", "add", "b")
		w.git(w.dir+"/tree", "commit", "-qm", "b")
		if out, ok := w.run(w.dir+"/tree", "git", "push", "origin", "HEAD:refs/heads/tree"); !ok || !strings.Contains(w.log(), "fettle") {
			t.Error(out)
		}
		if _, err := os.Stat(w.repo + "/.git/hooks/pre-push"); err != nil {
			t.Error(err)
		}
	})
	t.Run("a submodule has its own", func(t *testing.T) {
		w.git(w.dir, "init", "-q", w.dir+"/super")
		w.git(w.dir+"/super", "submodule", "--quiet", "add", w.dir+"/remote.git", "sub")
		before := w.print(w.dir + "/super/.git")
		r := w.find(w.dir + "/super/sub")
		if _, err := r.Install(context.Background(), w.program); err != nil {
			t.Fatal(err)
		}
		if out, ok := w.run(w.dir+"/super/sub", "git", "push", "origin", "HEAD:refs/heads/sub"); !ok || !strings.Contains(w.log(), "fettle") {
			t.Error(out)
		}
		if _, err := r.Uninstall(context.Background()); err != nil {
			t.Fatal(err)
		}
		w.same(before, w.print(w.dir+"/super/.git"))
	})
	t.Run("a bare one is told what its hook is for", func(t *testing.T) {
		w.git(w.dir, "clone", "-q", "--bare", w.dir+"/remote.git", w.dir+"/bare.git")
		said, err := w.find(w.dir+"/bare.git").Install(context.Background(), w.program)
		if err != nil || !strings.Contains(strings.Join(said, "\n"), "not when somebody pushes to it") {
			t.Fatal(said, err)
		}
		if out, ok := w.run(w.dir+"/bare.git", "git", "push", "origin", "main:refs/heads/bare"); !ok || !strings.Contains(w.log(), "fettle") {
			t.Error(out)
		}
	})
	t.Run("no repository", func(t *testing.T) {
		for _, dir := range []string{w.dir, w.repo + "/.git"} {
			if _, err := Find(context.Background(), dir); err == nil || !strings.Contains(err.Error(), ErrNoRepo.Error()) {
				t.Errorf("%s: %v", dir, err)
			}
		}
	})
}
