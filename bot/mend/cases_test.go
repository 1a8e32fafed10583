package mend

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

var theBox struct {
	once sync.Once
	box  *sandbox.Sandbox
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if theBox.box != nil {
		_ = theBox.box.Close()
	}
	os.Exit(code)
}

// box is a real sandbox that all tests of the package share.
func box(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	theBox.once.Do(func() {
		if theBox.box, theBox.err = sandbox.New(context.Background(), sandbox.Config{}); theBox.err == nil {
			theBox.err = theBox.box.Warm(context.Background()) // once per machine: without it each session compiles Go's own packages
		}
	})
	if theBox.err != nil {
		t.Fatalf("the tests need the sandbox: %v", theBox.err)
	}
	return theBox.box
}

// patient is a repository with a fault.
type patient struct {
	name, dir, heldback string
	task                task.Task
	without             map[string]bool
}

// copyTree copies a folder; a go.mod.txt becomes a go.mod.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		dest := filepath.Join(to, strings.TrimSuffix(rel, ".txt"))
		if !strings.HasSuffix(rel, "go.mod.txt") {
			dest = filepath.Join(to, rel)
		}
		if err := os.MkdirAll(filepath.Dir(dest), 0o755); err != nil {
			return err
		}
		return os.WriteFile(dest, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, folder string) patient {
	t.Helper()
	p := patient{name: filepath.Base(folder), dir: t.TempDir(), heldback: filepath.Join(folder, "heldback")}
	copyTree(t, filepath.Join(folder, "repo"), p.dir)
	text, err := os.ReadFile(filepath.Join(folder, "issue.md"))
	if err != nil {
		t.Fatal(err)
	}
	p.task.Title, p.task.Body, _ = strings.Cut(string(text), "\n")
	return p
}

func (p patient) files(t testing.TB) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(p.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "node_modules" {
			return fs.SkipDir // no repository has it
		}
		if err == nil && d.Type().IsRegular() {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(out)
	return out
}

// treated is what came of a patient.
type treated struct {
	patient
	repair   Repair
	baseline verify.Baseline
	verdict  verify.Verdict
	seconds  float64 // of localising and repairing
	heldback string  // passed, failed, none
}

func (r treated) ready() bool {
	return r.verdict.Green && !r.repair.Found.Ambiguous && len(r.repair.Found.Doubts) == 0
}

func (r treated) row() string {
	state, template, why := "-", "-", r.repair.Reason
	if f := r.repair.Found; f != nil {
		state, template, why = "red", f.Template, f.Explanation
		switch {
		case r.ready():
			state = "ready"
		case r.verdict.Green:
			state = "draft"
		}
	}
	return fmt.Sprintf("%-22s %-6s heldback %-7s %5.1fs tried %4d plausible %2d  %-20s %s", r.name, state, r.heldback, r.seconds, r.repair.Tried, r.repair.Plausible, template, why)
}

// wordsPointAt gives the places that the words of a task point at, as a run asks for them.
func wordsPointAt(ctx context.Context, dir string, files []string, k task.Task) ([]Suspect, error) {
	index, err := memory.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	defer index.Close()
	from := memory.Source{Read: func(p string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, p)) }, Now: time.Now()}
	for _, p := range files {
		data, err := from.Read(p)
		if err != nil {
			return nil, err
		}
		from.Files = append(from.Files, checkout.Blob{Path: p, Hash: fmt.Sprintf("%x", sha256.Sum256(data)), Size: int64(len(data))})
	}
	view, _, err := index.Update(ctx, from)
	if err != nil {
		return nil, err
	}
	hits, err := view.Search(ctx, memory.Query{Title: k.Title, Body: k.Body + "\n\n" + k.Hint})
	var out []Suspect
	for _, h := range hits {
		if h.Kind != code.KindClass {
			out = append(out, Suspect{Path: h.Path, Line: h.Start, EndLine: h.End, Region: h.Region, Score: h.Score, Reasons: h.Reasons()})
		}
	}
	return out, err
}

