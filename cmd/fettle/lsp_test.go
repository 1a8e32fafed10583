package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sourcegraph/jsonrpc2"
)

const (
	wrongMedian = "def median(xs):\n    s = sorted(xs)\n    return s[len(s) // 2 + 1]\n"
	rightMedian = "def median(xs):\n    s = sorted(xs)\n    return s[len(s) // 2]\n"
)

// redMedians is medians with a test that is red; its folder's name has to be escaped.
func redMedians(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ein Löffel")
	if err := os.Rename(medians(t), dir); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "calc.py"), wrongMedian)
	return dir
}

func save(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// editor is a client of the protocol at the other end of two pipes.
type editor struct {
	t     *testing.T
	conn  *jsonrpc2.Conn
	cmd   *exec.Cmd
	said  chan jsonrpc2.Request
	stdin io.Writer
}

type pipes struct {
	io.Reader
	io.WriteCloser
}

func newEditor(t *testing.T, args ...string) *editor {
	t.Helper()
	e := &editor{t: t, cmd: exec.Command("fettle", append(args, "lsp", "--stdio")...), said: make(chan jsonrpc2.Request, 1000)}
	in, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.stdin, e.cmd.Stderr = in, os.Stderr
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.cmd.Process.Kill(); _ = e.cmd.Wait() })
	stream := jsonrpc2.NewBufferedStream(pipes{out, in}, jsonrpc2.VSCodeObjectCodec{})
	e.conn = jsonrpc2.NewConn(t.Context(), stream, jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		e.said <- *r
		return nil, nil
	}))
	return e
}

func (e *editor) ask(method string, params any) (json.RawMessage, error) {
	e.t.Helper()
	var out json.RawMessage
	err := e.conn.Call(e.t.Context(), method, params, &out)
	return out, err
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	if err := e.conn.Notify(e.t.Context(), method, params); err != nil {
		e.t.Fatal(err)
	}
}

// open begins a session on folders.
func (e *editor) open(dirs ...string) {
	e.t.Helper()
	folders := []map[string]string{}
	for _, d := range dirs {
		folders = append(folders, map[string]string{"uri": fileURI(d), "name": filepath.Base(d)})
	}
	raw, err := e.ask("initialize", map[string]any{"processId": nil, "rootUri": nil, "workspaceFolders": folders, "capabilities": map[string]any{"window": map[string]any{"workDoneProgress": true}}})
	if err != nil || !strings.Contains(string(raw), "textDocumentSync") {
		e.t.Fatalf("%v %s", err, raw)
	}
	e.tell("initialized", map[string]any{})
}

// diagnostics waits for those of a file, and gives what else was said before.
func (e *editor) diagnostics(file string) (found []lspDiagnostic, before []string) {
	e.t.Helper()
	for {
		select {
		case r := <-e.said:
			before = append(before, r.Method+" "+string(*r.Params))
			var p lspPublished
			if r.Method != "textDocument/publishDiagnostics" {
				continue
			}
			if err := json.Unmarshal(*r.Params, &p); err != nil {
				e.t.Fatal(err)
			}
			if u, err := url.Parse(p.URI); err == nil && u.Path == file {
				return p.Diagnostics, before
			}
		case <-e.conn.DisconnectNotify():
			e.t.Fatalf("fettle lsp is gone; it said %s", strings.Join(before, "\n"))
		}
	}
}

