package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/task"
)

// Verdicts on what came out for a bug.
const (
	mended    = "mended"    // all tests of the subject pass
	plausible = "plausible" // a patch for which the visible tests pass, and others do not
	missed    = "missed"    // no patch
	invalid   = "invalid"   // the bug could not be set up, run or judged
)

// result is what came out for one bug and variant: a line of the results.
type result struct {
	Bug      string `json:"bug"`
	Without  string `json:"without,omitempty"` // parts of the engine that were left out
	Build    string `json:"build"`             // hash of the program
	Language string `json:"language"`
	Origin   string `json:"origin"`
	Class    string `json:"class"`
	Subject  string `json:"subject"`
	Places   int    `json:"places"`
	Sealed   bool   `json:"sealed"`
	Weak     bool   `json:"weak"`

	Verdict string       `json:"verdict"`
	Ready   bool         `json:"ready"`           // the patch was not called a draft
	Same    bool         `json:"same"`            // it is the true fix but for white space
	Seconds float64      `json:"seconds"`         // of fettle, from start to end
	Took    float64      `json:"took"`            // with set-up and judging
	Search  *task.Search `json:"search,omitzero"` // of the engine alone
	Pins    string       `json:"pins,omitempty"`  // weak ones: same, other, or why nothing can be said
	Kinds   []string     `json:"kinds,omitempty"` // of its doubts, without what they say of the bug

	// What follows is kept of open bugs only.
	Outcome string   `json:"outcome,omitempty"`
	Why     string   `json:"why,omitempty"` // in words; of sealed ones that are invalid, what could not be done
	Doubts  []string `json:"doubts,omitempty"`
	Red     []string `json:"red,omitempty"` // tests that pass in the correct tree and not with the patch
	Diff    string   `json:"diff,omitempty"`
}

func newResult(b bugs.Bug, without, build string) result {
	return result{Bug: b.ID, Without: without, Build: build, Language: b.Language, Origin: b.Origin, Class: b.Class, Subject: b.Subject,
		Places: b.Places, Sealed: b.Sealed(), Weak: b.Weak}
}

// seal takes out of a sealed bug's result all but figures.
func (r *result) seal() {
	if !r.Sealed {
		return
	}
	r.Outcome, r.Doubts, r.Red, r.Diff = "", nil, nil, ""
	if r.Why, _, _ = strings.Cut(r.Why, ":"); r.Verdict != invalid {
		r.Why = ""
	}
	if s := r.Search; s != nil { // figures alone, whatever else it comes to tell
		r.Search = &task.Search{Tried: s.Tried, Plausible: s.Plausible, Seconds: s.Seconds, TimeUp: s.TimeUp, Localised: s.Localised, Judged: s.Judged}
	}
}

// book is the file of results. Each is a line, written at once, so that a
// process that is killed loses no more than the bug at hand.
type book struct {
	mu   sync.Mutex
	file *os.File
	last map[string]result // of each bug and variant
}

func keyOf(bug, without string) string { return bug + "\x00" + without }

// openBook reads what is there and cuts off a line that was not ended.
func openBook(name string) (*book, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, fmt.Errorf("opening the results: %w", err)
	}
	all, whole, err := readResults(name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644) //nolint:gosec // the operator's own word
	if err != nil {
		return nil, fmt.Errorf("opening the results: %w", err)
	}
	if err := f.Truncate(whole); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the results: %w", err), f.Close())
	}
	b := &book{file: f, last: map[string]result{}}
	for _, r := range all {
		b.last[keyOf(r.Bug, r.Without)] = r
	}
	return b, nil
}

// readResults reads the lines of a file that need not be there; whole is the
// length of those that were ended.
func readResults(name string) (all []result, whole int64, err error) {
	return readLines[result](name)
}

func readLines[T any](name string) (all []T, whole int64, err error) {
	data, err := os.ReadFile(name) //nolint:gosec // the operator's own word
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading the results: %w", err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var r T
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, 0, fmt.Errorf("reading the results: line %d of %s: %w", n, name, err)
		}
		all = append(all, r)
	}
	return all, int64(len(data)), nil
}

func (b *book) add(r result) error {
	r.seal()
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last[keyOf(r.Bug, r.Without)] = r
	if _, err := b.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	return nil
}

// done tells whether this build has a result for a bug.
func (b *book) done(bug, without, build string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.last[keyOf(bug, without)]
	return ok && r.Build == build
}

func (b *book) close() error { return b.file.Close() }
