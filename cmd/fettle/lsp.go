package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/check"
)

func newLSP(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Show what is red in an editor (Language Server Protocol)",
		Long: `lsp is a server of the Language Server Protocol on standard input and output. An
editor starts it with the folder that it has open. It does what 'fettle check --fast'
does, at the beginning and each time a file is saved, and what is red becomes a
diagnostic at its line, with the lines that a failing test went through. A check that is
running when a file is saved is stopped, and begun again.

Everything of the repository runs in the sandbox, on a copy. Files that are not saved
are not looked at. What could not be checked, and why, is shown as a message.

Exit status: 0 the editor has ended it; 1 it sends what is not the protocol, or ends
without saying so; 2 configuration; 130 stopped.`,
		Example: `  fettle lsp
  nvim -c "lua vim.lsp.start({name = 'fettle', cmd = {'fettle', 'lsp'}, root_dir = vim.fn.getcwd()})"`,
		Args: noArgs,
		RunE: g.with(func(c *cobra.Command, p *parts, _ []string) error {
			return serveLSP(c.Context(), p, c.InOrStdin(), c.OutOrStdout())
		}),
	}
	c.Flags().Bool("stdio", true, "standard input and output, which is the only way; some editors say so")
	return c
}

// lspServer speaks to one editor. Checks run one at a time, in one goroutine: the sandbox
// takes the machine's processors as it is.
type lspServer struct {
	p     *parts
	stop  context.CancelCauseFunc // the checks; the connection lasts until exit
	begin func(*jsonrpc2.Conn)    // the checks, once

	mu       sync.Mutex
	phase    lspPhase
	exited   bool
	progress bool // the editor shows progress
	roots    []*lspRoot
	wake     chan struct{}
	begun    sync.Once
	working  sync.WaitGroup
}

type lspPhase int

const (
	lspNew lspPhase = iota
	lspReady
	lspShut
)

// lspRoot is a folder that the editor has open.
type lspRoot struct {
	uri, dir string
	asked    bool
	stop     context.CancelCauseFunc // of the check that runs; nil: none does
	shown    map[string]bool         // files with diagnostics
	told     map[string]bool         // messages, each shown once
}

var (
	errSaved   = errors.New("a file was saved")
	errEditor  = errors.New("the editor has ended the server")
	errDropped = errors.New("the folder was closed")
)

