package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/regular"
)

// Room bounds what Collect takes.
type Room struct {
	Files int   // and folders and links
	Bytes int64 // of files
	Parts int   // places
}

// ErrRoom means that setup commands left more than there is room for.
var ErrRoom = errors.New("sandbox: more is installed than may be kept")

// Collect copies what setup commands added to a workspace into dir, an empty
// folder of ours: what is new in the tree, which was laid out from src, and what
// stands in the home folder. Files of the tree that were changed or removed stay
// as they were, and a word is said about it. Neither devices, pipes, sockets,
// Git directories, bits that change a user, nor links that lead to other places
// than the tree, the home folder and the system are taken; a file with several
// names becomes several files.
//
// Call it when no command runs in the workspace any more.
func (w *Workspace) Collect(ctx context.Context, src, dir string, room Room) (*Layer, error) {
	return w.box.gather(dir, room, func(g *gatherer) error {
		if err := g.fromTree(ctx, src, w.Path()); err != nil {
			return err
		}
		return g.fromHome(ctx, filepath.Join(w.dir, "home"))
	})
}

// CollectFolder copies folders below src, in which somebody installed packages for a
// tree of the same shape, into dir, an empty folder of ours, as Collect does. src is
// only read; files in which installers keep keys are left out.
func (s *Sandbox) CollectFolder(ctx context.Context, src string, folders []string, dir string, room Room) (*Layer, error) {
	return s.gather(dir, room, func(g *gatherer) error {
		g.folder = true
		root, err := os.OpenRoot(src)
		if err != nil {
			return err
		}
		defer root.Close()
		for _, f := range folders {
			if err := g.partOf(ctx, root, f); err != nil {
				return err
			}
		}
		return nil
	})
}

func (g *gatherer) partOf(ctx context.Context, src *os.Root, folder string) error {
	from, err := src.OpenRoot(path.Dir(folder))
	if err != nil {
		return err
	}
	defer from.Close()
	return g.part(ctx, from, path.Base(folder), path.Join("/work", folder))
}

func (s *Sandbox) gather(dir string, room Room, take func(*gatherer) error) (*Layer, error) {
	g := &gatherer{box: s, layer: &Layer{Dir: dir, Env: map[string]string{}}, room: room, kinds: map[string]int{}}
	var err error
	if g.to, err = os.OpenRoot(dir); err == nil {
		defer g.to.Close()
		err = take(g)
	}
	if err == nil {
		err = g.environment()
	}
	if err == nil {
		g.tell()
		g.layer.Shape, g.layer.Files, err = shapeOf(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: collecting what was installed: %w", err)
	}
	return g.layer, nil
}

// gatherer copies parts into a layer's folder.
type gatherer struct {
	box   *Sandbox
	to    *os.Root
	layer *Layer
	room  Room
	files int
	depth int
	buf   []byte
	kinds map[string]int // of what was dropped
	first []string       // of each kind, in order
	sites []string       // inside paths of Python's folders of packages

	folder bool // of somebody's, who may keep keys in it
}

// litter is what running programs leaves in a tree and nobody needs.
var litter = []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store", ".fettle", ".git"}

// fromTree takes what is in now and is not in before.
func (g *gatherer) fromTree(ctx context.Context, before, now string) error {
	old, err := os.OpenRoot(before)
	if err != nil {
		return err
	}
	defer old.Close()
	cur, err := os.OpenRoot(now)
	if err != nil {
		return err
	}
	defer cur.Close()
	return g.compare(ctx, old, cur, "")
}

// compare walks two folders, both at rel below the tree's root.
func (g *gatherer) compare(ctx context.Context, old, cur *os.Root, rel string) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	names, err := namesIn(cur)
	if err != nil {
		g.drop("a folder that cannot be read", rel)
		return nil //nolint:nilerr // it is told
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains(litter, name) {
			continue
		}
		at := path.Join(rel, name)
		info, err := cur.Lstat(name)
		if err != nil {
			continue
		}
		was, err := old.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = g.part(ctx, cur, name, path.Join("/work", at))
		case err != nil:
			return err
		case was.Mode().Type() != info.Mode().Type():
			g.drop("the change of a file of the tree", at)
		case info.IsDir():
			err = g.descend(ctx, old, cur, name, at)
		case !unchanged(old, cur, name, was, info):
			g.drop("the change of a file of the tree", at)
		}
		if err != nil {
			return err
		}
	}
	return g.removed(old, cur, rel)
}

func (g *gatherer) descend(ctx context.Context, old, cur *os.Root, name, at string) error {
	if g.depth++; g.depth > deepest {
		return fmt.Errorf("folders are nested more than %d deep", deepest)
	}
	defer func() { g.depth-- }()
	a, err := old.OpenRoot(name)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := cur.OpenRoot(name)
	if err != nil {
		g.drop("a folder that cannot be read", at)
		return nil
	}
	defer b.Close()
	return g.compare(ctx, a, b, at)
}

