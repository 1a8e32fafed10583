package simulator

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
)

// isGitPath tells /owner/name.git/… from a page.
func isGitPath(path string) bool {
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 3)
	return len(parts) == 3 && (strings.HasSuffix(parts[1], ".git") || parts[2] == "info/refs" || parts[2] == "git-upload-pack" || parts[2] == "git-receive-pack")
}

// serveGit is Git's smart HTTP protocol, with an installation token as the
// password. Fetching needs contents:read, pushing contents:write.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request) {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
	service := r.URL.Query().Get("service")
	if parts[2] != "info/refs" {
		service = parts[2]
	}
	get := r.Method == http.MethodGet && parts[2] == "info/refs"
	post := r.Method == http.MethodPost && parts[2] == service
	if (service != "git-upload-pack" && service != "git-receive-pack") || (!get && !post) {
		http.Error(w, "Repository not found.", http.StatusNotFound)
		return
	}
	repo, status, message := s.gitAccess(r, parts[0], strings.TrimSuffix(parts[1], ".git"), service)
	if repo == nil {
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		}
		http.Error(w, message, status)
		return
	}
	w.Header().Set("Cache-Control", "no-cache, max-age=0, must-revalidate")
	if get {
		s.advertise(w, r, repo, service)
		return
	}
	body, err := gitBody(r)
	if err != nil {
		http.Error(w, "the body is not gzip", http.StatusBadRequest)
		return
	}
	defer body.Close()
	w.Header().Set("Content-Type", "application/x-"+service+"-result")
	if service == "git-upload-pack" {
		s.stateless(r.Context(), w, body, repo, service, r.Header.Get("Git-Protocol"))
		return
	}
	s.receive(w, r, body, repo)
}

// gitAccess finds the repository if the request may use it.
func (s *Server) gitAccess(r *http.Request, owner, name, service string) (*repository, int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cred := credentialsOf(r)
	if cred.value == "" {
		return nil, http.StatusUnauthorized, "Authentication required"
	}
	t := s.tokenFor(cred.value)
	if t == nil {
		return nil, http.StatusUnauthorized, "Invalid username or token. Password authentication is not supported for Git operations."
	}
	repo := s.state.repo(owner, name)
	if repo == nil || !s.sees(t, repo) {
		return nil, http.StatusNotFound, "Repository not found."
	}
	need := "contents:read"
	if service == "git-receive-pack" {
		need = "contents:write"
	}
	if !t.may(need) {
		return nil, http.StatusForbidden, "Write access to repository not granted."
	}
	return repo, 0, ""
}

func gitBody(r *http.Request) (io.ReadCloser, error) {
	if r.Header.Get("Content-Encoding") == "gzip" {
		return gzip.NewReader(r.Body)
	}
	return r.Body, nil
}

func pkt(line string) string { return fmt.Sprintf("%04x%s", len(line)+4, line) }

func gitEnv(protocol string) []string {
	for _, known := range []string{"version=1", "version=2"} {
		if protocol == known {
			return []string{"GIT_PROTOCOL=" + known}
		}
	}
	return nil
}

func (s *Server) advertise(w http.ResponseWriter, r *http.Request, repo *repository, service string) {
	out, err := s.git.run(r.Context(), s.dir(repo), nil, gitEnv(r.Header.Get("Git-Protocol")),
		s.serviceArgs(repo, service, "--advertise-refs")...)
	if err != nil {
		s.cfg.Log.WithError(err).Error("simulator: listing references for git")
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-"+service+"-advertisement")
	if r.Header.Get("Git-Protocol") != "version=2" || service == "git-receive-pack" {
		_, _ = io.WriteString(w, pkt("# service="+service+"\n")+"0000")
	}
	_, _ = w.Write(out)
}

// serviceArgs starts upload-pack or receive-pack: hidden refs/pull stay
// readable, nobody but the simulator writes them.
func (s *Server) serviceArgs(repo *repository, service string, more ...string) []string {
	args := []string{"-c", "uploadpack.allowReachableSHA1InWant=true", "-c", "uploadpack.allowAnySHA1InWant=true", "-c", "uploadpack.allowFilter=true",
		"-c", "receive.denyDeletes=false", "-c", "receive.fsckObjects=true", "-c", "receive.denyCurrentBranch=ignore",
		strings.TrimPrefix(service, "git-"), "--stateless-rpc"}
	return append(append(args, more...), s.dir(repo))
}

// stateless runs one request of the protocol with git itself.
func (s *Server) stateless(ctx context.Context, w io.Writer, body io.Reader, repo *repository, service, protocol string) {
	cmd := s.git.command(ctx, s.dir(repo), gitEnv(protocol), s.serviceArgs(repo, service)...)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = body, w, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		s.cfg.Log.WithError(err).WithField("stderr", errs.String()).Warn("simulator: git did not finish")
	}
}