// treat does what a run does with mechanical repair, and judges the result.
func treat(t testing.TB, p patient) treated {
	t.Helper()
	ctx := context.Background()
	session := box(t).Session()
	defer session.Close()
	v := verify.New(verify.Config{Sandbox: session, Reruns: -1}) // no test of these is red by chance
	base := t.TempDir()
	for _, f := range p.files(t) {
		text, err := os.ReadFile(filepath.Join(p.dir, f))
		if err != nil {
			t.Fatal(err)
		}
		put(t, base, f, string(text))
	}
	suites, err := v.Detect(os.DirFS(base))
	if err != nil {
		t.Fatal(err)
	}
	out := treated{patient: p, heldback: "none"}
	if out.baseline, err = v.Baseline(ctx, p.dir, suites); err != nil {
		t.Fatal(err)
	}
	m := New(Config{Sandbox: session, Verifier: v, Without: p.without})
	req := Request{Dir: p.dir, Base: os.DirFS(base), Files: p.files(t), Task: p.task, Baseline: out.baseline, Places: func(ctx context.Context) ([]Suspect, error) { return wordsPointAt(ctx, base, p.files(t), p.task) }}
	began := time.Now()
	suspects, err := m.Localise(ctx, req)
	if err != nil {
		t.Fatalf("localising: %v", err)
	}
	if testing.Verbose() {
		for i, s := range suspects[:min(12, len(suspects))] {
			t.Logf("suspect %d: %s:%d %.2f %s %s", i, s.Path, s.Line, s.Score, s.Region, strings.Join(s.Reasons, "; "))
		}
	}
	if out.repair, err = m.Repair(ctx, req, suspects); err != nil {
		t.Fatalf("repairing: %v", err)
	}
	out.seconds = time.Since(began).Seconds()
	if out.repair.Found == nil {
		return out
	}
	for _, a := range out.repair.Found.Alternatives {
		t.Logf("alternative: %s", a)
	}
	applyPatch(t, p.dir, out.repair.Found.Patch)
	if out.verdict, err = v.Judge(ctx, verify.Judge{Dir: p.dir, Base: os.DirFS(base), Baseline: out.baseline}); err != nil {
		t.Fatalf("judging: %v", err)
	}
	if _, err := os.Stat(p.heldback); err == nil {
		copyTree(t, p.heldback, p.dir)
		after, err := v.Baseline(ctx, p.dir, suites)
		if err != nil {
			t.Fatal(err)
		}
		out.heldback = "passed"
		if red := after.Report.Red(); len(red) > 0 {
			out.heldback = "failed"
			t.Logf("held back and red: %s", strings.Join(red, ", "))
		}
	}
	return out
}

func applyPatch(t testing.TB, dir string, p task.Patch) {
	t.Helper()
	for _, e := range p.Edits {
		name := filepath.Join(dir, filepath.FromSlash(e.Path))
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != task.EditReplace {
			t.Fatalf("an edit of kind %s", e.Kind)
		}
		changed, _, _, err := code.Replace(context.Background(), e.Path, src, e.Region, e.Code)
		if err != nil {
			t.Fatalf("applying the patch: %v", err)
		}
		if err := os.WriteFile(name, changed, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestR1OpenCases mends the repositories that may be looked at.
func TestR1OpenCases(t *testing.T) {
	if testing.Short() {
		t.Skip("the open cases belong to the long run; the package's other tests mend a case for each part of the search")
	}
	folders, err := filepath.Glob("../../eval/cases/mechanical/open/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var mu sync.Mutex
	var rows []string
	t.Run("cases", func(t *testing.T) {
		for _, f := range folders {
			t.Run(filepath.Base(f), func(t *testing.T) {
				r := treat(t, open(t, f))
				t.Log(r.row())
				mu.Lock()
				rows = append(rows, r.row())
				mu.Unlock()
				if r.repair.Found != nil && r.ready() && r.heldback == "failed" {
					t.Errorf("called ready, and fails the tests held back: %s", r.repair.Found.Explanation)
				}
				if r.repair.TimeUp {
					t.Errorf("the time ended the search after %d candidates", r.repair.Tried)
				}
			})
		}
	})
	sort.Strings(rows)
	t.Log("\n" + strings.Join(rows, "\n"))
}

// TestR1SamplesAreMendedReady mends the demo's samples.
// The demo's own tests treat the samples too, through every other part.
func TestR1SamplesAreMendedReady(t *testing.T) {
	if testing.Short() {
		t.Skip("cmd/fettle's tests of the demo mend them")
	}
	for _, name := range []string{"python", "go", "javascript"} {
		t.Run(name, func(t *testing.T) {
			r := treat(t, open(t, filepath.Join("../../cmd/fettle/samples", name)))
			t.Log(r.row())
			if r.repair.Found == nil || !r.ready() {
				t.Errorf("not mended ready: %s", r.row())
			}
		})
	}
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