// serveLSP speaks to an editor until it has enough, or ctx ends.
func serveLSP(ctx context.Context, p *parts, in io.Reader, out io.Writer) error {
	s := &lspServer{p: p, wake: make(chan struct{}, 1)}
	checks, stop := context.WithCancelCause(ctx)
	s.stop = stop
	s.begin = func(conn *jsonrpc2.Conn) { s.working.Go(func() { s.work(checks, conn) }) }
	stream := newLSPStream(in, out)
	conn := jsonrpc2.NewConn(ctx, stream, s, jsonrpc2.SetLogger(log.New(io.Discard, "", 0))) // what it would say is in the error below
	select {
	case <-conn.DisconnectNotify():
	case <-ctx.Done():
	}
	s.stop(errEditor)
	s.working.Wait()
	_ = conn.Close() // closed already, or about to be by the end of the process
	if err := stream.broken(); err != nil {
		return fmt.Errorf("reading from the editor: %w; 'fettle lsp' is started by an editor, and takes what it sends on standard input", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exited && s.phase != lspShut {
		return ending(exitRed) // as the protocol has it
	}
	return context.Cause(ctx)
}

// Handle answers one message. The library calls it for one after the other.
func (s *lspServer) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	result, err := s.handle(ctx, conn, req)
	if req.Notif {
		return
	}
	if err != nil {
		_ = conn.ReplyWithError(ctx, req.ID, err) // an editor that is gone is seen by the reader
		return
	}
	_ = conn.Reply(ctx, req.ID, result)
}

// Errors that the protocol has besides those of JSON-RPC.
const lspNotInitialized = -32002

func (s *lspServer) handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (any, *jsonrpc2.Error) {
	switch {
	case req.Method == "exit":
		s.exited = true
		_ = conn.Close()
		return nil, nil
	case s.phase == lspNew && req.Method != "initialize":
		return nil, &jsonrpc2.Error{Code: lspNotInitialized, Message: "send initialize first"}
	case s.phase != lspNew && req.Method == "initialize", s.phase == lspShut:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: req.Method + " is not expected now"}
	}
	switch req.Method {
	case "initialize":
		var p lspInitialize
		if err := params(req, &p); err != nil {
			return nil, err
		}
		for _, f := range p.folders() {
			s.open(f)
		}
		s.phase, s.progress = lspReady, p.Capabilities.Window.WorkDoneProgress
		return lspInitialized(versionWords()), nil
	case "initialized":
		s.begun.Do(func() { s.begin(conn) })
		for _, r := range s.roots {
			s.ask(r)
		}
	case "textDocument/didSave":
		var p lspDocument
		if err := params(req, &p); err != nil {
			return nil, err
		}
		if r := s.rootOf(p.TextDocument.URI); r != nil {
			s.ask(r)
		}
	case "workspace/didChangeWorkspaceFolders":
		var p lspFolders
		if err := params(req, &p); err != nil {
			return nil, err
		}
		for _, f := range p.Event.Removed {
			s.drop(ctx, conn, f.URI)
		}
		for _, f := range p.Event.Added {
			if r := s.open(f.URI); r != nil {
				s.ask(r)
			}
		}
	case "shutdown":
		s.phase = lspShut
		s.stop(errEditor)
	default:
		if !req.Notif {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "fettle knows no " + clean(req.Method)}
		}
	}
	return nil, nil
}

func params(req *jsonrpc2.Request, into any) *jsonrpc2.Error {
	if req.Params == nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: req.Method + " has no parameters"}
	}
	if err := json.Unmarshal(*req.Params, into); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return nil
}

// open takes up a folder; what is none on this machine is left out.
func (s *lspServer) open(uri string) *lspRoot {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return nil
	}
	dir, err := folder(filepath.FromSlash(u.Path))
	if err != nil || slices.ContainsFunc(s.roots, func(r *lspRoot) bool { return r.dir == dir }) {
		return nil
	}
	r := &lspRoot{uri: strings.TrimSuffix(uri, "/"), dir: dir, shown: map[string]bool{}, told: map[string]bool{}}
	s.roots = append(s.roots, r)
	return r
}

// drop forgets a folder, and takes its diagnostics away.
func (s *lspServer) drop(ctx context.Context, conn *jsonrpc2.Conn, uri string) {
	s.roots = slices.DeleteFunc(s.roots, func(r *lspRoot) bool {
		if r.uri != strings.TrimSuffix(uri, "/") {
			return false
		}
		if r.stop != nil {
			r.stop(errDropped)
		}
		for file := range r.shown {
			_ = conn.Notify(ctx, "textDocument/publishDiagnostics", lspPublished{URI: r.fileURI(file), Diagnostics: []lspDiagnostic{}})
		}
		return true
	})
}

// rootOf is the innermost folder that a file is in.
func (s *lspServer) rootOf(uri string) (best *lspRoot) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return nil
	}
	for _, r := range s.roots {
		if liesIn(filepath.FromSlash(u.Path), []string{r.dir}) && (best == nil || len(r.dir) > len(best.dir)) {
			best = r
		}
	}
	return best
}

