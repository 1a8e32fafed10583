package simulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// gitRunner starts git with nothing of the user's or the machine's settings,
// no hooks, no filters, no credentials and an empty environment.
type gitRunner struct{ bin string }

const zeroSHA = "0000000000000000000000000000000000000000"

// command is git on the bare repository dir.
func (g gitRunner) command(ctx context.Context, dir string, env []string, args ...string) *exec.Cmd {
	all := append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null",
		"-c", "core.excludesFile=/dev/null", "-c", "credential.helper=", "-c", "protocol.ext.allow=never", "-c", "gc.auto=0",
		"-c", "receive.autogc=false", "-c", "maintenance.auto=false", "-c", "core.quotePath=true", "--git-dir=" + dir}, args...)
	cmd := exec.CommandContext(ctx, g.bin, all...) //nolint:gosec // no shell; what comes from a request is checked where it is read
	cmd.Env = append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1"}, env...)
	cmd.Dir = "/"
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// gitError is a git command that failed.
type gitError struct {
	args   string
	stderr string
	err    error
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s: %v: %s", e.args, e.err, strings.TrimSpace(e.stderr))
}
func (e *gitError) Unwrap() error { return e.err }

func (g gitRunner) run(ctx context.Context, dir string, stdin []byte, env []string, args ...string) ([]byte, error) {
	cmd := g.command(ctx, dir, env, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		return out.Bytes(), &gitError{args: args[0], stderr: errs.String(), err: err}
	}
	return out.Bytes(), nil
}

// refused tells whether git ran and said no.
func refused(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}

func (s *Server) dir(r *repository) string {
	return filepath.Join(s.cfg.Root, "repos", r.Owner, r.Name+".git")
}

// do runs git on a repository and returns its output without the final line
// break.
func (s *Server) do(ctx context.Context, r *repository, args ...string) (string, error) {
	out, err := s.git.run(ctx, s.dir(r), nil, nil, args...)
	return strings.TrimRight(string(out), "\n"), err
}

// initRepo makes an empty bare repository.
func (s *Server) initRepo(ctx context.Context, dir, branch string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	_, err := s.git.run(ctx, dir, nil, nil, "init", "--quiet", "--bare", "--template=", "--initial-branch="+branch, dir)
	return err
}

// isSHA tells whether text is a full object name.
func isSHA(text string) bool {
	if len(text) != 40 {
		return false
	}
	for _, c := range text {
		if !strings.ContainsRune("0123456789abcdef", c) {
			return false
		}
	}
	return true
}

// kind is an object's type, or "" when the repository has no such object.
func (s *Server) kind(ctx context.Context, r *repository, sha string) (string, error) {
	if !isSHA(sha) {
		return "", nil
	}
	kind, err := s.do(ctx, r, "cat-file", "-t", sha)
	if err != nil && refused(err) {
		return "", nil
	}
	return kind, err
}

// refSHA is where a full reference name points, or "" when it is missing.
func (s *Server) refSHA(ctx context.Context, r *repository, ref string) (string, error) {
	if !strings.HasPrefix(ref, "refs/") {
		return "", nil
	}
	out, err := s.do(ctx, r, "for-each-ref", "--format=%(refname) %(objectname)", ref)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if name, sha, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref {
			return sha, nil
		}
	}
	return "", nil
}

// validRef asks git whether a full reference name is well-formed.
func (s *Server) validRef(ctx context.Context, r *repository, ref string) bool {
	_, err := s.do(ctx, r, "check-ref-format", ref)
	return err == nil && !strings.ContainsAny(ref, "\x00\n")
}

// refs lists every reference below a prefix such as refs/heads/.
func (s *Server) refs(ctx context.Context, r *repository, prefix string) (map[string]string, []string, error) {
	out, err := s.do(ctx, r, "for-each-ref", "--format=%(refname) %(objectname)", strings.TrimSuffix(prefix, "/"))
	if err != nil {
		return nil, nil, err
	}
	shas, names := map[string]string{}, []string{}
	for line := range strings.Lines(out) {
		if name, sha, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			shas[name] = sha
			names = append(names, name)
		}
	}
	return shas, names, nil
}

// resolve turns a branch, tag, full reference or hash into a commit, or "".
func (s *Server) resolve(ctx context.Context, r *repository, name string) (string, error) {
	if kind, err := s.kind(ctx, r, name); err != nil || kind == "commit" {
		return name, err
	}
	for _, ref := range []string{"refs/heads/" + name, "refs/tags/" + name, "refs/" + name, name} {
		sha, err := s.refSHA(ctx, r, ref)
		if err != nil {
			return "", err
		}
		if sha != "" {
			return s.do(ctx, r, "rev-parse", "--verify", "--quiet", "--end-of-options", sha+"^{commit}")
		}
	}
	return "", nil
}

