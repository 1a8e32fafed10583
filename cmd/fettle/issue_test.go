package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
)

// terminal is a shell of somebody with a token of theirs in the environment.
func (w *world) terminal(dir, token string, args ...string) called {
	w.Helper()
	c := exec.Command("fettle", append([]string{"--config", w.config}, args...)...)
	c.Dir, c.Env = dir, append(os.Environ(), "GITHUB_TOKEN="+token, "GH_TOKEN=", "GH_CONFIG_DIR="+w.TempDir())
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // the status says it
	return called{c.ProcessState.ExitCode(), out.String(), errs.String()}
}

// TestS6AnIssueOfGitHubIsReadWithItsComments: only a comment says what is wrong. The issue
// is named by its number in a clone, and by its address; what cannot be read is told, and
// the token goes to no other host.
func TestS6AnIssueOfGitHubIsReadWithItsComments(t *testing.T) {
	endToEnd(t)
	files := map[string]string{
		"stay.py":      "def reached(nights, limit):\n    \"\"\"Whether a stay is long enough.\"\"\"\n    return nights > limit\n",
		"test_stay.py": "from stay import reached\n\n\ndef test_reached():\n    assert reached(9, 7)\n    assert not reached(6, 7)\n    assert not reached(6.5, 7)\n    assert not reached(-9, 7)\n",
	}
	w := newWorldOn(t, files, "", func(*simulator.Config) {})
	token, err := w.sim.JobToken(owner, "weave", map[string]string{"contents": "read", "issues": "read"})
	w.must(err)
	n, err := w.sim.OpenIssue(owner, "weave", "Guests who stay exactly as long as the limit get nothing", "See below.", human)
	w.must(err)
	_, err = w.sim.Comment(owner, "weave", n, "`reached(7, 7)` gives `False`, expected `True`.", "guest")
	w.must(err)
	dir := lay(t, files)
	page := w.sim.URL() + "/" + owner + "/weave"
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-qm", "base"}, {"remote", "add", "origin", page + ".git"}} {
		c := exec.Command("git", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, ref := range []string{fmt.Sprintf("#%d", n), fmt.Sprintf("%s/issues/%d", page, n)} {
		got := w.terminal(dir, token, "fix", "--issue", ref, "--json")
		if s := got.summary(t); !strings.Contains(s.Diff, "nights >= limit") || got.code != 0 && got.code != exitWaits {
			t.Errorf("%s: exit status %d\n%s\n%s", ref, got.code, got.out, got.errors)
		}
	}
	for name, c := range map[string]struct{ token, ref, says string }{
		"an issue that is not there": {token, "#99", "no issue local/weave#99 that the token may read"},
		"no token":                   {"", "#1", "there is no token for"},
		"another host":               {token, "https://127.0.0.1:9/a/b/issues/1", "GITHUB_TOKEN goes to github.com and to github.base_url"},
		"no issue":                   {token, page, "is no issue; give a FILE"},
		"no number":                  {token, "#x", "is no issue; give a FILE"},
	} {
		got := w.terminal(dir, c.token, "fix", "--issue", c.ref)
		if said := strings.ReplaceAll(got.errors, "\n  next  ", "; "); got.code != exitUsage || !strings.Contains(said, c.says) || got.out != "" {
			t.Errorf("%s: exit status %d\n%s%s", name, got.code, got.out, got.errors)
		}
		if c.token != "" && strings.Contains(got.errors, c.token) {
			t.Errorf("%s: the token is shown", name)
		}
	}
}

// TestS6ABranchThatIsReadyBecomesAPullRequest: what is red opens nothing; what is ready is
// pushed, and a pull request with the checklist is there.
func TestS6ABranchThatIsReadyBecomesAPullRequest(t *testing.T) {
	heavy(t)
	files := map[string]string{
		"stay.py":      "def reached(nights, limit):\n    return nights > limit\n",
		"test_stay.py": "from stay import reached\n\n\ndef test_reached():\n    assert reached(9, 7)\n",
	}
	w := newWorldOn(t, files, "", func(*simulator.Config) {})
	token, err := w.sim.JobToken(owner, "weave", map[string]string{"contents": "write", "issues": "read", "pull_requests": "write"})
	w.must(err)
	header := "http.extraHeader=Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	dir := filepath.Join(t.TempDir(), "clone")
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", header, "-c", "user.name=A", "-c", "user.email=a@localhost"}, args...)...)
		c.Dir = filepath.Dir(dir)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("clone", "-q", w.sim.URL()+"/"+owner+"/weave.git", dir)
	git("-C", dir, "config", "http.extraHeader", strings.TrimPrefix(header, "http.extraHeader="))
	git("-C", dir, "switch", "-qc", "worse")
	for _, c := range []struct {
		text, branch string
		code, pulls  int
	}{{"return nights < limit", "worse", exitRed, 0}, {"return nights >= limit", "better", 0, 1}} {
		w.must(os.WriteFile(filepath.Join(dir, "stay.py"), []byte("def reached(nights, limit):\n    "+c.text+"\n"), 0o644))
		if c.branch != "worse" {
			git("-C", dir, "switch", "-qc", c.branch)
		}
		git("-C", dir, "commit", "-qam", "fix: a stay of exactly the limit")
		got := w.terminal(dir, token, "pr-ready", "--quick", "--open", "--json")
		pulls := w.sim.Snapshot(owner, "weave").Pulls
		if got.code != c.code || len(pulls) != c.pulls {
			t.Fatalf("%s: exit status %d, %d pull requests\n%s\n%s", c.branch, got.code, len(pulls), got.out, got.errors)
		}
		if c.pulls > 0 && (pulls[0].Head != "better" || !strings.Contains(pulls[0].Body, "[x] pytest: passed") || !strings.Contains(got.out, pulls[0].URL)) {
			t.Errorf("%+v\n%s", pulls[0], got.out)
		}
	}
}
