package prepare

import (
	"strings"
	"testing"
)

// noNetwork tries every way out that a check could think of.
const noNetwork = `env | grep -i '_proxy='
[ -S /run/fettle/proxy ] || echo no socket; [ -s /run/fettle/bridge ] || echo no bridge # the places may be there, empty
python3 -B - <<'X'
import socket
for host, port in (("127.0.0.1", 3128), ("169.254.169.254", 80), ("192.0.2.1", 443)):
    s = socket.socket(); s.settimeout(3)
    try:
        s.connect((host, port)); print("REACHED", host)
    except OSError as e:
        print("closed", host)
X`

func (p *prepared) hasNoNetwork() {
	p.t.Helper()
	out, _ := p.run(noNetwork)
	if strings.Contains(out, "REACHED") || strings.Contains(out, "_proxy=") || !strings.Contains(out, "no socket\nno bridge\n") || strings.Count(out, "closed") != 3 {
		p.t.Errorf("a check has a way out:\n%s", out)
	}
}

func TestC1GoModulesComeThroughTheAllowlistAndChecksHaveNoNetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.needs("go", "python3")
	req := w.tree(goRepo, "go mod download")
	var said []string
	req.Progress = func(note string) { said = append(said, note) }
	p := w.prepare(req)
	if p.res.State != Done || !p.res.Kept || w.reg.hits.Load() < 3 {
		t.Fatalf("%+v after %d requests", p.res, w.reg.hits.Load())
	}
	if len(said) == 0 || said[0] != "installing dependencies: go mod download" {
		t.Errorf("progress %q", said)
	}
	if len(p.res.Visits) != 1 || p.res.Visits[0].Host != indexHost+w.reg.port || !p.res.Visits[0].Allowed {
		t.Errorf("visits %+v", p.res.Visits)
	}
	if out, ok := p.run("go build -v ./... && go env GOPROXY"); !ok || !strings.Contains(out, "example.test/own") || !strings.HasSuffix(out, "off\n") {
		t.Errorf("go build: %s", out)
	}
	if out, ok := p.run("echo evil > $(go env GOMODCACHE)/example.test/dep@v1.0.0/dep.go"); ok || !strings.Contains(out, "ead-only") {
		t.Errorf("a check wrote into the layer: %s", out)
	}
	p.hasNoNetwork()
	hits := w.reg.hits.Load()
	again := w.prepare(req)
	if again.res.State != Cached || w.reg.hits.Load() != hits {
		t.Errorf("again: %+v, %d requests more", again.res, w.reg.hits.Load()-hits)
	}
	if out, ok := again.run("go build ./..."); !ok {
		t.Errorf("go build: %s", out)
	}
	plain := w.prepare(Request{Dir: req.Dir, Tree: req.Tree})
	if out, ok := plain.run("go build ./..."); ok || plain.res.State != Nothing {
		t.Errorf("without a setup it can be built, so it proves nothing: %s", out)
	}
}

func TestC1PipInstallsAndPythonFindsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.needs("python3")
	if out, ok := w.prepare(Request{Dir: t.TempDir()}).run("python3 -m pip --version && python3 -m venv --help >/dev/null"); !ok {
		t.Skip("no pip: " + out)
	}
	files := map[string]string{"requirements.txt": "dep==1.0\n"}
	user := w.prepare(w.tree(files, "python3 -m pip install -r requirements.txt"))
	if user.res.State != Done {
		t.Fatalf("%+v", user.res)
	}
	const ask = `python3 -s -B -c "import dep; print(dep.answer)"`
	if out, ok := user.run(ask); !ok || out != "from the registry\n" {
		t.Errorf("got %q", out)
	}
	venv := w.prepare(w.tree(files, "python3 -m venv --without-pip .venv", "python3 -m pip --python .venv/bin/python install -r requirements.txt"))
	if venv.res.State != Done {
		t.Fatalf("%+v", venv.res)
	}
	if out, ok := venv.run(ask + "; .venv/bin/python -c 'import dep; print(dep.answer)'; echo x > .venv/x"); ok || !strings.HasPrefix(out, "from the registry\nfrom the registry\n") || !strings.Contains(out, "ead-only") {
		t.Errorf("got %q", out)
	}
	venv.hasNoNetwork()
}

func TestC1NpmInstallsAndNodeFindsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.needs("node", "npm", "python3")
	p := w.prepare(w.tree(map[string]string{"package.json": `{"name":"own","version":"1.0.0","dependencies":{"dep":"1.0.0"}}`}, "npm install"))
	if p.res.State != Done {
		t.Fatalf("%+v", p.res)
	}
	if out, ok := p.run(`node -e "console.log(require('dep'))"; touch node_modules/.cache/x && echo >node_modules/dep/index.js`); ok || !strings.HasPrefix(out, "from the registry\n") || !strings.Contains(out, "ead-only") {
		t.Errorf("got %q", out)
	}
	p.hasNoNetwork()
}

func TestC1OtherHostsAreRefusedAndTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.needs("python3")
	p := w.prepare(w.tree(map[string]string{"a": "x"}, `python3 -B - <<'X'
import os, socket, urllib.request, urllib.error
index = os.environ["PIP_INDEX_URL"]
def ask(url):
    try:
        return urllib.request.urlopen(url, timeout=10).status
    except urllib.error.HTTPError as e:
        return e.code
    except OSError as e:
        return "Forbidden" if "403" in str(e) else str(e)
print("index", ask(index + "/dep/"))
for url in ("http://other.test/", "https://other.test/", "http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:1/", "https://index.test/"):
    print(url, ask(url))
for place in (("169.254.169.254", 80), ("192.0.2.1", 443)):
    s = socket.socket(); s.settimeout(3)
    try:
        s.connect(place); print("REACHED")
    except OSError:
        print("closed", place[0])
raise SystemExit(7)
X`))
	if p.res.State != Failed || !strings.Contains(p.res.Reason, "ended with status 7") {
		t.Fatalf("%+v", p.res)
	}
	for _, want := range []string{"index 200", "http://other.test/ 403", "https://other.test/ Forbidden", "http://169.254.169.254/latest/meta-data/ 403", "http://127.0.0.1:1/ 403", "https://index.test/ Forbidden", "closed 169.254.169.254", "closed 192.0.2.1"} {
		if !strings.Contains(p.res.Output, want) {
			t.Errorf("missing %q in %s", want, p.res.Output)
		}
	}
	for _, want := range []string{"other.test:80", "other.test:443", "169.254.169.254:80"} {
		if !strings.Contains(p.res.Reason, want) {
			t.Errorf("the reason does not name %s: %s", want, p.res.Reason)
		}
	}
	if !strings.Contains(p.res.Do, "setup.allow") || len(w.entries(layersDir)) != 0 {
		t.Errorf("%q, layers %v", p.res.Do, w.entries(layersDir))
	}
}

func TestC1WithoutHostsNothingIsRunUnlessTheOperatorSaysSo(t *testing.T) {
	t.Parallel()
	none := newWorld(t, func(c *Config) { c.Allow, c.Private = nil, nil })
	req := none.tree(map[string]string{"a": "x"}, "touch made")
	p := none.prepare(req)
	if p.res.State != NotRun || !strings.Contains(p.res.Words(), "touch made") || !strings.Contains(p.res.Do, "setup.allow") {
		t.Errorf("%+v", p.res)
	}
	offline := newWorld(t, func(c *Config) { c.Allow, c.Private, c.Offline = nil, nil, true })
	if p := offline.prepare(offline.tree(map[string]string{"a": "x"}, "echo $GOPROXY; touch made; ! ls /run/fettle/proxy")); p.res.State != Done {
		t.Errorf("%+v", p.res)
	}
	req.Named = false
	if p := offline.prepare(req); p.res.State != NotRun {
		t.Errorf("a detected setup without hosts: %+v", p.res)
	}
}

func TestX3WhatAFailedSetupPrintsIsRedacted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.Clean = func(s string) string { return strings.ReplaceAll(s, "canary", "[hidden]") }
	})
	p := w.prepare(w.tree(map[string]string{"a": "x"}, "true canary; seq 100000; echo the canary at the end; exit 3"))
	if p.res.State != Failed || !strings.HasSuffix(p.res.Output, "the [hidden] at the end") || len(p.res.Output) > 4000 || strings.Contains(p.res.Reason+p.res.Output, "canary") {
		t.Errorf("%+v", p.res)
	}
}
