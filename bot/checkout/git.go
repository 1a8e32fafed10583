package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// options stand before every git command (TRUST principle 3). There is no
// configuration file beside them but the one that we wrote into our own Git
// directory.
var options = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false",
	"core.attributesFile=/dev/null", "core.excludesFile=/dev/null", "core.autocrlf=false",
	"core.askPass=", "core.pager=cat", "core.editor=false", "core.sshCommand=false", "core.gitProxy=",
	"diff.external=", "submodule.recurse=false", "fetch.recurseSubmodules=no", "push.recurseSubmodules=no",
	"protocol.allow=never", "protocol.ext.allow=never", "credential.helper=", "http.followRedirects=false",
	"gc.auto=0", "maintenance.auto=false", "fetch.unpackLimit=1", "commit.gpgSign=false", "push.gpgSign=false",
	"pack.compression=1", "core.compression=1",
}

// passed are the only variables of our own environment that git sees: where
// programs, proxies and certificates are.
var passed = []string{"PATH", "http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "ALL_PROXY",
	"all_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "TMPDIR"}

// environment is what git gets besides.
var environment = []string{
	"HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null",
	"GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS=false",
	"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_PROTOCOL_FROM_USER=0", "GIT_SSH_COMMAND=false",
	"GIT_EDITOR=false", "GIT_PAGER=cat", "GIT_FLUSH=0",
}

// call is one run of git.
type call struct {
	dir      string // the Git directory, ours
	workTree string // "" for none
	args     []string
	stdin    io.Reader
	stdout   io.Writer // nil: run returns the output
	remote   *remote
	token    string
}

// gitError is a git command that failed; Stderr is clean for logs.
type gitError struct {
	Command string
	Stderr  string
	Err     error
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s: %v: %s", e.Command, e.Err, e.Stderr)
}
func (e *gitError) Unwrap() error { return e.Err }

// run runs git to its end and returns what it printed.
func (s *Store) run(ctx context.Context, c call) ([]byte, error) {
	cmd, done, err := s.command(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	var out, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout = c.stdin, c.stdout
	if c.stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &capped{w: &problems, left: 16 << 10}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, &gitError{Command: c.args[0], Stderr: strings.TrimSpace(s.cfg.Funnel.Log(problems.String())), Err: err}
	}
	return out.Bytes(), nil
}

// command prepares git with all the walls. done frees the pipe of the token
// and is called after the command has ended.
func (s *Store) command(ctx context.Context, c call) (cmd *exec.Cmd, done func(), err error) {
	args := []string{"--git-dir=" + c.dir, "--no-pager", "--literal-pathspecs"}
	if c.workTree != "" {
		args = append(args, "--work-tree="+c.workTree)
	}
	for _, o := range options {
		args = append(args, "-c", o)
	}
	args = append(args, "-c", "safe.directory="+c.dir)
	if c.remote != nil {
		args = append(args, c.remote.options(c.token != "")...)
	}
	cmd = exec.CommandContext(ctx, s.cfg.Git, append(args, c.args...)...)
	cmd.Dir = s.cfg.Root
	cmd.Env = append([]string(nil), environment...)
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	if s.cfg.CAFile != "" {
		cmd.Env = append(cmd.Env, "GIT_SSL_CAINFO="+s.cfg.CAFile)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	done = func() {}
	if c.token != "" {
		r, err := tokenPipe(c.token)
		if err != nil {
			return nil, nil, err
		}
		cmd.ExtraFiles = []*os.File{r} // descriptor 3 of git, its transport and the helper
		done = func() { _ = r.Close() }
	}
	return cmd, done, nil
}

// tokenPipe puts the answer of a credential helper into a pipe.
func tokenPipe(token string) (*os.File, error) {
	if strings.ContainsAny(token, "\r\n\x00") || len(token) > 8<<10 {
		return nil, errors.New("the token for git is not one line of at most 8 KiB")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for git's token: %w", err)
	}
	_, err = io.WriteString(w, "username=x-access-token\npassword="+token+"\n")
	if cerr := w.Close(); err != nil || cerr != nil {
		_ = r.Close()
		return nil, fmt.Errorf("hand git its token: %w", errors.Join(err, cerr))
	}
	return r, nil
}

// remote is a checked address.
type remote struct {
	address  string
	protocol string
	origin   string // scheme://host:port, for http and https
}

// newRemote accepts https, http and file addresses and absolute paths.
// Addresses with credentials are refused: they would stand in arguments.
func newRemote(address string) (*remote, error) {
	if filepath.IsAbs(address) {
		return &remote{address: address, protocol: "file"}, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the clone address is not a URL")
	}
	if u.User != nil {
		return nil, errors.New("the clone address holds credentials; give them through the GitHub App instead")
	}
	switch u.Scheme {
	case "https", "http":
		if u.Host == "" {
			return nil, fmt.Errorf("the clone address %q names no host", address)
		}
		return &remote{address: address, protocol: u.Scheme, origin: u.Scheme + "://" + u.Host}, nil
	case "file":
		return &remote{address: address, protocol: "file"}, nil
	}
	return nil, fmt.Errorf("the clone address %q is neither https, http nor a path", address)
}

// options open the one protocol that this address needs, and bind the token's
// helper to its origin.
func (r *remote) options(withToken bool) []string {
	out := []string{"-c", "protocol." + r.protocol + ".allow=always"}
	if withToken && r.origin != "" {
		out = append(out, "-c", "credential."+r.origin+`.helper=!f() { test "$1" = get && cat <&3; }; f`)
	}
	return out
}

// capped keeps the first bytes and drops the rest.
type capped struct {
	w    io.Writer
	left int
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.left -= n
	if n > 0 {
		if _, err := c.w.Write(p[:n]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// makeGitDir writes an empty bare repository that reads objects of others.
func makeGitDir(dir string, alternates []string) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	files := map[string]string{
		"HEAD":   "ref: refs/heads/none\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
	}
	if len(alternates) > 0 {
		files["objects/info/alternates"] = strings.Join(alternates, "\n") + "\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
