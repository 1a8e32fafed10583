package prepush

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Repo is the repository of a folder.
type Repo struct {
	Top    string // root of the working copy; of a bare repository its own folder
	Common string // the Git directory that all working copies of the repository share
	Bare   bool
}

// ErrNoRepo is what Find answers where no repository is.
var ErrNoRepo = errors.New("it is not in a Git repository")

// Find asks git which repository holds a folder.
func Find(ctx context.Context, dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &Repo{Top: abs}
	out, err := r.git(ctx, "rev-parse", "--is-bare-repository", "--is-inside-git-dir")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRepo, err)
	}
	facts := strings.Fields(out)
	r.Bare = facts[0] == "true"
	if !r.Bare && facts[1] == "true" {
		return nil, fmt.Errorf("%w: %s is inside a .git folder; change to the working copy", ErrNoRepo, abs)
	}
	ask := "--show-toplevel"
	if r.Bare {
		ask = "--absolute-git-dir"
	}
	if r.Top, err = r.git(ctx, "rev-parse", ask); err != nil {
		return nil, err
	}
	if r.Common, err = r.git(ctx, "rev-parse", "--git-common-dir"); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(r.Common) {
		r.Common = filepath.Join(r.Top, r.Common)
	}
	return r, nil
}

// git runs the person's git at the root of the working copy.
func (r *Repo) git(ctx context.Context, args ...string) (string, error) {
	return r.gitWith(ctx, "", nil, args...)
}

func (r *Repo) gitWith(ctx context.Context, stdin string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = r.Top, append(os.Environ(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = 2 * time.Second
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// config is a setting of git, "" where it is not set.
func (r *Repo) config(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, append([]string{"config"}, args...)...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return out, err
}

// Mode is what is done about a red push.
type Mode string

// The modes of fettle.fixOnPush.
const (
	Off Mode = "off" // say why it is red
	Ask Mode = "ask" // ask at the terminal whether to mend, and whether to take the change
	On  Mode = "on"  // mend, and leave the change as a commit to be taken
)

// Settings are those of git config, section fettle.
type Settings struct {
	Fix     Mode          // fettle.fixOnPush
	FixTime time.Duration // fettle.fixSeconds
	Trusted bool          // fettle.trust, of the repository's own configuration only
}

// defaultFixTime is long enough for most mechanical repairs of small suites, and
// as long as somebody who pushes waits.
const defaultFixTime = time.Minute

// Settings reads git config.
func (r *Repo) Settings(ctx context.Context) (Settings, error) {
	s := Settings{Fix: Off, FixTime: defaultFixTime}
	mode, err := r.config(ctx, "--get", "fettle.fixOnPush")
	if err != nil {
		return s, err
	}
	switch m := strings.ToLower(mode); m {
	case "", "off", "false", "no", "0":
	case "ask":
		s.Fix = Ask
	case "on", "true", "yes", "1":
		s.Fix = On
	default:
		return s, fmt.Errorf("fettle.fixOnPush of git config takes off, ask or on, and is %q", mode)
	}
	limit, err := r.config(ctx, "--get", "fettle.fixSeconds")
	if err != nil {
		return s, err
	}
	if limit != "" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > 3600 {
			return s, fmt.Errorf("fettle.fixSeconds of git config takes 1 to 3600, and is %q", limit)
		}
		s.FixTime = time.Duration(n) * time.Second
	}
	// A word for one repository: neither the person's configuration for all, nor
	// anything that a clone brings, may take the sandbox away. A clone can bring a
	// folder that is a bare repository with a configuration of its own: git tells it
	// from one that it was pointed at.
	if _, err := r.git(ctx, "-c", "safe.bareRepository=explicit", "rev-parse", "--git-dir"); err != nil {
		return s, nil //nolint:nilerr // not trusted
	}
	trust, err := r.config(ctx, "--local", "--type=bool", "--get", "fettle.trust")
	if err != nil {
		return s, fmt.Errorf("fettle.trust: %w", err)
	}
	s.Trusted = trust == "true"
	return s, nil
}
