package checkout

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// OpenDir takes a user's folder as the base: a plain folder, or a working
// copy with its uncommitted changes and its untracked files that are not
// ignored. The folder and its .git are only read. Their configuration is not
// even read: Git sees the folder with our own empty Git directory and a copy
// of the index.
//
// Not part of the base are .git, .fettle, special files, what cannot be read
// (listed by Skipped), nested repositories, and, without Git, what tools
// leave behind (__pycache__, .mypy_cache, …), nor what is installed (Installed).
func (s *Store) OpenDir(ctx context.Context, dir string) (*Tree, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", dir, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open %q: %w", dir, err)
	case !info.IsDir():
		return nil, fmt.Errorf("open %q: %w", dir, ErrNotDirectory)
	case IsBare(abs):
		return nil, fmt.Errorf("open %q: %w; give a clone of it", dir, ErrBare)
	}
	git, err := findWorkingCopy(ctx, abs)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", dir, err)
	}
	var alternates []string
	if git != nil {
		alternates = []string{filepath.Join(git.common, "objects")}
	}
	t, err := s.newTree(alternates)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", dir, err)
	}
	t.repo = task.Repo{Dir: abs}
	if err := t.snapshot(ctx, abs, git); err != nil {
		return nil, errors.Join(fmt.Errorf("open %q: %w", dir, err), t.Close())
	}
	if git != nil {
		t.clean = t.base == git.head
	} else {
		_, _, err := findAbove(ctx, abs)
		t.clean = errors.Is(err, ErrNoCopy)
	}
	return t, nil
}

// IsBare tells whether a folder is a bare repository itself.
func IsBare(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs", "config"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err != nil
}

// workingCopy is what we read of a user's .git.
type workingCopy struct {
	own    string // the Git directory with HEAD and index
	common string // where objects and refs are; differs for a linked worktree
	head   string // full hash; "" before the first commit
}

// Sizes in bytes over which files of .git are taken for broken ones.
const (
	maxPointer = 1 << 20 // HEAD, refs, commondir, config
	maxPacked  = 1 << 28
	maxIndex   = 1 << 30
)

// findWorkingCopy reads the few files of .git that are needed. A folder
// without .git, or with one that Git would not take for a repository, gives
// nil.
func findWorkingCopy(ctx context.Context, dir string) (*workingCopy, error) {
	own := filepath.Join(dir, ".git")
	info, err := os.Stat(own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		text, err := regular.Read(own, maxPointer)
		if errors.Is(err, regular.ErrSpecial) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read .git, which is no folder: %w", err)
		}
		target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if !ok {
			return nil, errors.New(".git is neither a folder nor a link to one")
		}
		if own = target; !filepath.IsAbs(own) {
			own = filepath.Join(dir, own)
		}
	}
	w := &workingCopy{own: own, common: own}
	if text, err := regular.Read(filepath.Join(own, "commondir"), maxPointer); err == nil {
		if w.common = strings.TrimSpace(string(text)); !filepath.IsAbs(w.common) {
			w.common = filepath.Join(own, w.common)
		}
	}
	if config, err := regular.Read(filepath.Join(w.common, "config"), maxPointer); err == nil &&
		strings.Contains(strings.ToLower(string(config)), "objectformat = sha256") {
		return nil, errors.New("it is a SHA-256 repository, which fettle cannot read yet; export its files to a plain folder")
	}
	if info, err := os.Stat(filepath.Join(w.common, "objects")); err != nil || !info.IsDir() {
		return nil, nil //nolint:nilerr // an empty or broken .git: a plain folder
	}
	if _, err := regular.Read(filepath.Join(own, "HEAD"), maxPointer); errors.Is(err, regular.ErrSpecial) {
		return nil, err
	}
	w.head = w.readRef("HEAD", 0)
	return w, regular.Objects(ctx, filepath.Join(w.common, "objects"))
}

// readRef follows a ref in the loose and the packed form.
func (w *workingCopy) readRef(name string, depth int) string {
	if depth > 5 || strings.Contains(name, "..") {
		return ""
	}
	for _, dir := range []string{w.own, w.common} {
		text, err := regular.Read(filepath.Join(dir, filepath.FromSlash(name)), maxPointer)
		if err != nil {
			continue
		}
		value := strings.TrimSpace(string(text))
		if isHash(value) {
			return value
		}
		if next, ok := strings.CutPrefix(value, "ref: "); ok {
			return w.readRef(strings.TrimSpace(next), depth+1)
		}
	}
	packed, _ := regular.Read(filepath.Join(w.common, "packed-refs"), maxPacked)
	for line := range strings.SplitSeq(string(packed), "\n") {
		if hash, ref, ok := strings.Cut(line, " "); ok && ref == name && isHash(hash) {
			return hash
		}
	}
	return ""
}

