package prepare

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/egress"
)

// registry is an index of packages on this machine, for Go, pip and npm, each
// with one package: dep.
type registry struct {
	*httptest.Server
	port string // ":N"
	hits atomic.Int32
}

const indexHost = "index.test"

func newRegistry(t testing.TB) *registry {
	t.Helper()
	r := &registry{}
	mux := http.NewServeMux()
	file := func(at, kind string, data []byte) {
		mux.HandleFunc("GET "+at, func(w http.ResponseWriter, _ *http.Request) {
			r.hits.Add(1)
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(data)
		})
	}
	file("/go/example.test/dep/@v/list", "text/plain", []byte("v1.0.0\n"))
	file("/go/example.test/dep/@v/v1.0.0.info", "application/json", []byte(`{"Version":"v1.0.0"}`))
	file("/go/example.test/dep/@v/v1.0.0.mod", "text/plain", []byte(goMod))
	file("/go/example.test/dep/@v/v1.0.0.zip", "application/zip", zipped(t, goFiles))
	file("/simple/dep/", "text/html", []byte(`<!DOCTYPE html><html><body><a href="/dep-1.0-py3-none-any.whl">dep-1.0-py3-none-any.whl</a></body></html>`))
	file("/dep-1.0-py3-none-any.whl", "application/zip", zipped(t, wheel))
	pack := packed(t, map[string]string{"package/package.json": `{"name":"dep","version":"1.0.0","main":"index.js"}`, "package/index.js": "module.exports = 'from the registry';\n"})
	file("/npm/dep/-/dep-1.0.0.tgz", "application/octet-stream", pack)
	r.Server = httptest.NewServer(mux)
	t.Cleanup(r.Close)
	r.port = r.URL[strings.LastIndexByte(r.URL, ':'):]
	sum := sha512.Sum512(pack)
	doc, err := json.Marshal(map[string]any{"name": "dep", "dist-tags": map[string]string{"latest": "1.0.0"}, "versions": map[string]any{"1.0.0": map[string]any{
		"name": "dep", "version": "1.0.0", "main": "index.js", "dist": map[string]string{"tarball": "http://" + indexHost + r.port + "/npm/dep/-/dep-1.0.0.tgz",
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}}}})
	if err != nil {
		t.Fatal(err)
	}
	file("/npm/dep", "application/json", doc)
	return r
}

const goMod = "module example.test/dep\n\ngo 1.20\n"

var goFiles = map[string]string{"example.test/dep@v1.0.0/go.mod": goMod, "example.test/dep@v1.0.0/dep.go": "package dep\n\nconst Answer = \"from the registry\"\n"}

var wheel = map[string]string{
	"dep.py":                       "answer = 'from the registry'\n",
	"dep-1.0.dist-info/METADATA":   "Metadata-Version: 2.1\nName: dep\nVersion: 1.0\n",
	"dep-1.0.dist-info/WHEEL":      "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
	"dep-1.0.dist-info/RECORD":     "dep.py,,\ndep-1.0.dist-info/METADATA,,\ndep-1.0.dist-info/WHEEL,,\ndep-1.0.dist-info/RECORD,,\n",
	"dep-1.0.dist-info/INSTALLER~": "",
}

func zipped(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names(files) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func packed(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	for _, name := range names(files) {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))})
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func names(files map[string]string) []string {
	var out []string
	for name := range files {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// h1 is Go's hash of a module's files (golang.org/ref/mod, "go.sum files").
func h1(files map[string]string) string {
	sum := sha256.New()
	for _, name := range names(files) {
		fmt.Fprintf(sum, "%x  %s\n", sha256.Sum256([]byte(files[name])), name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

var goRepo = map[string]string{
	"go.mod": "module example.test/own\n\ngo 1.20\n\nrequire example.test/dep v1.0.0\n",
	"go.sum": "example.test/dep v1.0.0 " + h1(goFiles) + "\nexample.test/dep v1.0.0/go.mod " + h1(map[string]string{"go.mod": goMod}) + "\n",
	// It compiles only with the right answer, and needs nothing of Go's own library.
	"own.go": "package own\n\nimport \"example.test/dep\"\n\nconst length = uint(len(dep.Answer) - len(\"from the registry\"))\n",
}

// world is a sandbox, a registry and a preparer that may reach it.
type world struct {
	t   testing.TB
	box *sandbox.Sandbox
	reg *registry
	cfg Config
	*Preparer
}

func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	dir := t.TempDir()
	box, err := sandbox.New(context.Background(), sandbox.Config{StateDir: filepath.Join(dir, "sandbox")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	reg := newRegistry(t)
	allow, err := egress.ParseList([]string{indexHost + reg.port})
	if err != nil {
		t.Fatal(err)
	}
	index := "http://" + indexHost + reg.port
	cfg := Config{
		Dir: filepath.Join(dir, "setups"), Allow: allow, Private: allow,
		Env: map[string]string{"GOPROXY": index + "/go", "PIP_INDEX_URL": index + "/simple", "PIP_TRUSTED_HOST": indexHost, "npm_config_registry": index + "/npm"},
		Egress: egress.Config{Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}},
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, box, reg, cfg, p}
}

// tree lays files out and is the request for them.
func (w *world) tree(files map[string]string, commands ...string) Request {
	w.t.Helper()
	dir := w.t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	return Request{Installation: 1, Repo: "owner/a", Dir: dir, Tree: os.DirFS(dir), Commands: commands, Named: true, Default: true}
}

// prepared is a session with a setup done; it ends with the test or by end.
type prepared struct {
	t    testing.TB
	box  *sandbox.Sandbox
	res  Result
	dir  string
	end  func()
	done bool
}

func (w *world) prepare(req Request) *prepared {
	w.t.Helper()
	box := w.box.Session()
	s := w.For(box)
	out := &prepared{t: w.t, box: box, dir: req.Dir}
	out.end = func() {
		if out.done {
			return
		}
		out.done = true
		if err := box.Close(); err != nil {
			w.t.Error(err)
		}
		if err := s.Close(); err != nil {
			w.t.Error(err)
		}
	}
	w.t.Cleanup(out.end)
	var err error
	if out.res, err = s.Prepare(context.Background(), req); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// run runs a script as a check does.
func (p *prepared) run(script string) (string, bool) {
	p.t.Helper()
	w, err := p.box.Workspace(context.Background(), p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	defer w.Close()
	r, err := w.Run(context.Background(), sandbox.Command{Argv: []string{"sh", "-c", "exec 2>&1\n" + script}})
	if err != nil {
		p.t.Fatal(err)
	}
	return string(r.Stdout), r.OK()
}

// entries are the names in one of the cache's folders.
func (w *world) entries(sub string) []string {
	w.t.Helper()
	list, err := os.ReadDir(filepath.Join(w.cfg.Dir, sub))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, path.Base(e.Name()))
	}
	return out
}

func (w *world) needs(tools ...string) {
	w.t.Helper()
	for _, name := range tools {
		if _, ok := w.box.Tool(name); !ok {
			w.t.Skipf("%s is not installed", name)
		}
	}
}
