package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/fettle-dev/fettle/bot/regular"
)

// copy copies an entry as name to as; inside is where it will stand. What is not
// taken is left out and noted.
func (g *gatherer) copy(ctx context.Context, from, to *os.Root, name, as, inside string) error {
	info, err := from.Lstat(name)
	if err != nil {
		return err
	}
	if g.files++; g.files > g.room.Files {
		return fmt.Errorf("%w: more than %d files", ErrRoom, g.room.Files)
	}
	switch {
	case g.folder && regular.HoldsKeys(name):
		g.drop("a file in which installers keep keys", inside)
		return nil
	case info.IsDir():
		return g.copyFolder(ctx, from, to, name, as, inside)
	case info.Mode().IsRegular():
		return g.copyFile(from, to, name, as, inside)
	case info.Mode()&fs.ModeSymlink != 0:
		return g.copyLink(from, to, name, as, inside)
	}
	g.drop("a device, pipe or socket", inside)
	return nil
}

func (g *gatherer) copyFolder(ctx context.Context, from, to *os.Root, name, as, inside string) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if g.depth++; g.depth > deepest {
		return fmt.Errorf("folders are nested more than %d deep", deepest)
	}
	defer func() { g.depth-- }()
	a, err := from.OpenRoot(name)
	if err != nil {
		g.drop("a folder that cannot be read", inside)
		return nil //nolint:nilerr // it is told
	}
	defer a.Close()
	names, err := namesIn(a)
	if err != nil {
		g.drop("a folder that cannot be read", inside)
		return nil //nolint:nilerr // it is told
	}
	if err := to.Mkdir(as, 0o755); err != nil {
		return err
	}
	b, err := to.OpenRoot(as)
	if err != nil {
		return err
	}
	defer b.Close()
	for _, n := range names {
		if n == ".git" {
			continue
		}
		if err := g.copy(ctx, a, b, n, n, path.Join(inside, n)); err != nil {
			return err
		}
	}
	return nil
}

func (g *gatherer) copyFile(from, to *os.Root, name, as, inside string) error {
	in, err := from.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		g.drop("a file that cannot be read", inside)
		return nil //nolint:nilerr // it is told
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		g.drop("the setuid or setgid bit of a file", inside)
	}
	left := g.room.Bytes - g.layer.Bytes
	if info.Size() > left { // before anything is written: a file with holes may claim terabytes
		return fmt.Errorf("%w: more than %d MiB", ErrRoom, g.room.Bytes/mib)
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	out, err := to.OpenFile(as, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return err
	}
	if g.buf == nil {
		g.buf = make([]byte, 64*kib)
	}
	n, err := pour(out, io.LimitReader(in, info.Size()), info.Size(), g.buf)
	g.layer.Bytes += n
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	// Compiled Python and other caches know their source by its time.
	return to.Chtimes(as, info.ModTime(), info.ModTime())
}

// copyLink takes a symbolic link that stays within the tree, the home folder or
// the system, as they are inside.
func (g *gatherer) copyLink(from, to *os.Root, name, as, inside string) error {
	target, err := from.Readlink(name)
	if err != nil {
		return err
	}
	if !g.leadsWithin(target, inside) {
		g.drop("a link that leads elsewhere", inside)
		return nil
	}
	return to.Symlink(target, as)
}

func (g *gatherer) leadsWithin(target, inside string) bool {
	if !path.IsAbs(target) {
		target = path.Join(path.Dir(inside), target)
	}
	target = path.Clean(target)
	tops := []string{"/work", insideHome, "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32"}
	for _, m := range g.box.tools.mounts {
		tops = append(tops, m.Inside)
	}
	return slices.ContainsFunc(tops, func(top string) bool { return below(target, top) })
}

// found looks at a part for what has to be said to the programs that are to
// find it.
func (g *gatherer) found(p Part) {
	has := func(rel string) bool { return exists(g.to, path.Join(p.From, rel)) }
	addPath := func(dir string) {
		if !slices.Contains(g.layer.Path, dir) {
			g.layer.Path = append(g.layer.Path, dir)
		}
	}
	switch {
	case has("pyvenv.cfg"):
		g.packages(p, "lib")
		addPath(path.Join(p.Inside, "bin"))
	case below(p.Inside, insideHome+"/.local/lib"):
		g.packages(p, "")
	case p.Inside == insideHome+"/.local/bin", p.Inside == insideHome+"/.cargo/bin", p.Inside == insideHome+"/go/bin":
		addPath(p.Inside)
	case p.Inside == "/work/node_modules" && has(".bin"):
		addPath(p.Inside + "/.bin")
	case below(p.Inside, goModules):
		g.layer.Env["GOMODCACHE"] = goModules
	case p.Inside == insideHome+"/.cargo/registry":
		g.layer.Env["CARGO_HOME"] = insideHome + "/.cargo"
	case p.Inside == insideHome+"/.m2/repository":
		maps.Copy(g.layer.Env, jvmCaches(insideHome+"/.m2", "/gradle"))
	}
}

// packages finds lib/pythonX.Y/site-packages in a part; lib is "" where the part
// is the folder pythonX.Y itself.
func (g *gatherer) packages(p Part, lib string) {
	versions := []string{""}
	if lib != "" {
		root, err := g.to.OpenRoot(path.Join(p.From, lib))
		if err != nil {
			return
		}
		versions, err = namesIn(root)
		_ = root.Close()
		if err != nil {
			return
		}
	}
	slices.Sort(versions)
	for _, v := range versions {
		rel := path.Join(lib, v, "site-packages")
		whole := path.Join(p.Inside, rel)
		if strings.HasPrefix(path.Base(path.Dir(whole)), "python3.") && isFolder(g.to, path.Join(p.From, rel)) {
			g.sites = append(g.sites, whole)
		}
	}
}

// environment writes the module by which every Python of the right version finds
// the packages that were installed, with their .pth files, before the system's.
func (g *gatherer) environment() error {
	if len(g.sites) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("import site, sys\n_old = list(sys.path)\nfor _v, _d in (\n")
	for _, s := range g.sites {
		fmt.Fprintf(&b, "    (%q, %q),\n", strings.TrimPrefix(path.Base(path.Dir(s)), "python"), s)
	}
	b.WriteString(`):
    if _v == "%d.%d" % sys.version_info[:2] and _d not in sys.path:
        site.addsitedir(_d)
_new = [p for p in sys.path if p not in _old]
_at = next((i for i, p in enumerate(_old) if p.endswith(("site-packages", "dist-packages"))), len(_old))
sys.path[:] = _old[:_at] + _new + _old[_at:]
del site, sys, _old, _new, _at, _v, _d
`)
	if err := g.to.Mkdir("python", 0o755); err != nil {
		return err
	}
	if err := g.to.WriteFile("python/sitecustomize.py", []byte(b.String()), 0o644); err != nil {
		return err
	}
	g.layer.Parts = append(g.layer.Parts, Part{From: "python", Inside: insideParts + "/python"})
	g.layer.Env["PYTHONPATH"] = insideParts + "/python"
	return nil
}
