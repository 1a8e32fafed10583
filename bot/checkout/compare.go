package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// maxCompared is the size in bytes over which a file is compared by name only.
const maxCompared = 4 << 20

// Compared is a file that differs between two states of a repository; nil
// content means that it was or is not there. Large is told of a file whose
// content is left out.
type Compared struct {
	Path          string
	Before, After []byte
	Large         bool
}

// Comparison is what lies between two states of a repository.
type Comparison struct {
	From, To string // full hashes; To is "" for the working tree, From before the first commit
	Files    []Compared
	After    fs.FS // all files of the later state
	tree     *Tree
}

// Close frees what the comparison holds; After cannot be read afterwards.
func (c *Comparison) Close() error { return c.tree.Close() }

// Compare reads what changed in the user's repository at or above dir. spec is
// "A..B" (B against A), "A...B" (B against where it left A), "A" (the working
// tree against A) or "" (the working tree against HEAD). Names are branches,
// tags, remote branches, HEAD and hashes, with Git's suffixes such as ~2. The
// repository is only read, and its configuration is not used. Errors:
// ErrNoRef, ErrNotDirectory and those of OpenDir.
func (s *Store) Compare(ctx context.Context, dir, spec string) (*Comparison, error) {
	root, git, err := findAbove(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("compare %q: %w", dir, err)
	}
	from, to, ranged := strings.Cut(spec, "..")
	base := strings.HasPrefix(to, ".")
	to = strings.TrimPrefix(to, ".")
	c := &Comparison{}
	if ranged {
		c.tree, err = s.newTree([]string{filepath.Join(git.common, "objects")})
	} else {
		c.tree, err = s.OpenDir(ctx, root)
	}
	if err != nil {
		return nil, fmt.Errorf("compare %q: %w", dir, err)
	}
	if err = c.resolve(ctx, git, from, to, ranged, base); err == nil {
		err = c.read(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compare %s: %w", orHEAD(spec), err), c.Close())
	}
	return c, nil
}

// Range is Compare for two commits by their full hashes; from "" compares with
// nothing. The repository at or above dir may be a bare one. Both commits are read
// from its objects: the working tree and the index have no say.
func (s *Store) Range(ctx context.Context, dir, from, to string) (*Comparison, error) {
	if !isHash(to) || from != "" && !isHash(from) {
		return nil, fmt.Errorf("compare %q with %q: %w: full hashes are needed", from, to, ErrNoRef)
	}
	root, git, err := findAny(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("compare %q: %w", dir, err)
	}
	c := &Comparison{From: from, To: to}
	if c.tree, err = s.newTree([]string{filepath.Join(git.common, "objects")}); err != nil {
		return nil, fmt.Errorf("compare %q: %w", dir, err)
	}
	c.tree.repo = task.Repo{Dir: root}
	if err = copyFile(filepath.Join(git.common, "shallow"), filepath.Join(c.tree.gitDir, "shallow")); err == nil {
		if err = c.tree.setBase(ctx, to); err == nil {
			err = c.read(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compare %.12s with %.12s: %w", from, to, err), c.Close())
	}
	return c, nil
}

// Tree lays the later state of a Range out. It is the comparison's own, and knows
// the folders of the working copy that hold installed packages.
func (c *Comparison) Tree(ctx context.Context) (*Tree, error) {
	if err := c.tree.materialise(ctx, c.tree.entries); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(c.tree.repo.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	sel := &selection{root: root}
	sel.findInstalled(".", installedDepth)
	for _, name := range sel.installed {
		if !slices.ContainsFunc(c.tree.entries, func(e entry) bool { return strings.HasPrefix(e.path, name+"/") }) {
			c.tree.installed = append(c.tree.installed, name)
		}
	}
	return c.tree, nil
}

// installedDepth is how deep below the root installed packages are looked for: in
// the root, and in packages/NAME of a monorepo.
const installedDepth = 3

// findInstalled lists folders that hold installed packages, and looks at nothing else.
func (s *selection) findInstalled(dir string, depth int) {
	list, err := readDir(s.root, dir)
	if err != nil {
		return // what cannot be read holds nothing that can be shown
	}
	for _, d := range list {
		name := path.Join(dir, d.Name())
		switch {
		case !d.IsDir() || isDotGit(d.Name()):
		case s.holdsInstalled(name):
			s.installed = append(s.installed, name)
		case depth > 1 && !litter[d.Name()]:
			s.findInstalled(name, depth-1)
		}
	}
}

// findAny is findAbove, and takes a bare repository too.
func findAny(ctx context.Context, dir string) (string, *workingCopy, error) {
	abs, err := filepath.Abs(dir)
	if err == nil && IsBare(abs) {
		return abs, &workingCopy{own: abs, common: abs}, regular.Objects(ctx, filepath.Join(abs, "objects"))
	}
	return findAbove(ctx, dir)
}

func orHEAD(spec string) string {
	if spec == "" {
		return "HEAD"
	}
	return spec
}

// findAbove finds the working copy that holds a folder.
func findAbove(ctx context.Context, dir string) (string, *workingCopy, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", nil, errors.Join(ErrNotDirectory, err)
	}
	for at := abs; ; at = filepath.Dir(at) {
		git, err := findWorkingCopy(ctx, at)
		if err != nil {
			return "", nil, err
		}
		if git != nil {
			return at, git, nil
		}
		if filepath.Dir(at) == at {
			if IsBare(abs) {
				return "", nil, ErrBare
			}
			return "", nil, ErrNoCopy
		}
	}
}

// resolve finds the two commits.
func (c *Comparison) resolve(ctx context.Context, git *workingCopy, from, to string, ranged, base bool) error {
	var err error
	if from != "" || git.head != "" {
		if c.From, err = c.tree.commitOf(ctx, git, orHEAD(from)); err != nil {
			return err
		}
	}
	if !ranged {
		return nil
	}
	if c.To, err = c.tree.commitOf(ctx, git, orHEAD(to)); err != nil {
		return err
	}
	if base {
		if c.From, err = c.tree.fork(ctx, git, c.From, c.To); err != nil {
			return err
		}
	}
	return c.tree.setBase(ctx, c.To)
}

// fork is the commit where to left from. Two that share none, as where a clone is too
// shallow to hold it, have no difference that would be a change: it is ErrNoRef.
func (t *Tree) fork(ctx context.Context, git *workingCopy, from, to string) (string, error) {
	if err := copyFile(filepath.Join(git.common, "shallow"), filepath.Join(t.gitDir, "shallow")); err != nil {
		return "", err
	}
	out, err := t.store.run(ctx, call{dir: t.gitDir, args: []string{"merge-base", "--end-of-options", from, to}})
	if fork := strings.TrimSpace(string(out)); err == nil && isHash(fork) {
		return fork, nil
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return "", fmt.Errorf("%w: %.12s and %.12s have no commit in common, so nothing says where the one left the other; if this is a shallow clone, fetch what it lacks: git fetch --unshallow", ErrNoRef, from, to)
}

// revision is a name and Git's suffixes.
var revision = regexp.MustCompile(`^([^~^@{}:\s]+|@)((?:[~^][0-9]*)*)$`)

// commitOf gives the commit that a name of the user's repository means.
func (t *Tree) commitOf(ctx context.Context, git *workingCopy, rev string) (string, error) {
	m := revision.FindStringSubmatch(rev)
	if m == nil {
		return "", fmt.Errorf("%w: %q; give a branch, a tag or a commit", ErrNoRef, rev)
	}
	name := m[1]
	if name == "@" {
		name = "HEAD"
	}
	hash := ""
	for _, prefix := range []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
		if prefix == "" && name != "HEAD" && !strings.HasPrefix(name, "refs/") {
			continue
		}
		if hash = git.readRef(prefix+name, 0); hash != "" {
			break
		}
	}
	if hash == "" && strings.Trim(name, "0123456789abcdef") == "" && len(name) >= 4 {
		hash = name
	}
	if hash == "" {
		return "", fmt.Errorf("%w: %q; 'git branch -a' lists the branches", ErrNoRef, rev)
	}
	return t.store.resolve(ctx, t.gitDir, hash+m[2])
}

// read lists the files that differ, with their content.
func (c *Comparison) read(ctx context.Context) error {
	var before []entry
	if c.From != "" {
		var err error
		if before, _, err = c.tree.store.list(ctx, c.tree.gitDir, c.From); err != nil {
			return err
		}
	}
	c.After = c.tree.BaseFS()
	was := make(map[string]entry, len(before))
	for _, e := range before {
		was[e.path] = e
	}
	for _, now := range c.tree.entries {
		old, ok := was[now.path]
		delete(was, now.path)
		if ok && old.hash == now.hash {
			continue
		}
		if err := c.add(now.path, old, now); err != nil {
			return err
		}
	}
	for _, old := range before {
		if _, gone := was[old.path]; gone {
			if err := c.add(old.path, old, entry{}); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(c.Files, func(a, b Compared) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func (c *Comparison) add(name string, old, now entry) error {
	f := Compared{Path: name, Large: max(old.size, now.size) > maxCompared}
	for _, side := range []struct {
		e    entry
		into *[]byte
	}{{old, &f.Before}, {now, &f.After}} {
		switch {
		case side.e.hash == "":
		case f.Large:
			*side.into = []byte{}
		default:
			data, err := c.tree.blob(side.e.hash)
			if err != nil {
				return err
			}
			*side.into = data
		}
	}
	c.Files = append(c.Files, f)
	return nil
}
