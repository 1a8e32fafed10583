package pattern

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// format is the version of the form of an export.
const format = 1

// file is an export: all that one repository of one installation taught.
type file struct {
	Format       int    `json:"fettle_memory"`
	Installation int64  `json:"installation"`
	Repository   string `json:"repository"`
	Rows         []Row  `json:"rows"`
	Sum          string `json:"sha256"` // of the rows and whose they are
}

func (f file) sum() (string, error) {
	raw, err := json.Marshal([]any{f.Format, f.Installation, f.Repository, f.Rows})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), err
}

// named is a repository as an export names it: GitHub's names ignore case, and folders
// do not.
func named(repo string) string {
	if filepath.IsAbs(repo) {
		return repo
	}
	return strings.ToLower(repo)
}

// Export writes rows of a repository so that Import gives them back to the byte.
func Export(installation int64, repo string, rows []Row) ([]byte, error) {
	f := file{Format: format, Installation: installation, Repository: named(repo), Rows: rows}
	if f.Rows == nil {
		f.Rows = []Row{}
	}
	var err error
	if f.Sum, err = f.sum(); err != nil {
		return nil, fmt.Errorf("writing the export: %w", err)
	}
	out, err := json.Marshal(f)
	return append(out, '\n'), err
}

// Refused is an export that is not taken.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

// Import reads an export for a repository. What is cut off, was changed, has another
// form or is another repository's is refused with what to do.
func Import(raw []byte, installation int64, repo string) ([]Row, error) {
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, refuse("this is no whole export of 'fettle memory export': %v; export it again and copy all of the file", err)
	}
	switch {
	case f.Format == 0:
		return nil, refuse("this is no export of 'fettle memory export': it does not say its form")
	case f.Format != format:
		return nil, refuse("the export has form %d and this fettle reads form %d; export it with a fettle of this version", f.Format, format)
	case f.Installation != installation || f.Repository != named(repo):
		return nil, refuse("the export is of %s (installation %d) and not of %s (installation %d): what one repository taught is never shown to another", f.Repository, f.Installation, repo, installation)
	}
	sum, err := f.sum()
	if err != nil || sum != f.Sum {
		return nil, refuse("the export was changed or damaged since it was written: its checksum does not fit; export it again")
	}
	if strange := Read(f.Rows).Strange; len(strange) > 0 {
		return nil, refuse("the export holds what cannot be used: %v", strange[0].Why)
	}
	return f.Rows, nil
}

// Difference is what changed between two books.
type Difference struct {
	Added   []Pattern `json:"added"`
	Removed []Pattern `json:"removed"`
	Changed []Change  `json:"changed"`
}

// Change is a lesson before and after.
type Change struct {
	Before Pattern `json:"before"`
	After  Pattern `json:"after"`
}

// Diff compares the lessons of two books.
func Diff(was, now *Book) Difference {
	d := Difference{Added: []Pattern{}, Removed: []Pattern{}, Changed: []Change{}}
	for _, p := range now.Patterns {
		switch o := was.pattern(p.ID); {
		case o == nil:
			d.Added = append(d.Added, p)
		case !same(*o, p):
			d.Changed = append(d.Changed, Change{*o, p})
		}
	}
	for _, p := range was.Patterns {
		if now.pattern(p.ID) == nil {
			d.Removed = append(d.Removed, p)
		}
	}
	return d
}

func same(a, b Pattern) bool {
	return a.Tries == b.Tries && a.Won == b.Won && a.Closed == b.Closed && a.Reverted == b.Reverted && a.Words == b.Words && a.Source == b.Source && slices.Equal(a.Keys, b.Keys)
}

// Lesson is a pattern as a run would use it, for people who look at the book.
func (p *Pattern) Lesson() task.Lesson { return p.lesson() }
