// Package history finds real faults for the repair benchmark (make bench-mend)
// in the histories of well-tested libraries: commits that change few lines of
// one place of one source file together with a test, such that the tests fail
// with the source as it was before and pass with the source as it is now.
//
// In go bare repositories; out come facts about commits (commits.json) and,
// from these, the folders of package bugs. Candidates are found with Git
// alone and proved in the sandbox. Nothing of a foreign repository is part of
// this one, and nothing of it is started outside the sandbox.
package history

import (
	_ "embed" // the list of what was found
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
)

// Entry is what is known of one commit that mends one fault: facts, no code.
// The correct tree is the commit's; the broken one has Path as the commit's
// first parent has it.
type Entry struct {
	ID       string   `json:"id"`
	Repo     string   `json:"repo"` // owner/name
	Commit   string   `json:"commit"`
	Path     string   `json:"path"`
	Language string   `json:"language"`
	Class    string   `json:"class"` // a Shape
	Line     int      `json:"line"`  // in the broken file
	Function string   `json:"function,omitempty"`
	Places   int      `json:"places"`
	FixLines int      `json:"fix_lines"`
	Failing  []string `json:"failing"`
	Seconds  float64  `json:"seconds"` // of the whole suite, where the entry was found
}

//go:embed commits.json
var list []byte

// List is the committed list, sorted by id.
func List() ([]Entry, error) {
	var out []Entry
	if err := json.Unmarshal(list, &out); err != nil {
		return nil, fmt.Errorf("reading the list of commits: %w", err)
	}
	return out, nil
}

// Save writes a list, sorted by id, whole or not at all.
func Save(name string, entries []Entry) error {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	data, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d.part", name, os.Getpid())
	if err := os.WriteFile(part, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the list of commits: %w", err)
	}
	return os.Rename(part, name)
}

// Subject is the short name of a repository.
func Subject(repo string) string { return repo[strings.LastIndexByte(repo, '/')+1:] }

var short = map[string]string{"python": "py", "javascript": "js", "go": "go"}

func (e Entry) bug() bugs.Bug {
	return bugs.Bug{ID: e.ID, Origin: bugs.History, Class: e.Class, Language: e.Language, Subject: Subject(e.Repo), Commit: e.Commit,
		Path: e.Path, Line: e.Line, Function: e.Function, Places: e.Places, FixLines: e.FixLines}
}

func idOf(c Candidate) string {
	name := strings.Map(func(r rune) rune {
		if r == '.' || r == '_' {
			return '-'
		}
		return r
	}, strings.ToLower(Subject(c.Repo)))
	return fmt.Sprintf("%s-%s-%s", short[c.Language], name, c.Commit[:8])
}

// store is the folder of what this package keeps in the benchmark's work folder.
func store(work string, more ...string) string {
	return filepath.Join(append([]string{work, "history"}, more...)...)
}
