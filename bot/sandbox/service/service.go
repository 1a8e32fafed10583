// Package service starts a program that others are going to ask, waits until it
// can be asked, keeps what it says, and ends it with all that it started. In go
// its command line and how one knows that it is ready; out come its words.
//
// It runs inside the sandbox, in the same network as whoever asks. It must never
// be used on the host: what it starts is a repository's.
package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// Config is a program and how one knows that it is ready: a command that ends with
// status 0, an address that answers to a path, or else one that takes connections.
type Config struct {
	Argv   []string
	Dir    string
	Env    []string
	Addr   string        // "127.0.0.1:5432"
	Path   string        // asked over HTTP until it answers below 400
	Ready  []string      // run until it ends with status 0, with the service's environment
	Within time.Duration // in which the service has to be ready
}

// Service is a started program. End it.
type Service struct {
	Log  *Ring
	cfg  Config
	cmd  *exec.Cmd
	over chan struct{} // closed when it ended
	err  error
}

// ErrLate is the error of a service that was not ready in its time, ErrNotFound of
// one whose program is not there. Errors read on from the service's name.
var (
	ErrLate     = errors.New("not ready")
	ErrNotFound = errors.New("a program was not found")
)

// Start starts the program; nothing else may listen at its address.
func Start(cfg Config) (*Service, error) {
	l, err := net.Listen("tcp4", cfg.Addr) //nolint:noctx // closed at once
	if err != nil {
		return nil, fmt.Errorf("cannot be started: %s is taken before the service starts: %w", cfg.Addr, err)
	}
	_ = l.Close()
	s := &Service{cfg: cfg, Log: &Ring{}, over: make(chan struct{}), cmd: exec.Command(cfg.Argv[0], cfg.Argv[1:]...)} //nolint:noctx // End kills it
	s.cmd.Env, s.cmd.Dir = cfg.Env, cfg.Dir
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.WaitDelay = s.Log, s.Log, time.Second
	group(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.over)
	}()
	return s, nil
}

// Wait waits until the service can be asked. The error says why it cannot; it may
// be ErrLate or ErrNotFound.
func (s *Service) Wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Within)
	defer cancel()
	last := "no connection was taken"
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		why := s.knock(ctx)
		if why == "" && !s.Dead() {
			return nil
		}
		if ctx.Err() == nil && why != "" {
			last = why
		}
		select {
		case <-s.over:
			if s.cmd.ProcessState != nil && s.cmd.ProcessState.ExitCode() == shellNotFound {
				return fmt.Errorf("ended before it was ready: %w", ErrNotFound)
			}
			return fmt.Errorf("ended before it was ready: %s", s.How())
		case <-ctx.Done():
			return fmt.Errorf("was %w within %s: %s", ErrLate, s.cfg.Within, last)
		case <-tick.C:
		}
	}
}

// shellNotFound is the status by which a shell says that a program is not there.
const shellNotFound = 127

// knock says why the service is not ready, or "".
func (s *Service) knock(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	switch {
	case len(s.cfg.Ready) > 0:
		cmd := exec.CommandContext(ctx, s.cfg.Ready[0], s.cfg.Ready[1:]...) //nolint:gosec // of the service's own
		cmd.Env, cmd.Dir = s.cfg.Env, s.cfg.Dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Sprintf("it was not ready: %.200s", out)
		}
		return ""
	case s.cfg.Path == "":
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp4", s.cfg.Addr)
		if err != nil {
			return err.Error()
		}
		_ = c.Close()
		return ""
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.cfg.Addr+s.cfg.Path, nil)
	if err != nil {
		return err.Error()
	}
	res, err := Client.Do(req)
	if err != nil {
		return err.Error()
	}
	_ = res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Sprintf("%s answered %d", s.cfg.Path, res.StatusCode)
	}
	return ""
}

// Client takes no proxy, follows nothing and keeps no connection.
var Client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Dead tells whether the service ended.
func (s *Service) Dead() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// Dies waits a while for the service to end, and tells whether it did. A connection
// breaks before the process that held it is seen to have ended.
func (s *Service) Dies(within time.Duration) bool {
	select {
	case <-s.over:
		return true
	case <-time.After(within):
		return false
	}
}

// How says how it ended, once it is dead.
func (s *Service) How() string {
	if s.err == nil {
		return "exit status 0"
	}
	return s.err.Error()
}

// End kills the service and all that it started.
func (s *Service) End() {
	killGroup(s.cmd)
	select {
	case <-s.over:
	case <-time.After(3 * time.Second): // the sandbox ends what is left
	}
}

// Environ is this process's environment with more on top.
func Environ(more ...string) []string { return append(os.Environ(), more...) }
