// Package delegate lets another agent's command write the change of an attempt. The
// command works on a copy in the sandbox whose only way out is a gateway to the
// tier's model, with the operator's key on this side and a cap on what is spent.
// What it left in the copy is read back as a patch, which the loop treats as it
// treats a model's: guard, checks, judge. Nothing that the command says is believed.
package delegate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/egress"
	"github.com/fettle-dev/fettle/bot/task"
)

// Agent is a command that changes the files of its working folder as its standard
// input asks. It finds the model under OPENAI_BASE_URL, by any name: the gateway
// sets the tier's.
type Agent struct {
	Name     string // for people
	Argv     []string
	Endpoint model.Endpoint // of the tier, which the gateway asks
	Wall     time.Duration  // of the whole command
}

// Job is one change to write.
type Job struct {
	Dir    string   // absolute; the tree
	Files  []string // of the tree, relative and slash-separated
	Hidden []string // of them, those that the command is not shown
	Prompt string
	Limit  task.USD // of what its calls may cost together
}

// Outcome is what the command left behind, and what it used.
type Outcome struct {
	Patch task.Patch `json:"patch"`
	Left  []string   `json:"left,omitempty"`  // what it did that is not in the patch, in words
	Said  string     `json:"said,omitempty"`  // the end of its output, for people
	Down  bool       `json:"down,omitempty"`  // its model could not be reached
	Ended string     `json:"ended,omitempty"` // why, where it did not end by itself and well
	Usage Usage      `json:"usage"`
}

// Bounds of what is read back.
const (
	mostEdits = 50
	mostNew   = 200     // new files that are looked at
	mostBytes = 1 << 20 // of a file
	mostSaid  = 3000
)

// Run has the command write a change. The error is not nil only where the sandbox or
// this machine failed, or ctx ended; the outcome's usage counts in any case.
func (a *Agent) Run(ctx context.Context, box *sandbox.Sandbox, job Job) (out Outcome, err error) {
	w, err := box.SetupWorkspace(ctx, job.Dir)
	if err != nil {
		return out, fmt.Errorf("delegate: copying the tree for %s: %w", a.Name, err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, f := range job.Hidden {
		if err := w.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return out, fmt.Errorf("delegate: keeping %s from %s: %w", f, a.Name, err)
		}
	}
	run, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	g := &gateway{endpoint: a.Endpoint, limit: job.Limit, stop: stop, atOnce: make(chan struct{}, mostAtOnce)}
	socket, shut, err := g.open(run, filepath.Dir(w.Path()))
	if err != nil {
		return out, err
	}
	got, err := w.Run(run, sandbox.Command{
		Argv: a.Argv, Stdin: strings.NewReader(job.Prompt), Limits: sandbox.Limits{Wall: a.Wall},
		Setup: &sandbox.Setup{Socket: socket, Env: a.environment()},
	})
	out.Usage, out.Down = shut(), g.down()
	out.Said = said(got)
	switch spent := context.Cause(run); {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case errors.Is(spent, errSpent):
		out.Ended = fmt.Sprintf("%s was stopped: %v", a.Name, spent)
	case err != nil:
		return out, fmt.Errorf("delegate: running %s: %w", a.Name, err)
	case got.TimedOut:
		out.Ended = fmt.Sprintf("%s did not end within %s (timeout of its tier)", a.Name, a.Wall)
	case !got.OK():
		out.Ended = fmt.Sprintf("%s ended with status %d: %.200q", a.Name, got.ExitCode, last(out.Said))
	}
	return out, out.read(ctx, w, job)
}

// environment is what tools that speak OpenAI's API look at. There is no proxy: the
// gateway is all that can be reached.
func (a *Agent) environment() map[string]string {
	at := "http://" + sandbox.BridgeAddr + "/v1"
	env := map[string]string{
		"OPENAI_BASE_URL": at, "OPENAI_API_BASE": at, "OPENAI_API_KEY": "none-needed", "FETTLE_MODEL": a.Endpoint.Model,
	}
	for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"} {
		env[name] = ""
	}
	return env
}

