package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Sources is where repositories come from.
type Sources struct {
	Mirror string // folder of bare repositories <owner>+<name>/repo; empty: they are cloned from GitHub into Work
	Work   string // the benchmark's work folder, absolute
}

const (
	gitLimit   = time.Minute
	cloneLimit = 10 * time.Minute
)

// Repo is the bare repository of owner/name, cloned where it has to be.
func (s Sources) Repo(ctx context.Context, name string) (string, error) {
	if strings.Count(name, "/") != 1 || !filepath.IsLocal(name) || strings.HasPrefix(name, "-") {
		return "", fmt.Errorf("%q is not owner/name", name)
	}
	flat := strings.Replace(name, "/", "+", 1)
	if s.Mirror != "" {
		dir := filepath.Join(s.Mirror, flat, "repo")
		if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
			return "", fmt.Errorf("no mirror of %s: %w: put a bare clone at %s", name, err, dir)
		}
		return dir, nil
	}
	dir := store(s.Work, "clones", flat)
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		return dir, nil
	}
	part := dir + ".part"
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(filepath.Dir(dir), 0o755)); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, cloneLimit)
	defer cancel()
	if _, err := run(ctx, "", nil, "git", "clone", "--quiet", "--bare", "https://github.com/"+name, part); err != nil {
		return "", err
	}
	return dir, os.Rename(part, dir)
}

// git runs Git on a bare repository without anybody's configuration.
func git(ctx context.Context, repo string, env []string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	env = append([]string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}, env...)
	return run(ctx, "", env, "git", append([]string{"--git-dir=" + repo, "-c", "core.quotePath=false"}, args...)...)
}

// run gives what a command printed, also where it failed.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &stdout, &stderr, append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(stderr.String())
		return stdout.Bytes(), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args[:min(len(args), 4)], " "), err, text[:min(len(text), 400)])
	}
	return stdout.Bytes(), nil
}

// lay writes the tree of a commit to a new folder, all of it, whatever the
// repository leaves out of its archives.
func lay(ctx context.Context, repo, commit, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	index := dir + ".index"
	defer os.Remove(index)
	if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := git(ctx, repo, env, "read-tree", commit); err != nil {
		return err
	}
	_, err := git(ctx, repo, env, "--work-tree="+dir, "checkout-index", "--all", "--force", "--prefix="+dir+"/")
	return err
}

// blob is a file as a commit has it.
func blob(ctx context.Context, repo, commit, path string) ([]byte, error) {
	return git(ctx, repo, nil, "cat-file", "blob", commit+":"+path)
}
