package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

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
	// May is asked before a change is written; nil: it may.
	May func(Summary) bool
	// Commit makes a commit of the change in the place of writing it; nil: it is written.
	Commit func(context.Context, Summary) (task.Publication, error)
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
func (l *Local) Publish(ctx context.Context, res task.Result) (task.Publication, error) {
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return task.Publication{}, fmt.Errorf("opening %s to write the result: %w", l.Dir, err)
	}
	defer root.Close()
	before := l.Summary
	pub, refused := l.land(ctx, Summarise(res, task.Publication{}), res.Changes)
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

// Finish is Publish for what several runs came to: the summary and the changes of all.
func (l *Local) Finish(ctx context.Context, s Summary, changes []task.FileChange) error {
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return fmt.Errorf("opening %s to write the result: %w", l.Dir, err)
	}
	defer root.Close()
	pub, refused := l.land(ctx, s, changes)
	s.Applied, s.Committed, s.Branch, s.Commit = pub.Applied, pub.Commit != "", pub.Branch, pub.Commit
	if s.Outcome == task.Success && s.Diff != "" {
		s.NextAction = inFolder(s.Draft, pub)
	}
	if refused != nil {
		s.NextAction = refused.Error()
	}
	l.Summary = s
	return errors.Join(l.record(root), refused)
}

// land puts the change where whoever asked wants it, if it is to be put anywhere.
func (l *Local) land(ctx context.Context, s Summary, changes []task.FileChange) (task.Publication, error) {
	if !l.Apply || s.Outcome != task.Success || s.Draft && !l.Drafts || l.May != nil && !l.May(s) {
		return task.Publication{}, nil
	}
	if l.Commit != nil {
		return l.Commit(ctx, s)
	}
	err := l.Write(s.RunID, changes)
	return task.Publication{Applied: err == nil}, err
}

func (l *Local) record(root *os.Root) error {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw) // the same bytes as --json
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l.Summary); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return recordIn(root, map[string][]byte{"last_run.json": raw.Bytes(), "last_run.md": []byte(l.Summary.Markdown())})
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