// open serves the gateway until shut, which tells what was used. Nobody but we and the
// command reaches into the folder: in a common one any user of the machine could spend.
func (g *gateway) open(ctx context.Context, in string) (socket string, shut func() Usage, err error) {
	dir, err := os.MkdirTemp(in, "gateway-")
	if err != nil {
		return "", nil, fmt.Errorf("delegate: making a place for the gateway: %w", err)
	}
	socket = filepath.Join(dir, "gateway")
	l, err := egress.Listen(socket)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("delegate: opening the gateway: %w", err), os.RemoveAll(dir))
	}
	asking, stop := context.WithCancel(ctx)
	g.ctx = asking
	s := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(l) // until it is closed
	}()
	return socket, func() Usage {
		stop()
		_ = s.Close()
		<-ended
		g.calls.Wait()
		_ = os.RemoveAll(dir)
		return g.total()
	}, nil
}

// last is the last line of an output.
func last(said string) string { return said[strings.LastIndexByte(said, '\n')+1:] }

func said(got sandbox.Result) string {
	all := bytes.TrimSpace(append(slices.Clone(got.Stdout), got.Stderr...))
	return strings.ToValidUTF8(string(all[max(0, len(all)-mostSaid):]), "\uFFFD")
}

// read makes the patch of what differs between the tree and the copy. Foreign code
// wrote the copy: it is read through os.Root, and only what is plainly a text file.
func (o *Outcome) read(ctx context.Context, w *sandbox.Workspace, job Job) error {
	before, err := os.OpenRoot(job.Dir)
	if err != nil {
		return fmt.Errorf("delegate: opening the tree: %w", err)
	}
	defer before.Close()
	after, err := os.OpenRoot(w.Path())
	if err != nil {
		return fmt.Errorf("delegate: opening the copy: %w", err)
	}
	defer after.Close()
	known := map[string]bool{}
	for _, f := range job.Files {
		known[f] = true
		if slices.Contains(job.Hidden, f) {
			continue
		}
		was, why := text(before, f)
		if why != "" {
			continue // no text before: nothing that a patch can change
		}
		switch is, why := text(after, f); {
		case why != "":
			o.leave("%s, which %s", f, why)
		case is != was:
			o.edit(task.Edit{Kind: task.EditFile, Path: f, Code: is})
		}
	}
	return o.created(ctx, w, after, known)
}

// created adds the files that the command made.
func (o *Outcome) created(ctx context.Context, w *sandbox.Workspace, after *os.Root, known map[string]bool) error {
	looked := 0
	err := fs.WalkDir(after.FS(), ".", func(f string, d fs.DirEntry, err error) error {
		name := path.Base(f)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case f == ".":
			return err
		case err != nil:
			return fs.SkipDir // a folder that cannot be read holds nothing for a patch
		case known[f]:
			return nil
		case d.IsDir() && (strings.HasPrefix(name, ".") || name == "__pycache__" || name == "node_modules" || w.Shown(f)):
			return fs.SkipDir
		case d.IsDir() || strings.HasPrefix(name, ".") || w.Shown(f):
			return nil
		}
		if looked++; looked > mostNew || len(o.Patch.Edits) >= mostEdits {
			o.leave("%s and what comes after it: too many new files", f)
			return fs.SkipAll
		}
		if is, why := text(after, f); why != "" {
			o.leave("%s, which %s", f, why)
		} else {
			o.edit(task.Edit{Kind: task.EditCreate, Path: f, Code: is})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delegate: reading what the command made: %w", err)
	}
	return nil
}

func (o *Outcome) edit(e task.Edit) {
	if len(o.Patch.Edits) >= mostEdits {
		o.leave("%s: a change holds at most %d files", e.Path, mostEdits)
		return
	}
	o.Patch.Edits = append(o.Patch.Edits, e)
}

// leave notes what is not taken, up to a bound.
func (o *Outcome) leave(format string, args ...any) {
	if len(o.Left) < 10 {
		o.Left = append(o.Left, fmt.Sprintf(format, args...))
	}
}

// text reads a plain text file, or says why it is none.
func text(root *os.Root, f string) (content, why string) {
	raw, err := regular.ReadIn(root, filepath.FromSlash(f), mostBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "is removed"
	case err != nil:
		return "", fmt.Sprintf("is no plain file of at most %d bytes", mostBytes)
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return "", "is no text"
	}
	return string(raw), ""
}
