package bugs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Hanging is the class of bugs whose tests may run into their time limit.
const Hanging = "endless-loop"

// Maker turns broken sources of one subject into bugs: it finds the failing
// tests and decides which of them are held back. It is safe for concurrent
// use, one bug at a time.
type Maker struct {
	Bench   *Bench
	Subject string  // the correct tree, with what it needs to run
	Correct Outcome // of that tree
	Dir     string  // for the copy that is broken; a temporary folder when empty

	mu   sync.Mutex
	copy string
}

// tries bounds how often a choice of what is held back is thrown away because
// the tests that it leaves do not show the fault.
const tries = 4

// Make completes a bug: b has everything but Failing, Visible, Held, Weak and
// Message. why says in a few words why the broken sources are no bug of the
// benchmark, and is empty when they are.
func (m *Maker) Make(ctx context.Context, b Bug, broken Files) (f Folder, why string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.open(ctx); err != nil {
		return f, "", err
	}
	defer func() { err = errors.Join(err, m.lay(broken, true)) }()
	if err := m.lay(broken, false); err != nil {
		return f, "", err
	}
	got, err := m.Bench.Run(ctx, m.copy)
	if err != nil {
		return f, "", err
	}
	if b.Failing, why = failing(b, got, m.Correct); why != "" {
		return f, why, nil
	}
	f = Folder{Bug: b, Broken: broken}
	for salt := range tries {
		done, err := m.split(ctx, &f, salt)
		if done || err != nil {
			return f, "", err
		}
	}
	return f, "no choice of visible tests shows the fault alone", nil
}

// failing lists what the fault breaks, or says why it does not count.
func failing(b Bug, got, correct Outcome) (red []string, why string) {
	for _, t := range got.Report.Tests {
		if b.Class != Hanging && t.Failure != nil && t.Failure.Kind == task.FailTimeout {
			return nil, "a test does not end"
		}
	}
	for _, f := range got.Report.Broken {
		switch {
		case f.Kind == task.FailBuild || f.Kind == task.FailSyntax || f.Kind == task.FailImport:
			return nil, "nothing can be built or loaded"
		case b.Class != Hanging:
			return nil, "the suite broke off: " + string(f.Kind)
		}
	}
	red = got.Broke(correct)
	if len(red) == 0 {
		return nil, "no test fails"
	}
	red = slices.DeleteFunc(red, func(id string) bool { s := got.Status[id]; return s != verify.StatusFailed && s != verify.StatusError })
	if len(red) == 0 {
		return nil, "tests are not run, and none fails"
	}
	return red, ""
}

// split makes one choice of what is held back and tries it on the broken tree.
func (m *Maker) split(ctx context.Context, f *Folder, salt int) (done bool, err error) {
	shown, err := m.shown(ctx, f.Bug, salt)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, m.lay(shown, true)) }()
	if err := m.lay(shown, false); err != nil {
		return false, err
	}
	got, err := m.Bench.Run(ctx, m.copy)
	if err != nil {
		return false, err
	}
	f.Visible, f.Held = nil, nil
	red := got.Red()
	for _, id := range f.Failing {
		if slices.Contains(red, id) {
			f.Visible = append(f.Visible, id)
		} else {
			f.Held = append(f.Held, id)
		}
	}
	if (len(f.Visible) == 0) != f.Told || slices.ContainsFunc(red, func(id string) bool { return !slices.Contains(f.Failing, id) }) {
		return false, nil // also: a row's number is another now, a file does not load without its tests
	}
	f.Shown, f.Weak = shown, len(f.Held) == 0
	f.Message = Message(got, f.Visible)
	return true, nil
}

// Message is how the first of some tests failed, at most some lines.
func Message(o Outcome, ids []string) string {
	const lines, bytes = 6, 800
	for _, t := range o.Report.Tests {
		if t.Failure == nil || !slices.Contains(ids, t.ID) {
			continue
		}
		text := strings.TrimSpace(t.Failure.Message)
		if e := t.Failure.Exception; e != "" && !strings.Contains(text, e) {
			text = e + ": " + text
		}
		all := strings.Split(text, "\n")
		text = strings.Join(all[:min(lines, len(all))], "\n")
		return strings.ToValidUTF8(text[:min(bytes, len(text))], "")
	}
	return ""
}