// S10: an editor is shown which line of which test is red, and the code that it went
// through; when it is mended and saved, nothing is shown any more.
func TestLSPAnEditorIsShownWhatIsRed(t *testing.T) {
	heavy(t)
	dir := redMedians(t)
	e := newEditor(t, "--config", operator(t, ""))
	if _, err := e.ask("textDocument/hover", nil); err == nil || !strings.Contains(err.Error(), "initialize first") {
		t.Errorf("before initialize it says %v", err)
	}
	e.open(dir)
	test := filepath.Join(dir, "test_calc.py")
	found, before := e.diagnostics(test)
	if len(found) != 1 || found[0].Range.Start != (lspPosition{7, 8}) || found[0].Severity != lspError || found[0].Source != "fettle" || !strings.Contains(found[0].Message, "test_odd") {
		t.Fatalf("%+v", found)
	}
	if all := strings.Join(before, "\n"); !strings.Contains(all, "$/progress") {
		t.Errorf("no progress was shown:\n%s", all)
	}
	save(t, filepath.Join(dir, "calc.py"), rightMedian)
	e.tell("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": fileURI(filepath.Join(dir, "calc.py"))}})
	if found, _ = e.diagnostics(test); len(found) != 0 {
		t.Errorf("when it is mended it shows %+v", found)
	}
	save(t, filepath.Join(dir, "calc.py"), "def median(xs:\n")
	e.tell("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": fileURI(filepath.Join(dir, "calc.py"))}})
	if found, _ = e.diagnostics(filepath.Join(dir, "calc.py")); len(found) != 1 || found[0].Range.Start.Line != 0 {
		t.Errorf("of code that does not parse it shows %+v", found)
	}
	if _, err := e.ask("textDocument/hover", map[string]any{}); err == nil || !strings.Contains(err.Error(), "knows no textDocument/hover") {
		t.Errorf("asked for what it has not, it says %v", err)
	}
	if _, err := e.ask("shutdown", nil); err != nil {
		t.Error(err)
	}
	e.tell("exit", nil)
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// S10: who saves while a check runs is shown how it is after the last save.
func TestLSPSavingAgainBeginsAgain(t *testing.T) {
	heavy(t)
	dir := redMedians(t)
	code := filepath.Join(dir, "calc.py")
	e := newEditor(t, "--config", operator(t, ""))
	e.open(dir)
	const saves = 5
	for n := range saves {
		save(t, code, strings.Repeat("#\n", n)+"def median(xs):\n    return xs[9]\n")
		e.tell("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": fileURI(code)}})
	}
	found, _ := e.diagnostics(code)
	for len(found) != 1 || found[0].Range.Start.Line != saves { // of an earlier save
		found, _ = e.diagnostics(code)
	}
	if r := found[0].Related; len(r) != 1 || !strings.HasSuffix(r[0].Location.URI, "/test_calc.py") || r[0].Location.Range.Start.Line != 7 || !strings.Contains(r[0].Message, "test_odd") {
		t.Errorf("it was gone through %+v", r)
	}
	e.tell("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{}, "removed": []any{map[string]string{"uri": fileURI(dir)}}}})
	if found, _ = e.diagnostics(code); len(found) != 0 {
		t.Errorf("of a folder that was closed it shows %+v", found)
	}
}

