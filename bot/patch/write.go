package patch

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// undo is one step back.
type undo struct {
	path    string
	content []byte
	mode    os.FileMode
	remove  bool // the file was not there
	folder  bool // the folder was not there
}

// put writes one file and says how to take it back.
func put(dir *os.Root, f *file) ([]undo, error) {
	if f.exists {
		return []undo{{path: f.path, content: f.before, mode: f.mode}}, write(dir, f.path, f.after, f.mode)
	}
	var steps []undo
	var missing []string
	for parent := path.Dir(f.path); parent != "."; parent = path.Dir(parent) {
		if _, err := dir.Lstat(parent); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, parent)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := dir.Mkdir(missing[i], 0o755); err != nil {
			return steps, err
		}
		steps = append(steps, undo{path: missing[i], folder: true})
	}
	steps = append(steps, undo{path: f.path, remove: true})
	return steps, write(dir, f.path, f.after, 0o644)
}

// write puts a whole file in place by a rename, so that nobody ever sees half
// of it and a hard link or symlink planted at the name is replaced and not
// written through.
func write(dir *os.Root, name string, content []byte, mode os.FileMode) (err error) {
	temp := path.Join(path.Dir(name), ".fettle-"+rand.Text()+".tmp")
	out, err := dir.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = dir.Remove(temp)
		}
	}()
	_, err = io.Copy(out, bytes.NewReader(content))
	if err = errors.Join(err, out.Chmod(mode), out.Close()); err != nil {
		return err
	}
	return dir.Rename(temp, name)
}

// Rollback puts every file back: bytes, mode, absence, and folders that the
// patch made. Further calls do nothing.
func (a *Applied) Rollback() error {
	steps := a.undo
	a.undo = nil
	if len(steps) == 0 {
		return nil
	}
	dir, err := os.OpenRoot(a.root)
	if err != nil {
		return fmt.Errorf("roll the patch back: %w", err)
	}
	defer func() { _ = dir.Close() }()
	var problems []error
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		var err error
		if s.remove || s.folder {
			if err = dir.Remove(s.path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				err = nil // it is not there
			}
		} else {
			err = write(dir, s.path, s.content, s.mode)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("roll back %q: %w", s.path, err))
		}
	}
	return errors.Join(problems...)
}
