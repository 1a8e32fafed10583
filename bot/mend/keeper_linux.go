package mend

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// treeWatch tells which entries of a tree were touched, by inotify(7). What is
// written through a mapping of the file or a descriptor opened elsewhere under
// another name is not seen.
type treeWatch struct {
	fd      int
	dir     string
	folders map[int32]string // watch → path from dir
	lost    bool             // a folder could not be watched: nothing is certain
}

const touches = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// watchTree watches all folders of a tree; nil when the system allows no watch.
func watchTree(dir string) *treeWatch {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil
	}
	w := &treeWatch{fd: fd, dir: dir, folders: map[int32]string{}}
	root, err := os.OpenRoot(dir)
	if err == nil {
		err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				w.add(p)
			}
			return err
		})
		_ = root.Close()
	}
	if err != nil || w.lost {
		w.close()
		return nil
	}
	return w
}

// add watches a folder. Watching one twice does nothing.
func (w *treeWatch) add(rel string) {
	id, err := unix.InotifyAddWatch(w.fd, filepath.Join(w.dir, filepath.FromSlash(rel)), touches)
	if err != nil {
		w.lost = true
		return
	}
	w.folders[int32(id)] = rel //nolint:gosec // the kernel's own type
}

// take gives the paths that were touched since the last time, sorted; "." for
// all of the tree.
func (w *treeWatch) take() []string {
	if w == nil {
		return nil
	}
	seen := map[string]bool{}
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(w.fd, buf)
		if err == unix.EINTR { //nolint:errorlint // an Errno
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		for b := buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
			id := int32(binary.NativeEndian.Uint32(b)) //nolint:gosec // the kernel's own type
			mask, size := binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
			name := b[unix.SizeofInotifyEvent : unix.SizeofInotifyEvent+size]
			b = b[unix.SizeofInotifyEvent+size:]
			w.note(seen, id, mask, string(bytes.TrimRight(name, "\x00")))
		}
	}
	if w.lost {
		w.lost = false
		return []string{"."}
	}
	out := make([]string, 0, len(seen))
	for p := range seen {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func (w *treeWatch) note(seen map[string]bool, id int32, mask uint32, name string) {
	folder, known := w.folders[id]
	switch {
	case mask&unix.IN_Q_OVERFLOW != 0:
		w.lost = true
	case mask&unix.IN_IGNORED != 0:
		delete(w.folders, id)
	case !known:
	case name == "":
		w.lost = w.lost || folder == "." // the root's own attributes
		seen[folder] = true
	default:
		seen[path.Join(folder, name)] = true
	}
}

func (w *treeWatch) close() {
	if w != nil {
		_ = unix.Close(w.fd)
	}
}

// owner is the user and the group of a file.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}
