package loop

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/cross"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// wishing asks what became of what the issue asks for, on the tree as it is.
type wishing struct {
	Task     task.Task      `json:"task"`
	Fixed    []string       `json:"fixed"`
	NewTests []string       `json:"new_tests"`
	Failures []task.Failure `json:"failures"` // of the mended tests, on the base
	Own      string         `json:"own,omitempty"`
	Claims   []string       `json:"claims,omitempty"` // tests that are known to be the issue's
}

// wishes are the answers.
type wishes struct {
	Held    []example.Held `json:"held,omitempty"`    // the issue's own examples
	Shown   []point        `json:"shown,omitempty"`   // its points, where it lists several
	Absent  []string       `json:"absent,omitempty"`  // what it speaks of and the code has not
	Foreign string         `json:"foreign,omitempty"` // the new tests, where nothing ties them to the issue
}

// point is one thing that the issue asks for, and the test that shows it done.
type point struct {
	Wish string `json:"wish"`
	By   string `json:"by,omitempty"`
}

// answer lists each wish of the issue with what became of it; what is not shown
// done is an open point (SPEC C10).
func (r *run) answer(ctx context.Context, a *task.Attempt) error {
	if !a.Green || r.in.Task.Origin == task.OriginHook || r.in.Task.Follow != nil {
		return nil
	}
	w := wishing{Task: r.in.Task, Fixed: first(a.Fixed, 50), NewTests: r.newTests(a), Failures: first(r.failures(), 50), Claims: first(r.claims.Mine, 50)}
	if r.example != nil {
		w.Own = r.example.Path
	}
	got, err := r.wishes(ctx, a.Diff, w)
	if err != nil {
		return err
	}
	held := 0
	for _, h := range got.Held {
		if h.Holds {
			held++
			continue
		}
		a.Doubts = append(a.Doubts, fmt.Sprintf("the issue's example %s does not hold with the change: it gives %s", h.Example.Call, cmp.Or(h.Got, "something else than the issue expects")))
	}
	if len(got.Held) > 0 {
		a.Checks = append(a.Checks, checkOf("the issue's examples", held == len(got.Held), fmt.Sprintf("%d of %d hold with the change", held, len(got.Held))))
	}
	if len(r.stepsLeft()) > 0 {
		return nil // the steps to come answer the rest
	}
	done := 0
	var lines []string
	for _, p := range got.Shown {
		if p.By == "" {
			a.Doubts = append(a.Doubts, fmt.Sprintf("the issue asks for several things, and no test shows this one: %q", short(p.Wish)))
			lines = append(lines, fmt.Sprintf("not shown: %q", short(p.Wish)))
			continue
		}
		done++
		lines = append(lines, fmt.Sprintf("%q: shown by %s", short(p.Wish), p.By))
	}
	if len(got.Shown) > 0 {
		a.Checks = append(a.Checks, checkOf("what the issue asks for", done == len(got.Shown), strings.Join(lines, "; ")))
	}
	if len(got.Absent) > 0 {
		a.Doubts = append(a.Doubts, fmt.Sprintf("the issue complains of %s, which is nowhere in the code as it was: it may speak of another version or another repository", strings.Join(first(got.Absent, 5), ", ")))
	}
	// Who writes test and fix together can make them agree: what was turned down as a
	// reproduction may come back as the change's own test.
	if r.example == nil && len(r.claims.Mine) == 0 && a.Tier != task.TierMechanical && len(w.NewTests) > 0 {
		a.Doubts = append(a.Doubts, fmt.Sprintf(onlyItself+"only %s, which came with it, says that it is mended; look at what it expects", w.NewTests[0]))
	}
	if got.Foreign != "" {
		a.Doubts = append(a.Doubts, fmt.Sprintf("nothing ties the new test %s to what the issue says: it neither runs what the issue names nor expects what it asks for", got.Foreign))
	}
	return nil
}

func checkOf(name string, passed bool, detail string) task.Check {
	c := task.Check{Name: name, Status: task.CheckPassed, Detail: detail}
	if !passed {
		c.Status = task.CheckFailed
	}
	return c
}

func (h *real) wishes(ctx context.Context, w wishing) (out wishes, err error) {
	tree := os.DirFS(h.tree.Dir())
	if out.Held, err = example.Hold(ctx, example.Input{Title: w.Task.Title, Body: w.Task.Body + "\n\n" + w.Task.Hint, Dir: h.tree.Dir(), Base: tree, Runner: h.Verifier}); err != nil {
		return out, fmt.Errorf("running the issue's examples on the change: %w", err)
	}
	tests := h.shows(ctx, tree, w)
	points := belong.Wishes(w.Task.Body)
	for n, test := range belong.Shown(points, tests) {
		out.Shown = append(out.Shown, point{points[n], test})
	}
	issue := belong.Read(w.Task.Title, w.Task.Body+"\n\n"+w.Task.Hint)
	changed, err := h.tree.Changes()
	if err != nil {
		return out, fmt.Errorf("reading what the change holds: %w", err)
	}
	out.Absent = slices.DeleteFunc(issue.Premise(h.mentions), func(name string) bool {
		return slices.ContainsFunc(changed, func(f task.FileChange) bool { return imports(string(f.Content), name) })
	})
	out.Foreign = foreign(issue, tests, w)
	return out, nil
}