// ask has a folder checked, from the beginning where it is being checked.
func (s *lspServer) ask(r *lspRoot) {
	r.asked = true
	if r.stop != nil {
		r.stop(errSaved)
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// work checks what is asked for, until the editor has enough.
func (s *lspServer) work(ctx context.Context, conn *jsonrpc2.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		for {
			r, one := s.next(ctx)
			if r == nil {
				break
			}
			s.check(ctx, one, conn, r)
			s.mu.Lock()
			r.stop(nil)
			r.stop = nil
			s.mu.Unlock()
		}
	}
}

func (s *lspServer) next(ctx context.Context) (*lspRoot, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.roots {
		if r.asked && ctx.Err() == nil {
			var one context.Context
			r.asked = false
			one, r.stop = context.WithCancelCause(ctx)
			return r, one
		}
	}
	return nil, nil
}

// check is 'fettle check --fast' on a folder while one lasts, and shows what it found.
func (s *lspServer) check(ctx, one context.Context, conn *jsonrpc2.Conn, r *lspRoot) {
	bar := s.bar(ctx, conn)
	var got check.Result
	find := func(*sandbox.Sandbox) (source, error) { return sourceOf([]string{r.dir}) }
	err := s.p.checking(one, find, 0, &told{say: bar.report}, func(src source, runner *check.Runner, opt check.Options) error {
		opt.Profile = check.Fast
		err := s.p.changed(one, &opt, src.dir, "")
		if err == nil {
			got, err = runner.Run(one, src.dir, opt)
		}
		return err
	})
	switch {
	case one.Err() != nil: // it is begun again, or nobody wants to know
		bar.end("stopped")
	case err != nil:
		c := complain(err, exitRed, newRoot(nil, io.Discard, io.Discard))
		s.message(ctx, conn, r, lspError, s.p.funnel.Log(c.Message+"; "+c.Hint))
		bar.end("not checked")
	default:
		got.Clean(s.p.funnel.Log)
		s.publish(ctx, conn, r, got)
		bar.end(verdictOf(got))
	}
}

// publish shows a result: diagnostics, and messages for what has no place in a file.
func (s *lspServer) publish(ctx context.Context, conn *jsonrpc2.Conn, r *lspRoot, got check.Result) {
	byFile, homeless := diagnosticsOf(r, got)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.roots, r) {
		return
	}
	for file := range r.shown {
		if byFile[file] == nil {
			byFile[file] = []lspDiagnostic{}
		}
	}
	for file, all := range byFile {
		_ = conn.Notify(ctx, "textDocument/publishDiagnostics", lspPublished{URI: r.fileURI(file), Diagnostics: all}) // as in Handle
		r.shown[file] = true
		if len(all) == 0 {
			delete(r.shown, file)
		}
	}
	for _, m := range homeless {
		s.tellOnce(ctx, conn, r, m.Type, m.Message)
	}
}

func (s *lspServer) message(ctx context.Context, conn *jsonrpc2.Conn, r *lspRoot, kind int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellOnce(ctx, conn, r, kind, text)
}

// tellOnce shows a message that was not shown before: each save would bring it again.
func (s *lspServer) tellOnce(ctx context.Context, conn *jsonrpc2.Conn, r *lspRoot, kind int, text string) {
	if r.told[text] {
		return
	}
	r.told[text] = true
	method := "window/showMessage"
	if kind == lspLog {
		method = "window/logMessage"
	}
	_ = conn.Notify(ctx, method, lspMessage{Type: kind, Message: "fettle: " + text})
}

// lspBar is the progress of a check as the editor shows it.
type lspBar struct{ send func(value any) }

// bar begins one, where the editor shows progress.
func (s *lspServer) bar(ctx context.Context, conn *jsonrpc2.Conn) lspBar {
	b := lspBar{send: func(any) {}}
	if !s.progress { // written before this goroutine began
		return b
	}
	token := newID()
	asking, done := context.WithTimeout(ctx, 5*time.Second) // an editor that does not answer is not waited for
	defer done()
	if conn.Call(asking, "window/workDoneProgress/create", map[string]string{"token": token}, nil) == nil {
		b.send = func(value any) {
			_ = conn.Notify(ctx, "$/progress", map[string]any{"token": token, "value": value}) // as in Handle
		}
		b.send(map[string]any{"kind": "begin", "title": "fettle check", "cancellable": false})
	}
	return b
}

func (b lspBar) report(line string) { b.send(map[string]any{"kind": "report", "message": line}) }
func (b lspBar) end(words string)   { b.send(map[string]any{"kind": "end", "message": words}) }
