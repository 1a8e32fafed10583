package sandbox

import (
	"bytes"
	"path/filepath"
)

// arguments are bwrap's options for one command, and the command line that it
// starts; undo takes its mounts away.
func (b *bubblewrap) arguments(w *Workspace, cache *cacheDir, c Command, lim Limits) (args, argv []string, undo func(), err error) {
	var undos []func()
	undo = func() {
		for i := len(undos) - 1; i >= 0; i-- {
			undos[i]()
		}
	}
	args = append(args, b.base...)
	args = append(args,
		"--bind", b.seen(w, "work"), "/work",
		"--bind", b.seen(w, "out"), "/out")
	tmp, drop, err := b.tmp(w, lim)
	if err != nil {
		return nil, nil, undo, err
	}
	undos = append(undos, drop)
	args = append(args, tmp...)
	args = append(args, "--dir", "/tmp/home")
	args = append(args, b.toolArgs...)
	args = append(args, "--bind", cache.path, "/cache")
	more, argv, drop, err := b.furnished(w, c, c.Argv)
	undos = append(undos, drop)
	if err != nil {
		return nil, nil, undo, err
	}
	args = append(args, more...)
	for _, m := range c.ReadOnly {
		from, drop, err := b.readOnly(m.Host)
		if err != nil {
			return nil, nil, undo, err
		}
		undos = append(undos, drop)
		args = append(args, "--ro-bind", from, filepath.Clean(m.Inside))
	}
	args = append(args, b.hole...)
	if err := b.mountPoints(args); err != nil {
		return nil, nil, undo, err
	}
	args = append(args, "--remount-ro", "/dev")
	if b.tree == "" {
		args = append(args, "--remount-ro", "/")
	}
	args = append(args, "--chdir", filepath.Join("/work", c.Dir))
	for _, kv := range w.environment(c) {
		args = append(args, "--setenv", kv[0], kv[1])
	}
	return args, argv, undo, nil
}

// search is the PATH of an environment.
func search(env [][2]string) string {
	for _, kv := range env {
		if kv[0] == "PATH" {
			return kv[1]
		}
	}
	return ""
}

func joinNUL(args []string) string {
	var b bytes.Buffer
	for _, a := range args {
		b.WriteString(a)
		b.WriteByte(0)
	}
	return b.String()
}
