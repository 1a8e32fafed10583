package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/forge/simulator/contract"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// sample is what the tests know of a sample: how its tests are run, and the
// words of its domain, which a renaming replaces.
type sample struct {
	name  string
	tests []string
	words []string
}

var allSamples = []sample{
	{"python", []string{"python3", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"}, []string{
		"lodge", "availability", "pricing", "booking", "room", "stay", "guest", "night", "quote", "discount", "calendar", "reference", "threshold", "percent", "subtotal", "weekend", "taken", "overlaps",
	}},
	{"go", []string{"go", "test", "./..."}, []string{
		"parcel", "item", "fragile", "volumetric", "chargeable", "domestic", "zone", "band", "heavy", "grams", "tables", "remote", "volume", "bulky", "placed",
	}},
	{"javascript", []string{"node", "--test"}, []string{
		"mailroom", "inbox", "router", "template", "sender", "team", "ticket", "outbox", "queue", "fallback", "billing", "accounts", "support", "automatic", "pending", "render", "address", "rule",
	}},
}

func TestDemoOpensAReadyPullRequest(t *testing.T) {
	sandboxtest.Whole(t) // TestDemoJSONOffline opens one as well
	t.Parallel()
	for _, s := range allSamples {
		if testing.Short() && s.name != "go" { // TestDemoJSONOffline mends Python, TestDemoMendsARenamedSampleWithAnotherFault JavaScript
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			heavy(t)
			v, err := contract.New()
			if err != nil {
				t.Fatal(err)
			}
			g := &global{config: operatorFor(t, s.name), quiet: true}
			p, err := g.load(io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			state := t.TempDir()
			dir, title, body, err := (&demoFlags{sample: s.name}).source(nil, state)
			if err != nil {
				t.Fatal(err)
			}
			d := &demo{parts: p, dir: dir, title: title, body: body, state: state, show: newShow(io.Discard, true), wrap: v.Wrap}
			sum, _, err := d.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Violations(); len(got) > 0 {
				t.Errorf("GitHub's description was violated:\n%s", strings.Join(got, "\n"))
			}
			if sum.Outcome != task.Success || sum.Draft || sum.Tier != task.TierMechanical || sum.Cost != 0 {
				t.Fatalf("%s, draft %v %v, at %s for %s: %s", sum.Outcome, sum.Draft, sum.DraftReasons, sum.Tier, sum.Cost, sum.Reason)
			}
			snap := kept(t, state, "sample-"+s.name)
			issue, branch := snap.Issues[0], sum.Branch
			if !regexp.MustCompile(`^fettle/issue-1-[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(branch) || snap.Branches[branch] == "" || len(snap.Branches) != 2 {
				t.Errorf("branch %q among %v", branch, snap.Branches)
			}
			if want := []string{"agent:fix", "agent:pr-ready"}; !equalSets(issue.Labels, want) {
				t.Errorf("labels %v, want %v", issue.Labels, want)
			}
			if !slices.Equal(issue.Reactions, []string{"eyes by fettle[bot]"}) {
				t.Errorf("reactions %v", issue.Reactions)
			}
			if len(issue.Comments) != 1 || issue.Comments[0].Edits == 0 || issue.Comments[0].Author != "fettle[bot]" || !strings.Contains(issue.Comments[0].Body, "opened #2") {
				t.Errorf("want one status comment that was edited: %+v", issue.Comments)
			}
			if len(snap.Pulls) != 1 {
				t.Fatalf("%d pull requests", len(snap.Pulls))
			}
			pr := snap.Pulls[0]
			if pr.Draft || pr.Base != "main" || pr.Head != branch || pr.Diff == "" || !strings.HasPrefix(pr.Title, "fix: ") {
				t.Errorf("pull request %q draft %v from %s to %s", pr.Title, pr.Draft, pr.Head, pr.Base)
			}
			for _, part := range []string{"\nFixes #1\n", "## Checklist\n", "- [x] ", "## Evidence", "❌ failed | ✅ passed", "risk ", "## Reproduce locally", "sandbox: bubblewrap"} {
				if !strings.Contains(pr.Body, part) {
					t.Errorf("the pull request lacks %q:\n%s", part, pr.Body)
				}
			}
			// the change alone makes the sample's own tests green
			checkOut(t, filepath.Join(state, "github"), branch, s.tests)
		})
	}
}

func equalSets(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// checkOut clones a branch out of the simulator's data and runs the tests.
func checkOut(t *testing.T, github, branch string, tests []string) {
	t.Helper()
	bare := ""
	_ = filepath.WalkDir(filepath.Join(github, "repos"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "HEAD" && bare == "" {
			bare = filepath.Dir(p)
		}
		return err
	})
	dir := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "-c", "safe.directory=*", "clone", "-q", "-b", branch, bare, dir).CombinedOutput(); err != nil {
		t.Fatalf("cloning: %v\n%s", err, out)
	}
	if ok, out, err := native(dir, tests...); err != nil || !ok {
		t.Errorf("the tests fail on the branch: %v\n%s", err, out)
	}
}

func isNumber(v any) bool { n, ok := v.(float64); return ok && n >= 0 }
func isText(v any) bool   { s, ok := v.(string); return ok && s != "" }

// Nothing in fettle knows the samples: with every word of their domain
// replaced, and another fault in another place, they are mended all the same.
// FETTLE_SEED chooses other words and another fault.
func TestDemoMendsARenamedSampleWithAnotherFault(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	seed := uint64(12)
	if s := os.Getenv("FETTLE_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	for _, s := range allSamples {
		if testing.Short() && s.name != "javascript" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			heavy(t)
			random := rand.New(rand.NewPCG(seed, 7))
			rename := renaming(s.words, random)
			dir := filepath.Join(t.TempDir(), rename(s.words[0]))
			layRenamed(t, s, dir, rename)
			issue, err := fs.ReadFile(samples, path.Join("samples", s.name, "issue.md"))
			if err != nil {
				t.Fatal(err)
			}

			// the fault that the sample ships with, under other names
			config := operatorFor(t, s.name)
			c := call(t, "fix", "--repo", dir, "--issue", write(t, "issue.md", rename(string(issue))), "--apply", "--json", "--quiet", "--config", config)
			first := c.summary(t)
			if (c.code != 0 && c.code != exitWaits) || first.Outcome != task.Success || !first.Applied {
				t.Fatalf("exit status %d: %s %s\n%s", c.code, first.Outcome, first.Reason, c.errors)
			}
			if ok, out, err := native(dir, s.tests...); err != nil || !ok {
				t.Fatalf("the tests fail after the repair: %v\n%s", err, out)
			}

			// another one
			what, failure := plant(t, s, dir, first.FilesChanged, random)
			t.Logf("seed %d: %s", seed, what)
			sum, snap := demoAny(t, dir, "Something broke since the last release", "The tests say:\n\n"+failure, config)
			if sum.Outcome != task.Success || sum.PullRequest == nil || len(snap.Pulls) != 1 {
				t.Fatalf("%s: %s", sum.Outcome, sum.Reason)
			}
			if sum.Draft != snap.Pulls[0].Draft || sum.Draft && len(sum.DraftReasons) == 0 {
				t.Errorf("a draft without a reason, or not the same: %+v", sum.DraftReasons)
			}
			applyDiff(t, dir, sum.Diff)
			if ok, out, err := native(dir, s.tests...); err != nil || !ok {
				t.Errorf("the tests fail after the second repair (draft %v: %q): %v\n%s\n%s", sum.Draft, sum.DraftReasons, err, sum.Diff, out)
			}
		})
	}
}

// renaming replaces words, in any of their spellings, by invented ones.
func renaming(words []string, random *rand.Rand) func(string) string {
	syllables := []string{"ba", "ko", "du", "fi", "gu", "hu", "jo", "ki", "lu", "mo", "nu", "pi", "qua", "ru", "su", "vo", "wi", "xu", "yo", "zu"}
	to, taken := map[string]string{}, map[string]bool{}
	for _, w := range words {
		for to[w] == "" || taken[to[w]] {
			to[w] = syllables[random.IntN(20)] + syllables[random.IntN(20)] + syllables[random.IntN(20)] + "k"
		}
		taken[to[w]] = true
	}
	byLength := slices.Clone(words)
	sort.SliceStable(byLength, func(i, j int) bool { return len(byLength[i]) > len(byLength[j]) })
	find := regexp.MustCompile("(?i)" + strings.Join(byLength, "|"))
	return func(text string) string {
		return find.ReplaceAllStringFunc(text, func(w string) string {
			n := to[strings.ToLower(w)]
			switch {
			case w == strings.ToUpper(w):
				return strings.ToUpper(n)
			case w[0] >= 'A' && w[0] <= 'Z':
				return strings.ToUpper(n[:1]) + n[1:]
			}
			return n
		})
	}
}

func layRenamed(t *testing.T, s sample, dir string, rename func(string) string) {
	t.Helper()
	raw := filepath.Join(t.TempDir(), "raw")
	if err := layOut(path.Join("samples", s.name, "repo"), raw); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(raw, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(raw, p)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rename(rel))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(rename(string(text))), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// plant puts a fault into a source file whose tests are green, such that some
// tests fail and some still pass, and gives what the tests said.
func plant(t *testing.T, s sample, dir string, mended []string, random *rand.Rand) (what, failure string) {
	t.Helper()
	type fault struct {
		path string
		src  []byte
		m    mutate.Mutation
	}
	var all []fault
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		lang := code.LanguageOf(rel)
		if err != nil || d.IsDir() || lang == "" || code.IsTest(rel) || strings.HasPrefix(rel, ".fettle") || strings.HasSuffix(rel, "__init__.py") {
			return err
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		tree, err := code.Parse(t.Context(), lang, src)
		if err != nil {
			return err
		}
		for _, m := range mutate.Mutations(tree, 0, len(src)) {
			// A figure or text that is gone stands nowhere any more: without a
			// model nobody can know that it was 2000 and not 2.
			if !strings.Contains(m.Operator, "constant") && !strings.Contains(m.Operator, "string") && !lost(src, m) {
				all = append(all, fault{rel, src, m})
			}
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d places for a fault: %v", len(all), err)
	}
	for range 60 {
		f := all[random.IntN(len(all))]
		broken := mutate.Apply(f.src, f.m)
		if bad, err := code.Check(t.Context(), f.path, broken); err != nil || len(bad) > 0 || bytes.Equal(broken, f.src) {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, f.path), broken, 0o644); err != nil {
			t.Fatal(err)
		}
		ok, out, err := native(dir, s.tests...)
		if err != nil {
			t.Fatal(err)
		}
		if !ok && someRan(out) {
			return fmt.Sprintf("%s:%d %s (%s)", f.path, f.m.Line, f.m.Operator, f.m.Description), out
		}
		if err := os.WriteFile(filepath.Join(dir, f.path), f.src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("60 faults, and no test noticed any")
	return "", ""
}

// lost tells whether a mutation takes an expression away that stands nowhere else.
func lost(src []byte, m mutate.Mutation) bool {
	gone := strings.TrimSpace(string(src[m.Start:m.End]))
	return len(gone) > 20 && !strings.Contains(m.Replacement, gone) && strings.Count(string(src), gone) == 1
}

// someRan tells a test that failed from a suite that could not be read or
// built.
func someRan(out string) bool {
	return !strings.Contains(out, "[build failed]") && !strings.Contains(out, "rror collecting") && !strings.Contains(out, "SyntaxError") &&
		!strings.Contains(out, "setup failed") && (strings.Contains(out, "--- FAIL") || strings.Contains(out, "1 failed") || strings.Contains(out, "not ok"))
}

func applyDiff(t *testing.T, dir, diff string) {
	t.Helper()
	c := exec.Command("git", "apply", "-p1", "-")
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	c.Stdin = strings.NewReader(diff)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("the diff does not apply: %v\n%s\n%s", err, out, diff)
	}
}
