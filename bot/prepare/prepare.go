package prepare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/egress"
)

// Request is one setup.
type Request struct {
	Installation int64    // 0 for a local folder
	Repo         string   // owner/name, or the local folder
	Dir          string   // host folder with the tree of the base commit, which nobody writes to
	Tree         fs.FS    // the same tree
	Commands     []string // run one after another by a shell at the tree's root
	Named        bool     // the repository's own file names them; else they were detected
	Default      bool     // the tree is a commit of the default branch: its result may be kept
	Folder       string   // the user's folder that the tree was taken from; "": none
	Installed    []string // folders below it that are shown where no setup is done
	Progress     func(note string)
}

// State is how a setup went.
type State string

// The states.
const (
	Nothing State = ""        // no setup was asked for
	There   State = "there"   // the user's folder has what is needed installed
	Done    State = "done"    // its commands were run
	Cached  State = "cached"  // what they leave was there from before
	NotRun  State = "not_run" // it is not allowed, or cannot be run here
	Failed  State = "failed"  // a command failed, or left too much
)

// Result says how a setup went. Its texts are redacted.
type Result struct {
	State   State          `json:"state"`
	Named   bool           `json:"named,omitempty"`
	Reason  string         `json:"reason,omitempty"` // of NotRun and Failed
	Do      string         `json:"do,omitempty"`     // what a person can do about it
	Output  string         `json:"output,omitempty"` // the end of what a failed command printed
	Notes   []string       `json:"notes,omitempty"`
	Visits  []egress.Visit `json:"visits,omitempty"`
	Kept    bool           `json:"kept,omitempty"` // later runs find it
	Key     string         `json:"key,omitempty"`
	Seconds float64        `json:"seconds"`
}

// Ready tells whether checks see what the setup installs.
func (r Result) Ready() bool { return r.State == Done || r.State == Cached || r.State == There }

// Words is what a report says of a setup that was not done or failed, else "".
func (r Result) Words() string {
	switch r.State {
	case NotRun:
		return "setup was not done: " + r.Reason
	case Failed:
		return "setup failed: " + r.Reason
	}
	return ""
}

// Session prepares one Session of the sandbox.
type Session struct {
	p    *Preparer
	box  *sandbox.Sandbox
	held *held
}

// For binds a Session of the sandbox. Close what it returns after the Session.
func (p *Preparer) For(box *sandbox.Sandbox) *Session { return &Session{p: p, box: box} }

// Close gives the layer back, and removes it if it was for this run only.
func (s *Session) Close() error {
	err := s.held.release()
	s.held = nil
	return err
}

// Installed gives the folders with installed packages that the Session can show to its
// commands apart from the tree: those at its top, since several commands of a workspace
// run at a time. The others are copied into the tree; without a Session all are.
func (s *Session) Installed(ctx context.Context, tree *checkout.Tree) (shown []string, err error) {
	var copied []string
	for _, f := range tree.Installed() {
		if s != nil && s.box.CanSetup() && !strings.Contains(f, "/") {
			shown = append(shown, f)
		} else {
			copied = append(copied, f)
		}
	}
	return shown, tree.CopyInstalled(ctx, copied)
}