// isAncestor tells whether old is reachable from new.
func (s *Server) isAncestor(ctx context.Context, r *repository, old, new string) (bool, error) {
	_, err := s.do(ctx, r, "merge-base", "--is-ancestor", old, new)
	if err != nil && refused(err) {
		return false, nil
	}
	return err == nil, err
}

// moveRef is a compare-and-swap; old "" means that the reference is new.
func (s *Server) moveRef(ctx context.Context, r *repository, ref, new, old string) error {
	if old == "" {
		old = zeroSHA
	}
	_, err := s.do(ctx, r, "update-ref", ref, new, old)
	return err
}

// commitInfo is a commit taken apart.
type commitInfo struct {
	SHA, Tree, Message string
	Parents            []string
	Author, Committer  person
	Raw                string
}

type person struct {
	Name, Email string
	Date        time.Time
}

func (s *Server) commit(ctx context.Context, r *repository, sha string) (commitInfo, error) {
	raw, err := s.git.run(ctx, s.dir(r), nil, nil, "cat-file", "commit", sha)
	if err != nil {
		return commitInfo{}, err
	}
	c := commitInfo{SHA: sha, Raw: string(raw)}
	head, message, _ := strings.Cut(string(raw), "\n\n")
	c.Message = strings.TrimSuffix(message, "\n")
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author":
			c.Author = parsePerson(value)
		case "committer":
			c.Committer = parsePerson(value)
		}
	}
	return c, nil
}

// parsePerson reads `Name <email> seconds zone`.
func parsePerson(text string) person {
	name, rest, _ := strings.Cut(text, " <")
	email, when, _ := strings.Cut(rest, "> ")
	var seconds int64
	_, _ = fmt.Sscan(when, &seconds)
	return person{Name: name, Email: email, Date: time.Unix(seconds, 0).UTC()}
}

// treeEntry is one line of a tree.
type treeEntry struct {
	Mode, Type, SHA, Path string
	Size                  int64 // of blobs; -1 otherwise
}

func (s *Server) tree(ctx context.Context, r *repository, treeish string, recursive bool, paths ...string) ([]treeEntry, error) {
	args := []string{"ls-tree", "-z", "--long", "--full-tree"}
	if recursive {
		args = append(args, "-r", "-t")
	}
	args = append(append(args, treeish, "--"), paths...)
	out, err := s.git.run(ctx, s.dir(r), nil, []string{"GIT_LITERAL_PATHSPECS=1"}, args...)
	if err != nil {
		return nil, err
	}
	var entries []treeEntry
	for _, line := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		words := strings.Fields(meta)
		if !ok || len(words) != 4 {
			continue
		}
		e := treeEntry{Mode: words[0], Type: words[1], SHA: words[2], Path: path, Size: -1}
		_, _ = fmt.Sscan(words[3], &e.Size)
		entries = append(entries, e)
	}
	return entries, nil
}

func (s *Server) blob(ctx context.Context, r *repository, sha string) ([]byte, error) {
	return s.git.run(ctx, s.dir(r), nil, nil, "cat-file", "blob", sha)
}

// writeTree makes a tree from base (a tree or commit, or "") and changes in
// the form of `git update-index --index-info`.
func (s *Server) writeTree(ctx context.Context, r *repository, base string, changes []byte) (string, error) {
	tmp, err := os.MkdirTemp("", "simulator-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	if base != "" {
		if _, err := s.git.run(ctx, s.dir(r), nil, env, "read-tree", base); err != nil {
			return "", err
		}
	}
	if _, err := s.git.run(ctx, s.dir(r), changes, env, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	out, err := s.git.run(ctx, s.dir(r), nil, env, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// writeCommit makes a commit object; nothing points to it yet.
func (s *Server) writeCommit(ctx context.Context, r *repository, tree string, parents []string, message string, author, committer person) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", author.line(), committer.line(), message)
	out, err := s.git.run(ctx, s.dir(r), []byte(b.String()), nil, "hash-object", "-t", "commit", "-w", "--stdin")
	return strings.TrimSpace(string(out)), err
}

func (p person) line() string {
	clean := strings.NewReplacer("<", "", ">", "", "\n", " ", "\x00", "")
	return fmt.Sprintf("%s <%s> %d +0000", clean.Replace(p.Name), clean.Replace(p.Email), p.Date.Unix())
}
