package sandbox

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// scratchBytes bounds a folder of a layer that commands may write to.
const scratchBytes = 128 * mib

// lay implements layered.
func (b *bubblewrap) lay(dir string) (from string, drop func(), err error) { return b.lend(dir) }

// setupWorkspace implements layered: on disk, since what is installed is large.
func (b *bubblewrap) setupWorkspace(box *Sandbox, fill func(*Workspace) error) (*Workspace, error) {
	return b.diskWorkspace(box, fill)
}

// furnished gives bwrap's options for what a command's home and layer are made
// of, and the command line to start.
func (b *bubblewrap) furnished(w *Workspace, c Command, argv []string) (args, run []string, undo func(), err error) {
	undo = func() {}
	if c.Setup != nil {
		args = []string{"--bind", b.seen(w, "home"), insideHome}
		if c.Setup.Socket == "" {
			return args, argv, undo, nil
		}
		more, run, undo, err := b.bridged(c.Setup, argv)
		return append(args, more...), run, undo, err
	}
	layer := w.box.Layer()
	if layer == nil {
		return nil, argv, undo, nil
	}
	parts, err := w.standing(layer)
	if err != nil {
		return nil, nil, undo, err
	}
	for _, p := range parts {
		args = append(args, "--ro-bind", filepath.Join(w.box.layerAt, p.From), p.Inside)
		for _, s := range p.Scratch {
			args = append(args, "--size", strconv.FormatInt(scratchBytes, 10), "--perms", "0755", "--tmpfs", path.Join(p.Inside, s))
		}
	}
	return args, argv, undo, nil
}

// flush makes what was written below a folder survive a power failure.
func flush(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return fmt.Errorf("sandbox: writing a layer to disk: %w", err)
	}
	return nil
}
