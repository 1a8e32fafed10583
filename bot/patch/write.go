package patch

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/fettle-dev/fettle/bot/regular"
)

// Write is a file as it shall be: with these bytes, or not there.
type Write struct {
	Path    string
	Content []byte
	Delete  bool
	Was     []byte      // when not nil: what the file must still hold
	Mode    fs.FileMode // of a new file; zero: 0644. A file that is there keeps its mode.
}

// ErrChanged says that a file is not as it was when the change was made.
var ErrChanged = errors.New("the file was changed meanwhile")

// WriteAll makes a set of writes in a tree, all or none: every new content is
// on disk beside its file before the first file is replaced, and a failure in
// between puts back what was replaced. It follows no symbolic link. The
// Applied it returns can only be rolled back.
func WriteAll(root string, writes []Write) (*Applied, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open the tree to write: %w", err)
	}
	defer func() { _ = dir.Close() }()
	undo, err := writeAll(dir, writes)
	if err != nil {
		return nil, err
	}
	a := &Applied{root: root, undo: undo}
	for _, w := range writes {
		a.Paths = append(a.Paths, w.Path)
	}
	return a, nil
}

// undo is one step back.
type undo struct {
	path    string
	content []byte
	info    fs.FileInfo
	remove  bool // the file was not there
	folder  bool // the folder was not there
}

// staged is a write whose content waits beside its file.
type staged struct {
	Write
	temp string // "" for a deletion
	old  *undo
}

func writeAll(dir *os.Root, writes []Write) (steps []undo, err error) {
	var all []staged
	defer func() {
		if err == nil {
			return
		}
		for _, s := range all {
			if s.temp != "" {
				_ = dir.Remove(s.temp)
			}
		}
		err = errors.Join(err, back(dir, steps))
		steps = nil
	}()
	for _, w := range writes {
		s, made, err := stage(dir, w)
		steps = append(steps, made...)
		if s.temp != "" {
			all = append(all, s)
		}
		if err != nil {
			return steps, fmt.Errorf("write %q: %w; nothing was changed", w.Path, err)
		}
		if s.temp == "" {
			all = append(all, s)
		}
	}
	for i := range all {
		s := &all[i]
		if s.Delete {
			err = dir.Remove(s.Path)
		} else if err = dir.Rename(s.temp, s.Path); err == nil {
			s.temp = ""
		}
		if err != nil {
			return steps, fmt.Errorf("write %q: %w; everything was put back", s.Path, err)
		}
		steps = append(steps, *s.old)
	}
	return steps, nil
}

// stage looks at what is there, makes the folders that are missing, and puts
// the new content beside the file.
func stage(dir *os.Root, w Write) (staged, []undo, error) {
	s := staged{Write: w}
	info, err := dir.Lstat(w.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && w.Delete:
		return s, nil, errors.New("it is not there to be deleted")
	case errors.Is(err, fs.ErrNotExist):
		s.old = &undo{path: w.Path, remove: true}
	case err != nil:
		return s, nil, err
	case !info.Mode().IsRegular():
		return s, nil, fmt.Errorf("it is no regular file (%s)", info.Mode().Type())
	default:
		content, err := regular.ReadIn(dir, w.Path, maxFile)
		if err != nil {
			return s, nil, err
		}
		s.old = &undo{path: w.Path, content: content, info: info}
	}
	if w.Was != nil && (s.old.remove || !bytes.Equal(w.Was, s.old.content)) {
		return s, nil, ErrChanged
	}
	if w.Delete {
		return s, nil, nil
	}
	made, err := makeFolders(dir, path.Dir(w.Path))
	if err != nil {
		return s, made, err
	}
	mode := w.Mode
	if mode == 0 {
		mode = 0o644
	}
	s.temp, err = writeTemp(dir, w.Path, w.Content, mode, s.old.info)
	return s, made, err
}

// makeFolders makes the folders of a path that are missing.
func makeFolders(dir *os.Root, name string) ([]undo, error) {
	var missing []string
	for ; name != "."; name = path.Dir(name) {
		if _, err := dir.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, name)
	}
	var steps []undo
	for i := len(missing) - 1; i >= 0; i-- {
		if err := dir.Mkdir(missing[i], 0o755); err != nil {
			return steps, err
		}
		steps = append(steps, undo{path: missing[i], folder: true})
	}
	return steps, nil
}

// keptBits are the bits of a mode that a file keeps.
const keptBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// writeTemp puts a content beside a file, with the mode and owner of the one
// that it will replace. A rename then puts it in place, so that nobody ever
// sees half of it and a hard link or symlink planted at the name is replaced
// and not written through.
func writeTemp(dir *os.Root, name string, content []byte, mode fs.FileMode, was fs.FileInfo) (temp string, err error) {
	temp = path.Join(path.Dir(name), ".fettle-"+rand.Text()+".tmp")
	out, err := dir.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = out.Write(content)
	if was != nil {
		mode = was.Mode() & keptBits
		if st, ok := was.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
			err = errors.Join(err, out.Chown(int(st.Uid), int(st.Gid)))
		}
	}
	return temp, errors.Join(err, out.Chmod(mode), out.Close())
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
	return back(dir, steps)
}

// back takes the steps back, the last one first.
func back(dir *os.Root, steps []undo) error {
	var problems []error
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		var err error
		if s.remove || s.folder {
			if err = dir.Remove(s.path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				err = nil // it is not there
			}
		} else {
			err = restore(dir, s)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("roll back %q: %w", s.path, err))
		}
	}
	return errors.Join(problems...)
}

func restore(dir *os.Root, s undo) error {
	temp, err := writeTemp(dir, s.path, s.content, 0, s.info)
	if err == nil {
		err = dir.Rename(temp, s.path)
	}
	if err != nil && temp != "" {
		_ = dir.Remove(temp)
	}
	return err
}