// snapshot copies the folder's files into the tree and records them as the
// base commit.
func (t *Tree) snapshot(ctx context.Context, dir string, git *workingCopy) error {
	source, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	sel := &selection{root: source, avoid: t.store.cfg.Root, dir: dir}
	if git != nil {
		err = t.selectTracked(ctx, dir, git, sel)
	} else {
		err = sel.walk(ctx, ".")
	}
	if err != nil {
		return err
	}
	if len(sel.paths) == 0 {
		return ErrEmpty
	}
	cp := copier{t: t, from: source, left: t.store.cfg.MaxBytes, made: map[string]bool{".": true}, out: newWriters(t.root)}
	commit, err := t.importFiles(ctx, git, sel, &cp)
	cp.out.wait()
	if err := errors.Join(err, cp.out.failed()); err != nil {
		return err
	}
	t.skipped, t.installed = append(sel.skipped, cp.skipped...), sel.installed
	if git != nil && git.head != "" && t.sameTree(ctx, git.head, commit) {
		commit = git.head
	}
	return t.setBase(ctx, commit)
}

func (t *Tree) sameTree(ctx context.Context, a, b string) bool {
	out, err := t.store.run(ctx, call{dir: t.gitDir, args: []string{"rev-parse", "--end-of-options", a + "^{tree}", b + "^{tree}"}})
	lines := slices.DeleteFunc(strings.Fields(string(out)), func(s string) bool { return !isHash(s) })
	return err == nil && len(lines) == 2 && lines[0] == lines[1]
}

// selection is what of a folder goes where.
type selection struct {
	root    *os.Root
	dir     string
	avoid   string   // our own state folder, should it lie inside
	paths   []string // of the base, sorted
	skipped []string

	installed []string // folders
}

// holdsInstalled tells whether a folder of the user's holds installed packages: by
// its name, or by what its installer writes into it and beside it.
func (s *selection) holdsInstalled(dir string) bool {
	there := func(name string) bool {
		_, err := s.root.Lstat(name)
		return err == nil
	}
	switch path.Base(dir) {
	case "node_modules":
		return true
	case "vendor":
		return there(path.Join(dir, "autoload.php")) && there(path.Join(path.Dir(dir), "composer.json"))
	}
	return there(path.Join(dir, "pyvenv.cfg"))
}

// walk selects from a plain folder.
func (s *selection) walk(ctx context.Context, dir string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f, err := s.root.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		s.skipped = append(s.skipped, dir)
		return nil //nolint:nilerr // the user hears of it in the list of what was left out
	}
	list, err := f.ReadDir(-1)
	_ = f.Close()
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, d := range list {
		name := path.Join(dir, d.Name())
		switch {
		case isDotGit(d.Name()) || filepath.Join(s.dir, filepath.FromSlash(name)) == s.avoid:
		case d.IsDir() && s.holdsInstalled(name):
			s.installed = append(s.installed, name)
		case d.IsDir() && litter[d.Name()]:
		case d.IsDir():
			if err := s.walk(ctx, name); err != nil {
				return err
			}
		case strings.HasSuffix(name, ".pyc"):
		default:
			s.paths = append(s.paths, name)
		}
	}
	return nil
}