// shown are the test files without what is held back: half of all units by a
// hash, but of those that fail at least one is shown and, where they are two
// or more, at least one held back; none is shown where the issue alone shall tell
// of the fault. Rows of tables are let be in every second try.
func (m *Maker) shown(ctx context.Context, b Bug, salt int) (Files, error) {
	files, err := m.tests()
	if err != nil {
		return nil, err
	}
	var units []Unit
	for _, p := range files {
		src, err := os.ReadFile(filepath.Join(m.Subject, filepath.FromSlash(p)))
		if err != nil {
			return nil, fmt.Errorf("reading a test: %w", err)
		}
		some, err := Units(ctx, p, src)
		if err != nil {
			return nil, err
		}
		units = append(units, some...)
	}
	held := choose(units, b, salt)
	out := Files{}
	for _, p := range files {
		src, err := os.ReadFile(filepath.Join(m.Subject, filepath.FromSlash(p)))
		if err != nil {
			return nil, err
		}
		cut, err := Hide(ctx, p, src, func(u Unit) bool { return held[u.Key()] })
		if err != nil {
			return nil, err
		}
		if string(cut) != string(src) {
			out[p] = cut
		}
	}
	return out, nil
}

// choose says which units are held back.
func choose(units []Unit, b Bug, salt int) map[string]bool {
	word := fmt.Sprint(salt)
	held := map[string]bool{}
	var mine []Unit // those that fail
	for _, u := range units {
		held[u.Key()] = half(word, u.Key()) && (!u.Row || salt%2 == 0)
		if !u.Row && slices.ContainsFunc(b.Failing, u.owns) {
			mine = append(mine, u)
			held[u.Key()] = held[u.Key()] || b.Told
		}
	}
	slices.SortFunc(mine, func(a, b Unit) int { return strings.Compare(rank(word, a.Key()), rank(word, b.Key())) })
	if len(mine) > 0 && !b.Told {
		held[mine[0].Key()] = false
	}
	if len(mine) > 1 {
		held[mine[len(mine)-1].Key()] = true
	}
	return held
}

// owns tells whether a test's id belongs to the unit.
func (u Unit) owns(id string) bool {
	key := UnitOf(id)
	if strings.HasPrefix(id, "go:") {
		return path.Dir(u.File)+"\x00"+u.Name == key
	}
	return u.Key() == key
}

// tests lists the test files of the subject.
func (m *Maker) tests() ([]string, error) {
	root, err := os.OpenRoot(m.Subject)
	if err != nil {
		return nil, fmt.Errorf("looking for tests: %w", err)
	}
	defer root.Close()
	tree, err := detect.Scan(root.FS())
	if err != nil {
		return nil, err
	}
	ran := map[string]bool{}
	for _, t := range m.Correct.Report.Tests {
		ran[t.File] = true
	}
	return slices.DeleteFunc(slices.Clone(tree.Files), func(p string) bool { return !ran[p] && !code.IsTest(p) }), nil
}

// open makes the copy that is broken.
func (m *Maker) open(ctx context.Context) error {
	if m.copy != "" {
		return nil
	}
	dir, err := os.MkdirTemp(m.Dir, "fettle-bench-mend-")
	if err != nil {
		return fmt.Errorf("making a folder for a copy: %w", err)
	}
	m.copy = filepath.Join(dir, "tree")
	return Copy(ctx, m.Subject, m.copy)
}

// lay lays files over the copy, or puts the subject's own back.
func (m *Maker) lay(files Files, back bool) error {
	if !back {
		return Lay(m.copy, files)
	}
	own := Files{}
	for p := range files {
		text, err := os.ReadFile(filepath.Join(m.Subject, filepath.FromSlash(p)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		own[p] = text
	}
	return Lay(m.copy, own)
}

// Close removes the copy.
func (m *Maker) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copy == "" {
		return nil
	}
	dir := filepath.Dir(m.copy)
	m.copy = ""
	return os.RemoveAll(dir)
}

// Slow is how long a subject's suite may take.
const Slow = 10 * time.Second
