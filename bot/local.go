package bot

import (
	"bytes"
	"context"
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

// Local publishes a run into the folder that it was asked for: the record
// under .fettle, which ignores itself in Git, and the change only when Apply
// is set and every file still is as it was when the run began.
type Local struct {
	Dir    string
	Base   fs.FS // the folder's content when the run began; set by the job's Open
	Apply  bool
	Drafts bool // Apply writes drafts as well
	Show   func(task.Progress)
	// Summary is what the run ended with, after Publish.
	Summary Summary
}

// Start does nothing: whoever asked is looking on.
func (l *Local) Start(context.Context, task.Run) error { return nil }

// Progress hands the picture to Show.
func (l *Local) Progress(_ context.Context, p task.Progress) error {
	if l.Show != nil {
		l.Show(p)
	}
	return nil
}

// Ask does nothing: the command that waits says so itself.
func (l *Local) Ask(context.Context, task.Gate) error { return nil }

// Publish writes .fettle/last_run.json and .md, and the change if asked to.
func (l *Local) Publish(_ context.Context, res task.Result) (task.Publication, error) {
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return task.Publication{}, fmt.Errorf("opening %s to write the result: %w", l.Dir, err)
	}
	defer root.Close()
	before := l.Summary
	var refused error
	var pub task.Publication
	if l.Apply && res.Outcome == task.Success && (l.Drafts || !res.Draft) {
		refused = l.apply(root, res.Changes)
		pub.Applied = refused == nil
	}
	l.Summary = Summarise(res, pub)
	if refused != nil {
		l.Summary.NextAction = refused.Error()
	}
	if res.Outcome == task.Error && before.RunID == res.RunID && before.Diff != "" {
		l.Summary.Diff, l.Summary.FilesChanged = before.Diff, before.FilesChanged // proved, but not applied: it is not lost
	}
	if err := l.record(root); err != nil {
		return task.Publication{}, err
	}
	return pub, refused
}

func (l *Local) record(root *os.Root) error {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw) // the same bytes as --json
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l.Summary); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	if err := root.Mkdir(".fettle", 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making .fettle in %s: %w", l.Dir, err)
	}
	for name, data := range map[string][]byte{".gitignore": []byte("*\n"), "last_run.json": raw.Bytes(), "last_run.md": []byte(l.Summary.Markdown())} {
		if err := replaceFile(root, path.Join(".fettle", name), data, 0o644); err != nil {
			return fmt.Errorf("writing .fettle/%s in %s: %w", name, l.Dir, err)
		}
	}
	return nil
}

// apply writes all files of the change, or none: also when a write fails half
// way, on a full disk for instance.
func (l *Local) apply(root *os.Root, changes []task.FileChange) error {
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
		w := patch.Write{Path: c.Path, Content: c.Content, Delete: c.Deleted}
		if err == nil {
			w.Was = now
		}
		if c.Mode == "100755" {
			w.Mode = 0o755
		}
		writes = append(writes, w)
	}
	_, err := patch.WriteAll(l.Dir, writes)
	if errors.Is(err, patch.ErrChanged) {
		return fmt.Errorf("%w; the diff is in .fettle/last_run.md", err)
	}
	if err != nil {
		return fmt.Errorf("applying the change to %s: %w", l.Dir, err)
	}
	return nil
}

func changedMeanwhile(name string) error {
	return fmt.Errorf("%s was changed while fettle was working; nothing was applied. The diff is in .fettle/last_run.md", name)
}

// replaceFile writes beside the file and renames, so that no reader sees half.
func replaceFile(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	tmp := name + ".fettle-tmp"
	if err := root.RemoveAll(tmp); err != nil { // left by a run that was killed, or put there to be written to
		return err
	}
	f, err := root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		return errors.Join(err, root.RemoveAll(tmp))
	}
	return nil
}