// receive takes a push: the commands are read first, so that a protected
// branch is refused before any object is written; what git then did to the
// references becomes visible in the API.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, body io.Reader, repo *repository) {
	var head bytes.Buffer
	commands, caps, err := readCommands(io.TeeReader(body, &head))
	if err != nil {
		http.Error(w, "the request is not a push: "+err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	report, bad := refuseGuarded(repo, commands)
	before, _, err := s.refs(r.Context(), repo, "refs/")
	s.mu.Unlock()
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	if bad {
		_, _ = io.Copy(io.Discard, body)
		_, _ = io.WriteString(w, pushReport(report, caps))
		return
	}
	var reply bytes.Buffer
	s.stateless(r.Context(), &reply, io.MultiReader(&head, body), repo, "git-receive-pack", r.Header.Get("Git-Protocol"))
	if err := s.noticePush(repo, commands, before); err != nil {
		s.cfg.Log.WithError(err).Error("simulator: after a push")
	}
	_, _ = w.Write(reply.Bytes())
}

// pushCommand is `old new ref`.
type pushCommand struct{ old, new, ref string }

// readCommands reads the pkt-lines up to the flush.
func readCommands(r io.Reader) ([]pushCommand, string, error) {
	var out []pushCommand
	caps := ""
	for range 1000 {
		var size [4]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return nil, "", err
		}
		n, err := strconv.ParseUint(string(size[:]), 16, 16)
		if err != nil {
			return nil, "", err
		}
		if n == 0 {
			return out, caps, nil
		}
		if n < 5 {
			return nil, "", errors.New("bad length")
		}
		line := make([]byte, n-4)
		if _, err := io.ReadFull(r, line); err != nil {
			return nil, "", err
		}
		text, c, has := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\x00")
		if has {
			caps = c
		}
		words := strings.SplitN(text, " ", 3)
		if len(words) == 3 {
			out = append(out, pushCommand{words[0], words[1], words[2]})
		}
	}
	return nil, "", errors.New("too many references")
}

// refuseGuarded says ok or why not for each reference; one refused reference
// refuses the whole push.
func refuseGuarded(repo *repository, commands []pushCommand) (string, bool) {
	var b strings.Builder
	b.WriteString(pkt("unpack ok\n"))
	bad := false
	for _, c := range commands {
		why := ""
		switch {
		case strings.HasPrefix(c.ref, "refs/pull/"):
			why = "deny updating a hidden ref"
		case repo.guarded(c.ref) != "":
			why = "protected branch hook declined"
		case c.new == zeroSHA && c.ref == "refs/heads/"+repo.DefaultBranch:
			why = "refusing to delete the current branch: " + c.ref
		}
		bad = bad || why != ""
		if why == "" {
			why = "not pushed together with a refused reference"
		}
		b.WriteString(pkt("ng " + c.ref + " " + why + "\n"))
	}
	b.WriteString("0000")
	return b.String(), bad
}

// pushReport wraps a report-status for the side band if the client asked so.
func pushReport(report, caps string) string {
	if !strings.Contains(caps, "side-band-64k") {
		return report
	}
	note := "error: GH006: Protected branch update failed.\n"
	return pkt("\x02"+note) + pkt("\x01"+report) + "0000"
}

// noticePush looks what became of the references that a push named.
func (s *Server) noticePush(repo *repository, commands []pushCommand, before map[string]string) error {
	s.mu.Lock()
	err := func() error {
		ctx := context.Background() // the client may be gone; its push is not
		after, _, err := s.refs(ctx, repo, "refs/")
		for _, c := range commands {
			if err == nil && before[c.ref] != after[c.ref] {
				err = s.branchMoved(ctx, repo, c.ref, before[c.ref], after[c.ref], s.botLogin())
			}
		}
		return err
	}()
	s.mu.Unlock()
	return errors.Join(err, s.save())
}
