package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"
)

// repairCase is a case of cases/mechanical.
type repairCase struct {
	Name         string   `json:"name"`
	Language     string   `json:"language"`
	FaultClass   string   `json:"fault_class"`
	TemplateLike bool     `json:"template_like"`
	TestCommand  []string `json:"test_command"`
	dir          string
}

// summary is the part of fettle's JSON that is judged.
type summary struct {
	Outcome string  `json:"outcome"`
	Draft   bool    `json:"draft"`
	Diff    string  `json:"diff"`
	Cost    float64 `json:"cost_usd"`
	Elapsed float64 `json:"elapsed_s"`
	Reason  string  `json:"reason"`
}

// TestMechanicalRepairOnHeldBackTests runs `fettle fix --apply` on each case
// and then tests that fettle never saw. FETTLE_EVAL says which: practice, open,
// sealed, or all for both halves; without it the test is skipped, because it
// takes minutes. Nobody who tunes the engine runs the sealed half.
func TestMechanicalRepairOnHeldBackTests(t *testing.T) {
	half := os.Getenv("FETTLE_EVAL")
	if half == "" {
		t.Skip("takes minutes: FETTLE_EVAL=open (or practice, sealed, all) runs it; see make eval")
	}
	folders := []string{half}
	if half == "all" {
		folders = []string{"open", "sealed"}
	}
	var dirs []string
	for _, folder := range folders {
		some, err := filepath.Glob(filepath.Join("cases", "mechanical", folder, "*"))
		if err != nil || len(some) == 0 {
			t.Fatalf("no cases for FETTLE_EVAL=%s (%v)", folder, err)
		}
		dirs = append(dirs, some...)
	}
	sort.Slice(dirs, func(i, j int) bool { return filepath.Base(dirs[i]) < filepath.Base(dirs[j]) })
	bin := build(t)
	var table strings.Builder
	right, wrongReady := 0, 0
	for _, dir := range dirs {
		c := load(t, dir)
		s, held := runCase(t, bin, c)
		verdict := "not mended"
		switch {
		case s.Outcome == "success" && held && !s.Draft:
			verdict = "mended, ready"
			right++
		case s.Outcome == "success" && held:
			verdict = "mended, draft"
			right++
		case s.Outcome == "success" && s.Draft:
			verdict = "wrong, draft"
		case s.Outcome == "success":
			verdict = "WRONG, READY"
			wrongReady++
		}
		fmt.Fprintf(&table, "%-28s %-11s %-26s %-14s %-18s %6.1f s  $%.2f\n", filepath.Base(dir), c.Language, c.FaultClass, verdict, s.Outcome, s.Elapsed, s.Cost)
		if s.Elapsed > 60 || s.Cost != 0 {
			t.Errorf("%s took %.1f s and cost $%.2f; the limits are 60 s and nothing", dir, s.Elapsed, s.Cost)
		}
	}
	t.Logf("\n%smended %d of %d, wrongly called ready %d", table.String(), right, len(dirs), wrongReady)
	if wrongReady > 0 {
		t.Errorf("%d changes were called ready and fail tests that were held back", wrongReady)
	}
}

func load(t *testing.T, dir string) repairCase {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	c := repairCase{dir: dir}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "fettle")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../cmd/fettle").CombinedOutput()
	if err != nil {
		t.Fatalf("building fettle: %v\n%s", err, out)
	}
	return bin
}

// runCase mends a copy of the case and runs the held-back tests on it.
func runCase(t *testing.T, bin string, c repairCase) (s summary, held bool) {
	t.Helper()
	work := t.TempDir()
	repo := filepath.Join(work, "repo")
	if err := os.CopyFS(repo, os.DirFS(filepath.Join(c.dir, "repo"))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "fix", "--repo", repo, "--issue", filepath.Join(c.dir, "issue.md"), "--apply=draft", "--max-tier", "mechanical", "--max-seconds", "60", "--json", "--quiet")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(work, "state"), "XDG_CONFIG_HOME="+filepath.Join(work, "config"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("%s: fettle printed no JSON: %v\n%s\n%s", c.dir, err, out.String(), errs.String())
	}
	if s.Outcome != "success" {
		return s, false
	}
	overlay(t, filepath.Join(c.dir, "heldback"), repo)
	argv := c.TestCommand
	test, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	run := exec.CommandContext(test, argv[0], argv[1:]...)
	run.Dir = repo
	run.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	run.WaitDelay = time.Second
	report, err := run.CombinedOutput()
	if err != nil {
		t.Logf("%s: held-back tests: %v\n%s\n%s", c.dir, err, tail(string(report), 1500), s.Diff)
	}
	return s, err == nil
}

// overlay copies the held-back files over a tree.
func overlay(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func tail(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}
