package bot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// Applied is a change as it was put into a folder, with what it takes to undo it: the
// files, or the commit that holds them.
type Applied struct {
	Run     string        `json:"run"`
	Files   []AppliedFile `json:"files,omitempty"`
	Folders []string      `json:"folders,omitempty"` // made for the files, the outermost first
	Commit  string        `json:"commit,omitempty"`  // the hash; then Files is empty
	Parent  string        `json:"parent,omitempty"`
	Branch  string        `json:"branch,omitempty"` // full name
	Made    bool          `json:"made,omitempty"`   // the branch was not there before
}

// AppliedFile is a file before and after; nil content means that it was or is not there.
type AppliedFile struct {
	Path   string      `json:"path"`
	Before []byte      `json:"before"`
	After  []byte      `json:"after"`
	Mode   fs.FileMode `json:"mode,omitempty"` // before
}

// ErrNothingApplied says that a folder holds no change that could be undone.
var ErrNothingApplied = errors.New("nothing that fettle wrote here is left to undo")

const (
	appliedFile = ".fettle/applied.json"
	maxApplied  = 20 // changes that can be undone
	maxRecord   = 256 << 20
)

// Write puts a change into the folder, all of it or nothing: only where every file is as
// it is in Base, and also when a write fails half way, on a full disk for instance. What
// it was is remembered for Undo.
func (l *Local) Write(run string, changes []task.FileChange) error {
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return fmt.Errorf("opening %s to write the change: %w", l.Dir, err)
	}
	defer root.Close()
	done := Applied{Run: run}
	var writes []patch.Write
	for _, c := range changes {
		now, err := regular.ReadIn(root, c.Path, checkout.DefaultMaxBytes)
		if errors.Is(err, regular.ErrSpecial) {
			return changedMeanwhile(c.Path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading %s before writing the change: %w; nothing was applied", c.Path, err)
		}
		was, wasErr := fs.ReadFile(l.Base, c.Path)
		if (wasErr == nil) != (err == nil) || !bytes.Equal(now, was) {
			return changedMeanwhile(c.Path)
		}
		w, f := patch.Write{Path: c.Path, Content: c.Content, Delete: c.Deleted}, AppliedFile{Path: c.Path, After: c.Content}
		if err == nil {
			w.Was, f.Before = now, now
			if info, err := root.Stat(c.Path); err == nil {
				f.Mode = info.Mode().Perm()
			}
		} else {
			done.Folders = append(done.Folders, missing(root, c.Path)...)
		}
		if c.Mode == "100755" {
			w.Mode = 0o755
		}
		writes, done.Files = append(writes, w), append(done.Files, f)
	}
	_, err = patch.WriteAll(l.Dir, writes)
	if errors.Is(err, patch.ErrChanged) {
		return fmt.Errorf("%w; the diff is in .fettle/last_run.md", err)
	}
	if err != nil {
		return fmt.Errorf("applying the change to %s: %w", l.Dir, err)
	}
	return Remember(l.Dir, done)
}

// missing lists the folders above a name that are not there, the outermost first.
func missing(root *os.Root, name string) (out []string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, err := root.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		out = append([]string{dir}, out...)
	}
	return out
}

func changedMeanwhile(name string) error {
	return fmt.Errorf("%s was changed while fettle was working; nothing was applied. The diff is in .fettle/last_run.md", name)
}

// Remember writes down a change that was put into a folder, for LastApplied.
func Remember(dir string, a Applied) error {
	all, err := allApplied(dir)
	if err != nil {
		return err
	}
	all = append(all, a)
	return writeApplied(dir, all[max(0, len(all)-maxApplied):])
}

// LastApplied is the change of fettle's that was put into a folder last and was not
// undone, or ErrNothingApplied.
func LastApplied(dir string) (Applied, error) {
	all, err := allApplied(dir)
	if err != nil {
		return Applied{}, err
	}
	if len(all) == 0 {
		return Applied{}, ErrNothingApplied
	}
	return all[len(all)-1], nil
}

// Undo restores the files of LastApplied byte for byte, if none of them was changed
// since, and forgets it: then the change before it is the last one. Of a change that was
// committed only the memory goes.
func Undo(dir string) error {
	last, err := LastApplied(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening %s: %w", dir, err)
	}
	defer root.Close()
	var writes []patch.Write
	for _, f := range last.Files {
		now, err := regular.ReadIn(root, f.Path, checkout.DefaultMaxBytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading %s: %w; nothing was undone", f.Path, err)
		}
		if (err == nil) != (f.After != nil) || !bytes.Equal(now, f.After) {
			return fmt.Errorf("%w: %s; put it back to what fettle wrote, or undo by hand: 'fettle runs diff %s | git apply -R'", patch.ErrChanged, f.Path, last.Run)
		}
		w := patch.Write{Path: f.Path, Content: f.Before, Delete: f.Before == nil, Mode: f.Mode}
		if f.After != nil {
			w.Was = f.After
		}
		writes = append(writes, w)
	}
	if _, err := patch.WriteAll(dir, writes); err != nil {
		return fmt.Errorf("undoing the change: %w", err)
	}
	for i := len(last.Folders) - 1; i >= 0; i-- {
		_ = root.Remove(last.Folders[i]) // somebody may have put something into it
	}
	all, err := allApplied(dir)
	if err != nil {
		return err
	}
	return writeApplied(dir, all[:len(all)-1])
}

func allApplied(dir string) ([]Applied, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	defer root.Close()
	raw, err := regular.ReadIn(root, appliedFile, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", appliedFile, err)
	}
	var all []Applied
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("reading %s: %w; remove it to forget what was applied", appliedFile, err)
	}
	return all, nil
}

func writeApplied(dir string, all []Applied) error {
	raw, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("writing %s: %w", appliedFile, err)
	}
	return Keep(dir, "applied.json", raw)
}

// Keep writes a file into .fettle of a folder.
func Keep(dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening %s: %w", dir, err)
	}
	defer root.Close()
	return recordIn(root, map[string][]byte{name: data})
}

// recordIn writes files below .fettle, which ignores itself in Git.
func recordIn(root *os.Root, files map[string][]byte) error {
	if err := root.Mkdir(".fettle", 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making .fettle in %s: %w", root.Name(), err)
	}
	files[".gitignore"] = []byte("*\n")
	for name, data := range files {
		if err := replaceFile(root, path.Join(".fettle", name), data, 0o644); err != nil {
			return fmt.Errorf("writing .fettle/%s in %s: %w", name, root.Name(), err)
		}
	}
	return nil
}
