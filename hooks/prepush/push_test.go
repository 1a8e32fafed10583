package prepush

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestS8GitsLinesAreReadFromTheirEnd(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 40), strings.Repeat("0", 64)
	got, err := Updates(strings.NewReader("HEAD^{/a word} " + a + " refs/heads/x " + b + "\n\n(delete) " + b + " refs/heads/y " + a))
	if want := []Update{{"HEAD^{/a word}", a, "refs/heads/x", b}, {"(delete)", b, "refs/heads/y", a}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range []string{"x", "a b c d", a + " refs/heads/x " + b, "x " + a + " refs/heads/x " + a[1:]} {
		if got, err := Updates(strings.NewReader(bad)); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
}

// TestS8WhatIsNewIsWhatTheRemoteLacks draws histories and asks which base a push
// rests on.
func TestS8WhatIsNewIsWhatTheRemoteLacks(t *testing.T) {
	w := newWorld(t)
	a := w.git(w.repo, "rev-parse", "HEAD")
	b := w.commit("b")
	w.git(w.repo, "push", "-q", "origin", "main")
	c := w.commit("c")
	w.git(w.repo, "checkout", "-q", "-b", "side", a)
	d := w.commit("d")
	w.git(w.repo, "merge", "-q", "-m", "m", b)
	m := w.git(w.repo, "rev-parse", "HEAD")
	w.git(w.repo, "checkout", "-q", "--orphan", "other")
	o := w.commit("o")
	none, unseen := strings.Repeat("0", 40), strings.Repeat("1", 40)
	w.git(w.repo, "tag", "-am", "v", "v", c)
	v := w.git(w.repo, "rev-parse", "v")
	for name, p := range map[string]struct {
		remote, tip, old string
		want             Push
		why              string
	}{
		"one more":                         {"origin", c, b, Push{Tip: c, Base: b, Commits: 1}, ""},
		"forced":                           {"origin", d, b, Push{Tip: d, Base: a, Commits: 1, Forced: true}, ""},
		"forced over what was never seen":  {"origin", d, unseen, Push{Tip: d, Base: a, Commits: 1, Forced: true}, ""},
		"set back":                         {"origin", a, b, Push{}, "set back to an earlier commit, nothing new"},
		"a new branch":                     {"origin", d, none, Push{Tip: d, Base: a, Commits: 1}, ""},
		"a new branch after a merge":       {"origin", m, none, Push{Tip: m, Base: b, Commits: 2}, ""},
		"a new branch of what is there":    {"origin", b, none, Push{}, "the remote has its commits, nothing new"},
		"a history of its own":             {"origin", o, none, Push{Tip: o, Commits: 1}, ""},
		"forced over a history of its own": {"origin", o, b, Push{Tip: o, Commits: 1, Forced: true}, ""},
		"to an address":                    {"../x.git", c, none, Push{Tip: c, Commits: 3}, ""},
		"an address, over a branch":        {"../x.git", c, b, Push{Tip: c, Base: b, Commits: 1}, ""},
		"a tag with a message":             {"origin", v, none, Push{Tip: c, Base: b, Commits: 1}, ""},
		"a tree":                           {"origin", w.git(w.repo, "rev-parse", "HEAD^{tree}"), none, Push{}, "no commit, nothing to check"},
		"deleted":                          {"origin", none, b, Push{}, "deleted, nothing to check"},
	} {
		u := Update{"refs/heads/x", p.tip, "refs/heads/x", p.old}
		got, skipped, err := w.find(w.repo).Pushes(context.Background(), p.remote, []Update{u})
		if p.why != "" {
			if err != nil || len(got) > 0 || len(skipped) != 1 || skipped[0].Why != p.why {
				t.Errorf("%s: %v %v %v", name, got, skipped, err)
			}
			continue
		}
		p.want.Updates = []Update{u}
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], p.want) {
			t.Errorf("%s: %+v %v %v, expected %+v", name, got, skipped, err, p.want)
		}
	}
	t.Run("refs of one commit are one push, and what any of them lacks is new", func(t *testing.T) {
		all := []Update{{"x", c, "x", b}, {"y", c, "y", a}, {"z", d, "z", none}}
		got, _, err := w.find(w.repo).Pushes(context.Background(), "origin", all)
		if err != nil || len(got) != 2 || got[0].Base != a || len(got[0].Updates) != 2 || got[0].Commits != 2 {
			t.Errorf("%+v %v", got, err)
		}
	})
}

