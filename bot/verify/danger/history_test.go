package danger_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify/danger"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

// TestC6HonestFixesStayQuiet measures, on the histories of FETTLE_HISTORIES
// (Git directories, joined by ":"), how many small fixes have a finding. It reads
// the commits only; FETTLE_FIXES is how many of each history.
func TestC6HonestFixesStayQuiet(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv("FETTLE_HISTORIES"))
	if len(dirs) == 0 {
		t.Skip("FETTLE_HISTORIES names no histories: say FETTLE_HISTORIES=/a/repo:/b/repo")
	}
	most, _ := strconv.Atoi(os.Getenv("FETTLE_FIXES"))
	if most == 0 {
		most = 60
	}
	all, flagged := 0, 0
	kinds, reaches := map[danger.Kind]int{}, map[string]int{}
	for _, dir := range dirs {
		n := 0
		for _, hash := range strings.Fields(git(t, dir, "log", "--no-merges", "-i", "--grep=fix", "--format=%H", "HEAD")) {
			if n == most {
				break
			}
			files := small(t, dir, hash)
			if files == nil {
				continue
			}
			n, all = n+1, all+1
			found, err := danger.Find(t.Context(), files, danger.Known{Names: func(h string) bool {
				return exec.CommandContext(t.Context(), "git", "--git-dir", dir, "grep", "-qF", h, hash+"^").Run() == nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files { // what the other package sees, which keeps a change a draft too
				if code.IsTest(f.Path) {
					continue
				}
				reached, err := reach.New(t.Context(), f.Path, f.Before, f.After)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range reached {
					reaches[r.Why]++
					t.Logf("%s %s reach: %s", filepath.Base(filepath.Dir(dir)), hash[:8], r)
				}
			}
			if len(found) == 0 {
				continue
			}
			flagged++
			seen := map[danger.Kind]bool{}
			for _, f := range found {
				if !seen[f.Kind] {
					kinds[f.Kind]++
				}
				seen[f.Kind] = true
				t.Logf("%s %s %s: %s", filepath.Base(filepath.Dir(dir)), hash[:8], f.Kind, f)
			}
		}
	}
	t.Logf("%d fixes, %d flagged (%.1f %%): %v", all, flagged, 100*float64(flagged)/float64(all), kinds)
	t.Logf("findings of package reach: %v", reaches)
}

// small reads a commit whose subject speaks of a fix, with code among at most five
// files and at most 60 changed lines.
func small(t *testing.T, dir, hash string) []danger.File {
	subject := strings.ToLower(git(t, dir, "log", "-1", "--format=%s", hash))
	if !strings.Contains(subject, "fix") || strings.Contains(subject, "typo") {
		return nil
	}
	var out []danger.File
	lines, source := 0, false
	for row := range strings.Lines(git(t, dir, "diff-tree", "-r", "--no-commit-id", "--no-renames", "--numstat", hash)) {
		part := strings.SplitN(strings.TrimSpace(row), "\t", 3)
		if len(part) != 3 || part[0] == "-" {
			return nil
		}
		plus, _ := strconv.Atoi(part[0])
		minus, _ := strconv.Atoi(part[1])
		lines += plus + minus
		p := part[2]
		switch filepath.Ext(p) {
		case ".py", ".js", ".go", ".ts":
			source = source || !strings.Contains(p, "test")
		}
		out = append(out, danger.File{Path: p, Before: blob(dir, hash+"^", p), After: blob(dir, hash, p)})
	}
	if !source || len(out) > 5 || lines > 60 {
		return nil
	}
	return out
}

func blob(dir, rev, p string) []byte {
	out, err := exec.Command("git", "--git-dir", dir, "cat-file", "blob", rev+":"+p).Output() //nolint:noctx // a short look at a history
	if err != nil {
		return nil
	}
	return append([]byte{}, out...)
}

func git(t *testing.T, dir string, args ...string) string {
	var out bytes.Buffer
	c := exec.CommandContext(t.Context(), "git", append([]string{"--git-dir", dir}, args...)...)
	c.Stdout = &out
	if err := c.Run(); err != nil {
		return ""
	}
	return out.String()
}