// removed notes what a setup took away.
func (g *gatherer) removed(old, cur *os.Root, rel string) error {
	names, err := namesIn(old)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != ".git" && !exists(cur, name) {
			g.drop("the removal of a file of the tree", path.Join(rel, name))
		}
	}
	return nil
}

// unchanged compares two files or links of the same name.
func unchanged(old, cur *os.Root, name string, was, info fs.FileInfo) bool {
	if info.Mode()&fs.ModeSymlink != 0 {
		a, errA := old.Readlink(name)
		b, errB := cur.Readlink(name)
		return errA == nil && errB == nil && a == b
	}
	if !info.Mode().IsRegular() {
		return true
	}
	if was.Size() != info.Size() || info.Size() > 64*mib {
		return was.Size() == info.Size()
	}
	a, errA := regular.ReadIn(old, name, 64*mib)
	b, errB := regular.ReadIn(cur, name, 64*mib)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// crowded are folders of a home that several programs share: what is in them
// becomes parts, so that the rest can still be written to.
var crowded = []string{".cache", ".local", ".local/share", ".local/lib", ".local/state", ".config", ".cargo", ".m2", ".npm", ".gradle", "go", "go/pkg"}

// unneeded are copies of what was downloaded, which no check looks at.
var unneeded = []string{".cache/pip", ".cache/uv", ".cache/pypoetry", ".npm/_cacache", ".npm/_logs", ".npm/_update-notifier-last-checked", "go/pkg/sumdb", ".wget-hsts", ".config/go"}

func (g *gatherer) fromHome(ctx context.Context, home string) error {
	root, err := os.OpenRoot(home)
	if err != nil {
		return err
	}
	defer root.Close()
	return g.homeFolder(ctx, root, "")
}

func (g *gatherer) homeFolder(ctx context.Context, root *os.Root, rel string) error {
	names, err := namesIn(root)
	if err != nil {
		g.drop("a folder that cannot be read", path.Join("~", rel))
		return nil //nolint:nilerr // it is told
	}
	slices.Sort(names)
	for _, name := range names {
		at := path.Join(rel, name)
		info, err := root.Lstat(name)
		if err != nil || slices.Contains(unneeded, at) {
			continue
		}
		if !info.IsDir() || !slices.Contains(crowded, at) {
			if err := g.part(ctx, root, name, path.Join(insideHome, at)); err != nil {
				return err
			}
			continue
		}
		sub, err := root.OpenRoot(name)
		if err != nil {
			g.drop("a folder that cannot be read", path.Join("~", at))
			continue
		}
		err = g.homeFolder(ctx, sub, at)
		_ = sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// part copies one new entry, which is to stand at inside.
func (g *gatherer) part(ctx context.Context, from *os.Root, name, inside string) error {
	p := Part{From: "p" + strconv.Itoa(len(g.layer.Parts)), Inside: inside}
	before := g.files
	if err := g.copy(ctx, from, g.to, name, p.From, inside); err != nil {
		return fmt.Errorf("%s: %w", inside, err)
	}
	info, err := g.to.Lstat(p.From)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // nothing that is taken
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0: // nothing can be shown at a link's place
		g.drop("a link beside the tree's own files", inside)
		return g.to.Remove(p.From)
	case info.IsDir() && g.files == before+1:
		return g.to.Remove(p.From) // an empty folder
	}
	if len(g.layer.Parts) >= g.room.Parts {
		return fmt.Errorf("%w: more than %d places in the tree and home folder", ErrRoom, g.room.Parts)
	}
	if path.Base(inside) == "node_modules" && info.IsDir() {
		for _, s := range []string{".cache", ".vite", ".vite-temp"} {
			at := path.Join(p.From, s)
			_ = g.to.Mkdir(at, 0o755) // it may be there
			if isFolder(g.to, at) {   // a link would take the mount elsewhere
				p.Scratch = append(p.Scratch, s)
			}
		}
	}
	g.layer.Parts = append(g.layer.Parts, p)
	g.found(p)
	return nil
}

// drop counts what is not taken, and keeps the first of each kind.
func (g *gatherer) drop(kind, at string) {
	if g.kinds[kind]++; g.kinds[kind] == 1 {
		g.first = append(g.first, kind+" ("+strings.ToValidUTF8(at, "\uFFFD"))
	}
}

// tell writes the words about what was dropped.
func (g *gatherer) tell() {
	for _, text := range g.first {
		kind, _, _ := strings.Cut(text, " (")
		if n := g.kinds[kind]; n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
		g.layer.Dropped = append(g.layer.Dropped, text+")")
	}
}
