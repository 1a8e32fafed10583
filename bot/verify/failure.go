package verify

import (
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// inside is where the tree stands in the sandbox.
const inside = "/work"

// relative turns a path seen inside the sandbox into one from the tree's root;
// ok is false for a path that lies outside. A relative path is taken from dir.
func relative(p, dir string) (string, bool) {
	p = strings.TrimPrefix(p, "file://")
	if !path.IsAbs(p) {
		p = path.Join(inside, dir, p)
	}
	p = path.Clean(p)
	if rest, ok := strings.CutPrefix(p, inside+"/"); ok {
		return rest, true
	}
	return p, false
}

// locate sets File and Line to the innermost frame inside the tree, when the
// trace has one and it is not in an installed dependency.
func locate(f *task.Failure) {
	for i := len(f.Trace) - 1; i >= 0; i-- {
		fr := f.Trace[i]
		if fr.Foreign() {
			continue
		}
		f.File, f.Line = fr.File, fr.Line
		return
	}
}