// Prepare makes the Session show what the setup commands install. The error is
// of the sandbox, the disk or the context; that a setup is not allowed or fails
// is a Result. It may be called once.
func (s *Session) Prepare(ctx context.Context, req Request) (Result, error) {
	begun := s.p.cfg.Now()
	res, err := s.prepare(ctx, req)
	res.Named, res.Seconds = req.Named, s.p.cfg.Now().Sub(begun).Seconds()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

func (s *Session) prepare(ctx context.Context, req Request) (Result, error) {
	res, err := s.setUp(ctx, req)
	if err != nil || res.Ready() || len(req.Installed) == 0 {
		return res, err
	}
	there, err := s.take(ctx, req)
	if words := res.Words(); words != "" && there.Ready() {
		there.Notes = append(there.Notes, words)
	}
	return there, err
}

// take shows what is installed in the user's folder: a copy, which later runs find
// as long as it has the names, sizes and times of the folder's.
func (s *Session) take(ctx context.Context, req Request) (Result, error) {
	key, err := s.p.keyOfFolders(s.box, req)
	if err != nil {
		return Result{}, err
	}
	if h := s.p.find(key); h != nil {
		return s.show(h, Result{State: There, Key: key, Kept: true})
	}
	req.say("copying what is installed: " + strings.Join(req.Installed, ", "))
	h, err := s.p.begin()
	if err != nil {
		return Result{}, err
	}
	h.layer, err = s.box.CollectFolder(ctx, req.Folder, req.Installed, filepath.Join(h.dir, dataName), s.p.room())
	if err != nil {
		err = errors.Join(err, h.release())
		if errors.Is(err, sandbox.ErrRoom) {
			return Result{State: Failed, Reason: s.p.cfg.Clean(err.Error())}, nil
		}
		return Result{}, err
	}
	res := Result{State: There, Key: key}
	if h.layer.Bytes <= s.p.cfg.MaxBytes {
		if err := s.p.publish(h, key, owner{req.Installation, req.Repo}); err != nil {
			return res, errors.Join(err, h.release())
		}
		res.Kept = true
	}
	if res, err = s.show(h, res); res.Kept {
		s.p.evict()
	}
	return res, err
}

// setUp runs the setup commands, or finds what they left.
func (s *Session) setUp(ctx context.Context, req Request) (Result, error) {
	switch {
	case len(req.Commands) == 0:
		return Result{}, nil
	case !s.box.CanSetup():
		return Result{State: NotRun, Reason: fmt.Sprintf("the sandbox %s cannot run setup commands apart from checks", s.box.Walls().Backend), Do: "use the sandbox bubblewrap"}, nil
	case !s.p.Allowed(req.Named):
		return Result{State: NotRun, Reason: fmt.Sprintf("the operator's file names no hosts that %s may reach", quoted(req.Commands)),
			Do: "name the hosts of your package registry under setup.allow in the operator's file"}, nil
	}
	key, err := s.p.key(s.box, req)
	if err != nil {
		return Result{}, err
	}
	if h := s.p.find(key); h != nil {
		return s.show(h, Result{State: Cached, Key: key, Kept: true})
	}
	s.p.sweep()
	if !req.Default {
		return s.install(ctx, req, key)
	}
	l, err := openLock(filepath.Join(s.p.cfg.Dir, locksDir, key))
	if err != nil {
		return Result{}, err
	}
	defer l.close()
	if err := l.wait(ctx, func() { req.say("another run installs the same; waiting for it") }); err != nil {
		return Result{}, err
	}
	if h := s.p.find(key); h != nil { // made while we waited
		return s.show(h, Result{State: Cached, Key: key, Kept: true})
	}
	return s.install(ctx, req, key)
}

// install runs the commands, keeps what they leave if it may be kept, and shows
// it.
func (s *Session) install(ctx context.Context, req Request, key string) (Result, error) {
	h, err := s.p.begin()
	if err != nil {
		return Result{}, err
	}
	res, err := s.p.run(ctx, s.box, req, h)
	if err != nil || res.State != Done {
		return res, errors.Join(err, h.release())
	}
	res.Key = key
	switch {
	case !req.Default:
		res.Notes = append(res.Notes, "what was installed is not kept: this is no unchanged commit of the default branch")
	case h.layer.Bytes > s.p.cfg.MaxBytes:
		res.Notes = append(res.Notes, fmt.Sprintf("what was installed is not kept: it has %d MiB, and the cache may have %d", h.layer.Bytes>>20, s.p.cfg.MaxBytes>>20))
	default:
		if err := s.p.publish(h, key, owner{req.Installation, req.Repo}); err != nil {
			return res, errors.Join(err, h.release())
		}
		res.Kept = true
	}
	res, err = s.show(h, res)
	if res.Kept {
		s.p.evict()
	}
	return res, err
}

// show makes the session's commands see a layer.
func (s *Session) show(h *held, res Result) (Result, error) {
	if err := s.box.Use(h.layer); err != nil {
		return res, errors.Join(err, h.release())
	}
	s.held = h
	for _, d := range h.layer.Dropped {
		res.Notes = append(res.Notes, s.p.cfg.Clean("the setup left what is not taken over: "+d))
	}
	s.p.cfg.Log.WithField("setup", res.State).WithField("key", res.Key[:12]).WithField("mib", h.layer.Bytes>>20).Info("dependencies are there")
	return res, nil
}

func (r Request) say(note string) {
	if r.Progress != nil {
		r.Progress(note)
	}
}

func quoted(commands []string) string {
	text := strings.Join(commands, "; ")
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return "`" + strings.ToValidUTF8(text, "\uFFFD") + "`"
}

// rest is what is left of a time, at least a second.
func rest(of time.Duration, since time.Duration) time.Duration {
	return max(of-since, time.Second)
}