func TestS8SettingsAreGitsOwn(t *testing.T) {
	w := newWorld(t)
	read := func() string {
		s, err := w.find(w.repo).Settings(context.Background())
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(s)
	}
	set := func(args ...string) string {
		w.git(w.repo, append([]string{"config"}, args...)...)
		return read()
	}
	for _, c := range []struct{ got, want string }{
		{read(), fmt.Sprint(Settings{Off, time.Minute, false})},
		{set("fettle.fixOnPush", "true"), fmt.Sprint(Settings{On, time.Minute, false})},
		{set("fettle.fixOnPush", "Ask"), fmt.Sprint(Settings{Ask, time.Minute, false})},
		{set("fettle.fixSeconds", "5"), fmt.Sprint(Settings{Ask, 5 * time.Second, false})},
		{set("fettle.trust", "yes"), fmt.Sprint(Settings{Ask, 5 * time.Second, true})},
		{set("fettle.trust", "perhaps"), "fettle.trust: "},
		{set("fettle.fixSeconds", "1h"), "takes 1 to 3600"},
		{set("fettle.fixOnPush", "maybe"), "takes off, ask or on"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
}

func TestS8AChangeIsACommitOfItsOwn(t *testing.T) {
	w := newWorld(t)
	r, ctx := w.find(w.repo), context.Background()
	tip := w.git(w.repo, "rev-parse", "HEAD")
	diff := "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+mended  \n"
	w.write(w.repo+"/staged", 0o644, "mine")
	w.git(w.repo, "add", "staged")
	before := w.git(w.repo, "status", "--porcelain")
	hash, err := r.Commit(ctx, tip, diff, "fix: a\n\nwhy\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := w.git(w.repo, "show", "-s", "--format=%P %s %b", hash); got != tip+" fix: a why" {
		t.Error(got)
	}
	if got := w.git(w.repo, "show", hash+":a"); got != "mended" { // trailing blanks as in the diff, cut by the test
		t.Errorf("%q", got)
	}
	if w.git(w.repo, "rev-parse", "HEAD") != tip || w.git(w.repo, "status", "--porcelain") != before {
		t.Error("branch, index or working copy were touched")
	}
	t.Run("over changes of the person's own it is not taken", func(t *testing.T) {
		w.write(w.repo+"/a", 0o644, "mine too")
		if err := r.Take(ctx, "refs/heads/main", tip, hash); err == nil || !strings.Contains(err.Error(), "git merge --ff-only "+hash[:12]) {
			t.Error(err)
		}
		w.git(w.repo, "checkout", "a")
	})
	t.Run("on a branch that is not checked out", func(t *testing.T) {
		w.git(w.repo, "branch", "other")
		if err := r.take(ctx, "refs/heads/other", tip, hash); err != nil || w.git(w.repo, "rev-parse", "other") != hash {
			t.Error(err)
		}
	})
	t.Run("on a branch of another working copy", func(t *testing.T) {
		w.git(w.repo, "worktree", "add", "-q", w.dir+"/tree", "-b", "third", tip)
		if err := r.take(ctx, "refs/heads/third", tip, hash); err == nil || w.git(w.repo, "rev-parse", "third") != tip {
			t.Error(err)
		}
	})
	t.Run("on the branch that is checked out", func(t *testing.T) {
		if err := r.Take(ctx, "refs/heads/main", tip, hash); err != nil || w.git(w.repo, "rev-parse", "HEAD") != hash || w.git(w.repo, "status", "--porcelain") != before {
			t.Error(err)
		}
		if err := r.Take(ctx, "refs/heads/main", tip, hash); err == nil || !strings.Contains(err.Error(), "git cherry-pick") {
			t.Error(err)
		}
	})
	if _, err := r.Commit(ctx, hash, diff, "fix: twice"); err == nil {
		t.Error("a diff that does not apply was taken")
	}
	if _, err := r.Commit(ctx, tip, diff, "fix: again"); err != nil {
		t.Error(err)
	}
	if n, err := r.Forget(ctx); err != nil || n != 1 || w.git(w.repo, "for-each-ref", "refs/fettle") != "" {
		t.Error(n, err)
	}
}

// C1: a folder of a clone can be a bare repository with a configuration of its own. It
// does not take the sandbox away, whoever stands in it.
func TestS8WhatACloneBringsIsNotTrusted(t *testing.T) {
	w := newWorld(t)
	inner := filepath.Join(w.repo, "vendor.git")
	w.git(w.dir, "clone", "-q", "--bare", w.repo, inner)
	w.git(inner, "config", "fettle.trust", "true")
	if s, err := w.find(inner).Settings(context.Background()); err != nil || s.Trusted {
		t.Errorf("it is trusted: %+v %v", s, err)
	}
}