// imports tells whether a text takes a name from a library: an issue may speak of
// what it wants used.
func imports(src, name string) bool {
	for _, line := range regexp.MustCompile(`(?m)^.*\b`+regexp.QuoteMeta(name)+`\b.*$`).FindAllString(src, -1) {
		if importing.MatchString(line) && !ownFile.MatchString(line) {
			return true
		}
	}
	return false
}

var (
	importing = lazyregexp.New(`\brequire\(|^\s*(?:import|from|use)\s`)
	ownFile   = lazyregexp.New(`["']\.{1,2}/|\bfrom\s+\.`)
)

// shows are the tests that the change is shown by: those it mended, and the new.
func (h *real) shows(ctx context.Context, tree fs.FS, w wishing) []belong.Red {
	var out []belong.Red
	for _, f := range w.Failures {
		if slices.Contains(w.Fixed, f.Test) {
			out = append(out, h.red(ctx, f.Test, f.File, lastOf(f.Test), &f))
		}
	}
	for _, p := range w.NewTests {
		src, err := fs.ReadFile(tree, path.Clean(p))
		if err != nil {
			continue
		}
		regions, err := code.Regions(ctx, p, src)
		if err != nil {
			continue
		}
		for _, g := range regions {
			if g.Kind != code.KindClass {
				out = append(out, belong.Red{ID: p, File: p, Name: g.Name, Source: string(src[g.StartByte:g.EndByte])})
			}
		}
	}
	return out
}

// foreign is the path of the model's new test where no test that the change rests
// on has a tie to the issue.
func foreign(issue *belong.Issue, tests []belong.Red, w wishing) string {
	theirs := ""
	for _, t := range tests {
		if slices.Contains(w.Claims, t.ID) || t.ID == w.Own {
			return ""
		}
		if issue.Decide(t).Tied() {
			return ""
		}
		if slices.Contains(w.NewTests, t.ID) {
			theirs = t.ID
		}
	}
	return theirs
}

// lastOf is a test's own name in its id.
func lastOf(id string) string {
	for _, cut := range []string{" > ", "::", ":"} {
		if at := strings.LastIndex(id, cut); at >= 0 {
			return id[at+len(cut):]
		}
	}
	return id
}

// red is a failing test of the base with its source.
func (h *real) red(ctx context.Context, id, file, name string, f *task.Failure) belong.Red {
	return h.sources.red(ctx, id, file, name, f)
}

func (s *sources) red(ctx context.Context, id, file, name string, f *task.Failure) belong.Red {
	if code.LanguageOf(file) == code.Rust {
		name = name[strings.LastIndex(name, ":")+1:] // its modules are seldom written
	}
	out := belong.Red{ID: id, File: file, Name: name}
	if f != nil {
		out.Exception, out.Message = f.Exception, f.Message
		if f.Kind == task.FailAssertion && f.Exception == "panic" {
			out.Exception = "" // an assertion of Rust
		}
		out.Trace = append(out.Trace, f.Trace...)
		if file == "" {
			out.File = f.File
		}
	}
	if src, err := s.read(out.File); err == nil {
		out.Source = cross.Source(ctx, out.File, src, name)
	}
	return out
}

const (
	maxSearched = 4000    // files that are looked through for a word
	largestRead = 1 << 20 // bytes of one
)

// spells tells whether a name stands as a whole word in the code as it was. Of a
// large tree only a part is looked through.
func (h *real) spells(name string) bool {
	whole := regexp.MustCompile(`(?:^|[^\pL\pN_$])` + regexp.QuoteMeta(name) + `(?:$|[^\pL\pN_$])`)
	for _, p := range first(h.tree.Files(), maxSearched) {
		if code.LanguageOf(p) == code.Unknown || code.IsTest(p) {
			continue
		}
		if src, err := h.sources.read(p); err == nil && len(src) <= largestRead && whole.Match(src) {
			return true
		}
	}
	return false
}

// mentions tells whether a word stands anywhere in the base: in a path or in a
// file's text, whatever the case.
func (h *real) mentions(word string) bool {
	word = strings.ToLower(word)
	for n, p := range h.tree.Files() {
		if n == maxSearched || strings.Contains(strings.ToLower(p), word) {
			return true // of a large tree nothing is said
		}
		if info, err := fs.Stat(h.tree.BaseFS(), p); err != nil || info.Size() > largestRead {
			continue
		}
		if src, err := h.sources.read(p); err == nil && strings.Contains(strings.ToLower(string(src)), word) {
			return true
		}
	}
	return false
}
