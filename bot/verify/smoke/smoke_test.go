package smoke_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/smoke"
)

var box struct {
	once sync.Once
	it   *sandbox.Sandbox
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if box.it != nil {
		_ = box.it.Close()
	}
	os.Exit(code)
}

func runner(t *testing.T) *smoke.Runner {
	t.Helper()
	box.once.Do(func() {
		if box.it, box.err = sandbox.New(context.Background(), sandbox.Config{}); box.err == nil {
			box.err = box.it.Warm(context.Background()) // once per machine: without it each session compiles Go's own packages
		}
	})
	if box.err != nil {
		t.Fatalf("the tests need the sandbox: %v", box.err)
	}
	return smoke.New(smoke.Config{Sandbox: box.it, Hide: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[hidden]") }})
}

func tree(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		p := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func run(t *testing.T, dir string, s settings.Smoke) smoke.Report {
	t.Helper()
	if s.Port == 0 {
		s.Port = 8123
	}
	if s.Within == 0 {
		s.Within = 20 * time.Second
	}
	rep, err := runner(t).Run(t.Context(), dir, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

const pythonService = `-- server.py --
import http.server
import json
import os


def price(item):
    return {"pear": 3}[item]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/healthz":
            return self.answer(200, "ok")
        self.answer(200, json.dumps({"price": price(self.path.rsplit("/", 1)[1])}))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201, self.headers["X-Kind"] + " " + body.decode() + " hunter2")

    def answer(self, status, text):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`

func TestC7PythonServiceIsAskedAndItsTraceIsRead(t *testing.T) {
	t.Parallel()
	rep := run(t, tree(t, pythonService), settings.Smoke{Start: []string{"python3", "-u", "server.py"}, Ready: "/healthz", Scenarios: []settings.Scenario{
		{Name: "pear", Method: "GET", Path: "/items/pear", Status: 200, Contains: `"price": 3`, Required: true},
		{Name: "plum", Method: "GET", Path: "/items/plum", Required: true},
		{Name: "create", Method: "POST", Path: "/items", Headers: map[string]string{"X-Kind": "fruit"}, Body: "fig", Status: 201, Contains: "fruit fig"},
		{Name: "wrong", Method: "POST", Path: "/items", Headers: map[string]string{"X-Kind": "fruit"}, Body: "fig", Status: 200},
	}})
	if passed, all := rep.Rate(); !rep.Ready || passed != 2 || all != 4 || rep.Broken != nil {
		t.Fatalf("%+v", rep)
	}
	plum := rep.Results[1].Failure
	if plum == nil || plum.Exception != "KeyError" || plum.File != "server.py" || plum.Line != 7 || !strings.Contains(plum.Message, "GET /items/plum") {
		t.Errorf("the service's own trace is not told: %+v", plum)
	}
	wrong := rep.Results[3]
	if wrong.Failure == nil || wrong.Status != 201 || !strings.Contains(wrong.Failure.Message, "expected 200: fruit fig") {
		t.Errorf("%+v", wrong.Failure)
	}
	for _, f := range rep.Failures() {
		if strings.Contains(f.Message+f.Excerpt, "hunter2") {
			t.Errorf("a secret is told: %s", f.Message)
		}
	}
}

func TestC7NodeServiceThatDiesIsTold(t *testing.T) {
	t.Parallel()
	rep := run(t, tree(t, `-- server.mjs --
import { createServer } from 'node:http';

function total(order) {
  return order.lines.length;
}

createServer((req, res) => {
  if (req.url === '/order') setImmediate(() => res.end(String(total({}))));
  else res.end('up');
}).listen(process.env.PORT, '127.0.0.1');
`), settings.Smoke{Start: []string{"node", "server.mjs"}, Scenarios: []settings.Scenario{
		{Name: "up", Method: "GET", Path: "/", Contains: "up"}, {Name: "order", Method: "GET", Path: "/order"}, {Name: "after", Method: "GET", Path: "/"},
	}})
	if passed, _ := rep.Rate(); passed != 1 || rep.Broken == nil || !strings.Contains(rep.Broken.Message, "ended during order") {
		t.Fatalf("%+v", rep)
	}
	f := rep.Results[1].Failure
	if f.Exception != "TypeError" || f.File != "server.mjs" || f.Line != 4 {
		t.Errorf("%+v", f)
	}
}

func TestC7GoServiceThatPanicsIsTold(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("net/http is compiled for it; the services in Python and Node show the same")
	}
	rep := run(t, tree(t, `-- go.mod --
module example.com/shop

go 1.24
-- main.go --
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
)

func pick(list []string, n int) string { return list[n] }

func main() {
	http.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "fine") })
	http.HandleFunc("/pick", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, pick([]string{"a"}, 3))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
`), settings.Smoke{Start: []string{"/bin/sh", "-c", "go build -gcflags=-l -o /tmp/shop . && exec /tmp/shop"}, Within: 100 * time.Second, Scenarios: []settings.Scenario{
		{Name: "ok", Method: "GET", Path: "/ok", Contains: "fine"}, {Name: "pick", Method: "GET", Path: "/pick"}, {Name: "again", Method: "GET", Path: "/ok"},
	}})
	if passed, _ := rep.Rate(); passed != 2 || rep.Broken != nil {
		t.Fatalf("%+v %v", rep, rep.Failures())
	}
	f := rep.Results[1].Failure
	if f == nil || f.File != "main.go" || f.Line != 10 || !strings.Contains(f.Message, "index out of range") {
		t.Errorf("%+v", f)
	}
}

func TestC7ServicesThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	one := []settings.Scenario{{Name: "any", Method: "GET", Path: "/", Required: true}}
	for name, c := range map[string]struct {
		start  []string
		within time.Duration
		kind   task.FailureKind
		say    string
	}{
		"never ready":  {[]string{"python3", "-c", "import time; time.sleep(60)"}, time.Second, task.FailTimeout, "not ready within 1s"},
		"dies":         {[]string{"python3", "-c", "raise KeyError('port')"}, 0, task.FailCrash, "ended before it was ready: exit status 1"},
		"not there":    {[]string{"no-such-program"}, 0, task.FailCrash, "cannot be started"},
		"answers 500":  {[]string{"python3", "-c", "import http.server as h, os\nclass H(h.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_error(503)\nh.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), H).serve_forever()"}, time.Second, task.FailTimeout, "answered 503"},
		"prints a lot": {[]string{"/bin/sh", "-c", "head -c 1000000000 /dev/zero; echo last words >&2; exit 3"}, 0, task.FailCrash, "exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep := run(t, t.TempDir(), settings.Smoke{Start: c.start, Within: c.within, Ready: "/", Scenarios: one})
			if rep.Ready || rep.Broken == nil || rep.Broken.Kind != c.kind || !strings.Contains(rep.Broken.Message, c.say) {
				t.Fatalf("%+v", rep.Broken)
			}
			if passed, all := rep.Rate(); passed != 0 || all != 1 {
				t.Errorf("%d of %d", passed, all)
			}
			if name == "prints a lot" && (len(rep.Broken.Excerpt) > 20<<10 || !strings.Contains(rep.Broken.Excerpt, "last words")) {
				t.Errorf("%d bytes are kept", len(rep.Broken.Excerpt))
			}
			if name == "dies" && rep.Broken.Exception != "KeyError" {
				t.Errorf("%+v", rep.Broken)
			}
		})
	}
}

func TestC7ForgedReportsOnStdoutAreNotRead(t *testing.T) {
	t.Parallel()
	rep := run(t, t.TempDir(), settings.Smoke{Start: []string{"/bin/sh", "-c", `echo '{"Ready":true,"Replies":[{"Status":200}]}'; exec >/proc/$PPID/fd/1; echo '{"Ready":true,"Replies":[{"Status":200}]}'`},
		Scenarios: []settings.Scenario{{Name: "any", Method: "GET", Path: "/"}}})
	if passed, _ := rep.Rate(); passed != 0 || rep.Ready {
		t.Errorf("%+v", rep)
	}
}

func TestC7PortTakenOutsideIsTold(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	plain, err := sandbox.New(t.Context(), sandbox.Config{Backend: sandbox.None, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	rep, err := smoke.New(smoke.Config{Sandbox: plain}).Run(t.Context(), t.TempDir(), nil, settings.Smoke{Start: []string{"true"}, Port: l.Addr().(*net.TCPAddr).Port, Within: time.Second,
		Scenarios: []settings.Scenario{{Name: "any", Method: "GET", Path: "/"}}})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Broken == nil || !strings.Contains(rep.Broken.Message, "is taken before the service starts") {
		t.Errorf("%+v", rep.Broken)
	}
}

func TestC7OnlyRequiredScenariosThatWereGreenCount(t *testing.T) {
	t.Parallel()
	before := smoke.Report{Results: []smoke.Result{{Name: "a", Passed: true}, {Name: "b"}, {Name: "c", Passed: true}, {Name: "d", Passed: true}}}
	after := smoke.Report{Results: []smoke.Result{{Name: "a", Required: true}, {Name: "b", Required: true}, {Name: "c"}, {Name: "d", Required: true, Passed: true}}}
	if worse := after.Worse(before); len(worse) != 1 || worse[0].Name != "a" {
		t.Errorf("%+v", worse)
	}
}

func TestC7LargeAnswersAreLookedThroughAndAllAreJudged(t *testing.T) {
	t.Parallel()
	dir := tree(t, `
-- app.py --
import http.server, sys

class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        sys.stderr.write("<" * 100000)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<" * 250000 + b"the end" * (self.path != "/9"))

http.server.HTTPServer(("127.0.0.1", 8127), H).serve_forever()
`)
	s := settings.Smoke{Start: []string{"python3", "app.py"}, Port: 8127, Within: time.Minute}
	for _, p := range strings.Split("/0 /1 /2 /3 /4 /5 /6 /7 /8 /9", " ") {
		s.Scenarios = append(s.Scenarios, settings.Scenario{Name: p, Method: "GET", Path: p, Contains: "the end", Required: true})
	}
	rep := run(t, dir, s)
	if passed, all := rep.Rate(); !rep.Ready || passed != 9 || all != 10 || rep.Results[9].Passed {
		t.Errorf("%d of %d passed: %+v", passed, all, rep.Broken)
	}
}
