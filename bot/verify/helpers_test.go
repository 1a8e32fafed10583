package verify

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

var shared struct {
	once sync.Once
	box  *sandbox.Sandbox
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.box != nil {
		_ = shared.box.Close()
	}
	os.Exit(code)
}

// some is all of a list, in the quick run every nth of it.
func some[T any](all []T, n int) []T {
	if !testing.Short() {
		return all
	}
	var out []T
	for i := 0; i < len(all); i += n {
		out = append(out, all[i])
	}
	return out
}

// verifier runs in a real sandbox that all tests of the package share.
func verifier(t *testing.T) *Verifier {
	t.Helper()
	shared.once.Do(func() {
		if shared.box, shared.err = sandbox.New(context.Background(), sandbox.Config{}); shared.err == nil {
			shared.err = shared.box.Warm(context.Background()) // once per machine: without it each session compiles Go's own packages
		}
	})
	if shared.err != nil {
		t.Fatalf("the tests need the sandbox: %v", shared.err)
	}
	session := shared.box.Session()
	t.Cleanup(func() { _ = session.Close() })
	return New(Config{Sandbox: session, Reruns: reruns()})
}

// rerunning is a verifier that looks whether what is red is so by chance.
func rerunning(t *testing.T) *Verifier {
	t.Helper()
	v := verifier(t)
	v.cfg.Reruns = 2
	return v
}

// reruns: in the quick run only the tests of what is red by chance run red tests again.
func reruns() int {
	if testing.Short() {
		return -1
	}
	return 2
}

// repository is a fixture on disk with its pristine base beside it.
type repository struct {
	dir  string
	base fs.FS
}

func open(t *testing.T, fixture string) repository {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", fixture+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return from(t, string(data))
}

func from(t *testing.T, archive string) repository {
	t.Helper()
	r := repository{dir: t.TempDir()}
	pristine := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		put(t, r.dir, f.Name, string(f.Data))
		put(t, pristine, f.Name, string(f.Data))
	}
	r.base = os.DirFS(pristine)
	return r
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (r repository) write(t *testing.T, name, text string) { t.Helper(); put(t, r.dir, name, text) }

func baseline(t *testing.T, v *Verifier, r repository) Baseline {
	t.Helper()
	suites, err := v.Detect(r.base)
	if err != nil {
		t.Fatal(err)
	}
	b, err := v.Baseline(t.Context(), r.dir, suites)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func judge(t *testing.T, v *Verifier, j Judge) Verdict {
	t.Helper()
	out, err := v.Judge(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func failureOf(r Report, id string) task.Failure {
	for _, f := range r.Failures() {
		if f.Test == id {
			return f
		}
	}
	return task.Failure{}
}

func readBase(t *testing.T, r repository, name string) string {
	t.Helper()
	data, err := fs.ReadFile(r.base, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var cached struct {
	sync.Mutex
	by map[string]*once
}

type once struct {
	sync.Once
	base Baseline
}

// baselines gives the baseline of an unchanged fixture, made once.
func baselines(t *testing.T, fixture string) Baseline {
	t.Helper()
	cached.Lock()
	if cached.by == nil {
		cached.by = map[string]*once{}
	}
	o := cached.by[fixture]
	if o == nil {
		o = &once{}
		cached.by[fixture] = o
	}
	cached.Unlock()
	v := rerunning(t)
	if sandboxtest.Quick() {
		v = verifier(t)
	}
	o.Do(func() { o.base = baseline(t, v, open(t, fixture)) })
	return o.base
}

// needs skips a test whose program, or a library of it, is not on this machine.
func needs(t *testing.T, program, library string) {
	t.Helper()
	exe, ok := shared.box.Tool(program)
	if ok && library != "" {
		ask := []string{"-e", "require '" + library + "'; exit!(0)"}
		ok = exec.CommandContext(t.Context(), exe, ask...).Run() == nil
	}
	if !ok {
		t.Skipf("not run: %s is not on this machine; make setup-runners installs it", strings.TrimSpace(program+" "+library))
	}
}

func chmod(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
}