// selectTracked asks Git for tracked and untracked, not ignored files.
func (t *Tree) selectTracked(ctx context.Context, dir string, git *workingCopy, sel *selection) error {
	if err := regular.WorkTree(ctx, dir); err != nil {
		return err
	}
	if err := borrowIndex(git, t.gitDir); err != nil {
		return fmt.Errorf("copy the index: %w", err)
	}
	ls := func(args ...string) ([]string, error) {
		out, err := t.store.run(ctx, call{dir: t.gitDir, workTree: dir, args: append([]string{"-c", "core.bare=false", "ls-files", "-z", "--exclude-standard"}, args...)})
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
	}
	list, err := ls("--cached", "--others")
	if err != nil {
		return err
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if err := sel.unignored(list, ls); err != nil {
		return err
	}
	avoid, _ := filepath.Rel(dir, t.store.cfg.Root)
	for _, name := range list {
		switch {
		case slices.ContainsFunc(sel.installed, func(d string) bool { return strings.HasPrefix(name, d+"/") }):
		case name == "" || name == ".fettle" || strings.HasPrefix(name, ".fettle/") || strings.HasPrefix(name, filepath.ToSlash(avoid)+"/"):
		case strings.HasSuffix(name, "/"):
			sel.skipped = append(sel.skipped, strings.TrimSuffix(name, "/")) // a nested repository
		case !safePath(name):
			sel.skipped = append(sel.skipped, name)
		default:
			sel.paths = append(sel.paths, name)
		}
	}
	ignored, err := ls("--others", "--ignored", "--directory")
	if err != nil {
		return err
	}
	for _, name := range ignored {
		if name, folder := strings.CutSuffix(name, "/"); folder && safePath(name) && sel.holdsInstalled(name) {
			sel.installed = append(sel.installed, name)
		}
	}
	return nil
}

// CopyInstalled copies folders of Installed into the tree, where the sandbox cannot
// show them to the checks in another way. They do not become part of the base.
func (t *Tree) CopyInstalled(ctx context.Context, folders []string) error {
	if len(folders) == 0 {
		return nil
	}
	source, err := os.OpenRoot(t.repo.Dir)
	if err != nil {
		return fmt.Errorf("copying what is installed: %w", err)
	}
	defer func() { _ = source.Close() }()
	cp := copier{t: t, from: source, left: t.store.cfg.MaxBytes, made: map[string]bool{".": true}, out: newWriters(t.root)}
	for _, name := range folders {
		if err == nil {
			err = cp.tree(ctx, name)
		}
	}
	cp.out.wait()
	if err := errors.Join(err, cp.out.failed()); err != nil {
		return fmt.Errorf("copying what is installed: %w", err)
	}
	return nil
}

// unignored finds virtual environments that nobody told Git to ignore.
func (s *selection) unignored(list []string, ls func(args ...string) ([]string, error)) error {
	for _, name := range list {
		dir, is := strings.CutSuffix(name, "/pyvenv.cfg")
		if !is || !safePath(dir) {
			continue
		}
		tracked, err := ls("--cached", "--", dir)
		if err != nil {
			return err
		}
		if strings.Join(tracked, "") == "" {
			s.installed = append(s.installed, dir)
		}
	}
	return nil
}

// borrowIndex copies what ls-files needs and nothing that configures Git.
func borrowIndex(git *workingCopy, into string) error {
	names := []string{"index"}
	if shared, err := filepath.Glob(filepath.Join(git.own, "sharedindex.*")); err == nil {
		for _, s := range shared {
			names = append(names, filepath.Base(s))
		}
	}
	for _, name := range names {
		if err := copyFile(filepath.Join(git.own, name), filepath.Join(into, name)); err != nil {
			return err
		}
	}
	if err := copyFile(filepath.Join(git.common, "shallow"), filepath.Join(into, "shallow")); err != nil {
		return err
	}
	return copyFile(filepath.Join(git.common, "info", "exclude"), filepath.Join(into, "info", "exclude"))
}

// copyFile copies a regular file; one that is not there is no error.
func copyFile(from, to string) error {
	in, err := regular.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxIndex+1))
	if n > maxIndex {
		err = fmt.Errorf("%s has more than %d bytes", from, maxIndex)
	}
	return errors.Join(err, out.Close())
}

// importFiles copies every selected file into the tree and streams it to git
// fast-import at the same time; the base commit comes out.
func (t *Tree) importFiles(ctx context.Context, git *workingCopy, sel *selection, cp *copier) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pr, pw := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		_, err := t.store.run(ctx, call{dir: t.gitDir, stdin: pr, stdout: &out, args: importArgs})
		_ = pr.CloseWithError(err)
		ended <- err
	}()
	err := func() error {
		in := bufio.NewWriterSize(pw, 1<<20)
		var head bytes.Buffer
		commitHead(&head, "refs/fettle/base", "the folder as it was", Signature{Name: "fettle", Email: "fettle@localhost", When: time.Unix(0, 0)})
		if git != nil && git.head != "" {
			if _, err := t.store.resolve(ctx, t.gitDir, git.head); err == nil {
				fmt.Fprintf(&head, "from %s\ndeleteall\n", git.head)
			}
		}
		if _, err := head.WriteTo(in); err != nil {
			return err
		}
		files := 0
		for _, name := range sel.paths {
			ok, err := cp.file(name, in)
			if err != nil {
				return fmt.Errorf("copy %q: %w", name, err)
			}
			if ok {
				files++
			}
		}
		if files == 0 {
			return ErrEmpty
		}
		if _, err := in.WriteString("get-mark :1\ndone\n"); err != nil {
			return err
		}
		return in.Flush()
	}()
	if err != nil {
		cancel()
	}
	_ = pw.CloseWithError(err)
	if gitErr := <-ended; gitErr != nil && (err == nil || errors.Is(err, io.ErrClosedPipe)) {
		err = gitErr
	}
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(out.String())
	if !isHash(commit) {
		return "", fmt.Errorf("git fast-import answered %q instead of a hash", commit)
	}
	return commit, nil
}
