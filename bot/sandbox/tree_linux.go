package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ownMounts are the folders of the inside that bwrap mounts for each command.
var ownMounts = []string{"/work", "/out", "/tmp", "/cache", "/proc", "/dev"}

// furnishTree prepares, where we may mount, the whole inside root once: bwrap
// then binds one tree instead of a dozen folders, for each of which it would
// read the table of all mounts. That is a millisecond of every start.
func (s *Sandbox) furnishTree(b *bubblewrap) error {
	b.tree = filepath.Join(b.stage.root, "tree")
	b.sealDir = filepath.Join(b.tree, "run/seal")
	links, dirs := systemFolders()
	links["/var/tmp"] = "/tmp"
	err := b.stage.do(func() error {
		for _, dir := range append([]string{"/usr", "/run", "/var"}, ownMounts...) {
			if err := os.MkdirAll(b.tree+dir, 0o755); err != nil {
				return err
			}
		}
		for at, target := range links {
			if err := os.Symlink(target, b.tree+at); err != nil {
				return err
			}
		}
		return b.writeEtc(b.tree+"/etc", s.tools.etc)
	})
	if err != nil {
		return fmt.Errorf("sandbox: preparing the inside root: %w", err)
	}
	for _, dir := range append([]string{"/usr"}, dirs...) {
		if err := b.stage.readOnly(dir, b.tree+dir); err != nil {
			return err
		}
	}
	for _, m := range s.tools.mounts {
		if err := b.stage.readOnly(m.Host, b.tree+m.Inside); err != nil {
			return err
		}
	}
	b.base = append(namespaceArguments(), "--ro-bind", b.tree, "/")
	b.base = append(b.base, deviceArguments()...)
	return nil
}

// readOnly binds a host folder to a path of the stage with the flags that bwrap
// would give it: it then finds nothing to change.
func (s *stage) readOnly(from, to string) error {
	if err := s.bind(from, to); err != nil {
		return err
	}
	return s.do(func() error {
		const flags = unix.MS_REMOUNT | unix.MS_BIND | unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV
		_ = unix.Mount("", to, "", flags, "") // in some containers only bwrap's own way is allowed; it then takes it
		return nil
	})
}

// mountPoints makes the places in the prepared tree that bwrap's options bind
// to. They stay, empty: taking one away would take it from those who use it. In
// the command's own folders bwrap makes them itself.
func (b *bubblewrap) mountPoints(args []string) error {
	if b.tree == "" {
		return nil
	}
	for i := len(b.base); i < len(args); i++ {
		var from, inside string
		switch args[i] {
		case "--bind", "--ro-bind":
			from, inside = args[i+1], args[i+2]
			i += 2
		case "--tmpfs":
			inside = args[i+1]
			i++
		default:
			continue
		}
		if b.makes(inside) {
			continue
		}
		if err := b.mountPoint(from, inside); err != nil {
			return fmt.Errorf("sandbox: making room for %s inside: %w", inside, err)
		}
	}
	return nil
}

// makes tells whether bwrap makes a mount point, or it stands for all commands.
func (b *bubblewrap) makes(inside string) bool {
	for _, own := range ownMounts {
		if below(inside, own) {
			return true
		}
	}
	return false
}

// mountPoint makes one: a file to show a file, else a folder.
func (b *bubblewrap) mountPoint(from, inside string) error {
	return b.stage.do(func() error {
		root, err := os.OpenRoot(b.tree) // no link of the tree leads to the host
		if err != nil {
			return err
		}
		defer root.Close()
		rel := filepath.Clean(inside)[1:]
		if _, err := root.Lstat(rel); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if from != "" {
			if info, err := os.Stat(from); err != nil {
				return err
			} else if !info.IsDir() {
				return errors.Join(root.MkdirAll(filepath.Dir(rel), 0o755), root.WriteFile(rel, nil, 0o444))
			}
		}
		return root.MkdirAll(rel, 0o755)
	})
}