// S10: what is not the protocol is answered where the next message can be found, and ends
// the server with words where it cannot.
func TestLSPGarbageIsToldAndHarmsNothing(t *testing.T) {
	t.Parallel()
	config := operator(t, "")
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":null,"capabilities":{}}}`
	const bye = `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
	const exit = `{"jsonrpc":"2.0","method":"exit"}`
	for name, c := range map[string]struct {
		sent string
		code int
		said []string
	}{
		"nothing":                    {"", 0, nil},
		"a polite end":               {frame(hello) + frame(bye) + frame(exit), 0, []string{`"serverInfo"`}},
		"an end without words":       {frame(hello) + frame(exit), 1, nil},
		"no JSON":                    {frame("}{") + frame(hello) + frame(bye) + frame(exit), 0, []string{"-32700", `"serverInfo"`}},
		"a list":                     {frame("[1]") + frame(hello) + frame(bye) + frame(exit), 0, []string{"-32700", `"serverInfo"`}},
		"parameters of another kind": {frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":[7]}`) + frame(hello) + frame(bye) + frame(exit), 0, []string{"-32602", `"serverInfo"`}},
		"a folder that is not":       {frame(strings.Replace(hello, "null", `"file:///no/such/folder"`, 1)) + frame(bye) + frame(exit), 0, []string{`"serverInfo"`}},
		"an address that is none":    {frame(strings.Replace(hello, "null", `"http://[::1"`, 1)) + frame(bye) + frame(exit), 0, []string{`"serverInfo"`}},
		"initialize twice":           {frame(hello) + frame(hello) + frame(bye) + frame(exit), 0, []string{"-32600"}},
		"a person's words":           {"fix it\n", 1, []string{"is no header"}},
		"no length":                  {"Content-Length: lots\r\n\r\n", 1, []string{"is no length"}},
		"a length below zero":        {"Content-Length: -1\r\n\r\n", 1, []string{"is no length"}},
		"a length of all memory":     {"Content-Length: 99999999999\r\n\r\n{}", 1, []string{"is no length"}},
		"a body that is cut off":     {"Content-Length: 100\r\n\r\n{}", 1, []string{"unexpected EOF"}},
		"a header without end":       {strings.Repeat("a", 1<<20), 1, []string{"has no end"}},
		"headers without end":        {strings.Repeat("a: b\r\n", 1000), 1, []string{"more than 32 headers"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			code := run([]string{"--config", config, "lsp"}, strings.NewReader(c.sent), &out, &errs)
			all := out.String() + errs.String()
			if code != c.code {
				t.Errorf("exit status %d, want %d: %s", code, c.code, all)
			}
			for _, w := range c.said {
				if !strings.Contains(all, w) {
					t.Errorf("it does not say %s: %s", w, all)
				}
			}
		})
	}
}

// S10: Neovim shows the diagnostics as it gets them from any server.
func TestLSPNeovimShowsWhatIsRed(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("nvim is not here; .ci/setup-runners.sh installs Debian's neovim")
	}
	heavy(t)
	dir := redMedians(t)
	script := write(t, "session.lua", `
local dir, config, out = vim.env.DIR, vim.env.FETTLE_CONFIG, vim.env.OUT
vim.cmd('edit ' .. vim.fn.fnameescape(dir .. '/test_calc.py'))
local test = vim.api.nvim_get_current_buf()
vim.cmd('edit ' .. vim.fn.fnameescape(dir .. '/calc.py'))
local code = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({name = 'fettle', cmd = {'fettle', '--config', config, 'lsp'}, root_dir = dir})
vim.lsp.buf_attach_client(test, id)
vim.lsp.buf_attach_client(code, id)
local function count() return #vim.diagnostic.get(test) end
local seen = {}
vim.wait(240000, function() return count() > 0 end, 50)
seen.red = vim.diagnostic.get(test)
vim.api.nvim_buf_set_lines(code, 2, 3, true, {'    return s[len(s) // 2]'})
vim.cmd('write')
seen.cleared = vim.wait(240000, function() return count() == 0 end, 50)
vim.lsp.stop_client(id)
seen.stopped = vim.wait(60000, function() return vim.lsp.client_is_stopped(id) end, 50)
local f = io.open(out, 'w')
f:write(vim.fn.json_encode(seen))
f:close()
vim.cmd('qall!')
`)
	out := filepath.Join(t.TempDir(), "seen.json")
	cmd := exec.Command(nvim, "--headless", "--clean", "-n", "-c", "luafile "+script)
	cmd.Env = append(os.Environ(), "DIR="+dir, "FETTLE_CONFIG="+operator(t, ""), "OUT="+out, "XDG_STATE_HOME="+t.TempDir())
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Red []struct {
			Line    int    `json:"lnum"`
			Column  int    `json:"col"`
			Source  string `json:"source"`
			Message string `json:"message"`
		} `json:"red"`
		Cleared bool `json:"cleared"`
		Stopped bool `json:"stopped"`
	}
	if err := json.Unmarshal(raw, &seen); err != nil {
		t.Fatal(err)
	}
	if len(seen.Red) != 1 || seen.Red[0].Line != 7 || seen.Red[0].Column != 8 || seen.Red[0].Source != "fettle" || !strings.Contains(seen.Red[0].Message, "test_odd") || !seen.Cleared || !seen.Stopped {
		t.Errorf("Neovim shows %s", raw)
	}
}
