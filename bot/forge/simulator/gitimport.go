package simulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/regular"
)

var nameShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// AddRepo hosts the content of dir as owner/name: the files of a plain folder
// or of a working copy (without what .gitignore leaves out, without .git)
// become one commit on main; a bare repository's HEAD keeps its history. dir
// is only read, and nothing in it is run. dir "" makes an empty repository. A
// repository that is already there (a restart) is left as it is.
func (s *Server) AddRepo(owner, name, dir string) error {
	if !nameShape.MatchString(owner) || !nameShape.MatchString(name) || strings.HasSuffix(name, ".git") {
		return fmt.Errorf("%s/%s is not a repository's name; use letters, digits, dots, dashes", owner, name)
	}
	s.mu.Lock()
	err := s.addRepo(context.Background(), owner, name, dir)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("hosting %s as %s/%s: %w", dir, owner, name, err)
	}
	return s.save()
}

func (s *Server) addRepo(ctx context.Context, owner, name, dir string) error {
	if s.state.repo(owner, name) != nil {
		return nil
	}
	now := s.now()
	s.know(owner)
	if s.state.installationOf(owner) == nil && s.state.App == nil { // who makes an App by a manifest installs it as well
		s.install(owner)
	}
	r := &repository{ID: s.state.nextID(), Owner: owner, Name: name, DefaultBranch: "main", CreatedAt: now, UpdatedAt: now,
		PushedAt: now, Protected: map[string]bool{"main": true}, Permissions: map[string]string{strings.ToLower(owner): "admin"},
		Signed: map[string]time.Time{}}
	for _, l := range defaultLabels {
		r.Labels = append(r.Labels, &label{ID: s.state.nextID(), Name: l[0], Color: l[1], Description: l[2], Default: true})
	}
	git := s.dir(r)
	if err := s.initRepo(ctx, git, r.DefaultBranch); err != nil {
		return err
	}
	if dir != "" {
		if err := s.importDir(ctx, r, dir); err != nil {
			return errors.Join(err, os.RemoveAll(git))
		}
	}
	s.state.Repos[repoKey(owner, name)] = r
	s.changed()
	return nil
}

func (s *Server) importDir(ctx context.Context, r *repository, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a directory")
	}
	if isBare(dir) {
		if err := errors.Join(regular.Objects(ctx, dir), regular.Objects(ctx, filepath.Join(dir, "objects"))); err != nil {
			return err
		}
		env := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_ALLOW_PROTOCOL=file"}
		_, err := s.git.run(ctx, s.dir(r), nil, env, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--update-head-ok",
			"file://"+dir, "HEAD:refs/heads/"+r.DefaultBranch)
		return err
	}
	return s.importFiles(ctx, r, dir)
}

// isBare tells whether dir is itself a Git directory.
func isBare(dir string) bool {
	for _, part := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, part)); err != nil {
			return false
		}
	}
	return true
}

// importFiles writes one commit with git fast-import from the bytes as they
// are, so that no filter, attribute or configuration of the folder has a say.
func (s *Server) importFiles(ctx context.Context, r *repository, dir string) error {
	names, err := s.listFiles(ctx, r, dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	who := person{Name: r.Owner, Email: s.userEmail(r.Owner), Date: s.now()}
	var stream bytes.Buffer
	message := "Import " + r.Name
	fmt.Fprintf(&stream, "commit refs/heads/%s\nauthor %s\ncommitter %s\ndata %d\n%s\n", r.DefaultBranch, who.line(), who.line(), len(message), message)
	count := 0
	for _, name := range strings.Split(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if name == "" || strings.HasSuffix(name, "/") { // a repository inside: not ours
			continue
		}
		if err := addToStream(&stream, root, name); err != nil {
			return fmt.Errorf("reading %q: %w", name, err)
		}
		count++
	}
	if count == 0 {
		return nil // an empty folder is an empty repository
	}
	_, err = s.git.run(ctx, s.dir(r), stream.Bytes(), nil, "fast-import", "--quiet", "--date-format=raw")
	return err
}

// listFiles names what belongs to the repository: what .gitignore does not
// leave out, and in a working copy also what its index holds.
func (s *Server) listFiles(ctx context.Context, r *repository, dir string) ([]byte, error) {
	if err := regular.WorkTree(ctx, dir); err != nil {
		return nil, err
	}
	args := []string{"--work-tree=" + dir, "-c", "core.bare=false", "ls-files", "-z", "--cached", "--others",
		"--exclude-standard", "--full-name", "--", ":/"}
	index := filepath.Join(dir, ".git", "index")
	if info, err := os.Lstat(index); err == nil && info.Mode().IsRegular() {
		if names, err := s.git.run(ctx, s.dir(r), nil, []string{"GIT_INDEX_FILE=" + index}, args...); err == nil {
			return names, nil
		}
	}
	return s.git.run(ctx, s.dir(r), nil, nil, args...)
}

func addToStream(stream *bytes.Buffer, root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // in the index, but deleted
	}
	if err != nil {
		return err
	}
	mode := "100644"
	var data []byte
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return err
		}
		mode, data = "120000", []byte(target)
	case info.Mode().IsRegular():
		if data, err = regular.ReadIn(root, name, info.Size()+1); err != nil {
			return err
		}
		if info.Mode()&0o100 != 0 {
			mode = "100755"
		}
	default:
		return nil // sockets, pipes, devices
	}
	fmt.Fprintf(stream, "M %s inline %s\ndata %d\n", mode, quotePath(name), len(data))
	stream.Write(data)
	stream.WriteByte('\n')
	return nil
}

// quotePath is a path in the C style that fast-import reads.
func quotePath(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
