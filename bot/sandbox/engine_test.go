package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// engineDouble is not an engine: it answers the questions that come before the
// first container, so that each refusal can be seen without one. What containers
// do is tested against real engines, by the conformance suite.
func engineDouble(t *testing.T, answers map[string]string) (host string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "fe") // short: a socket's path may have about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		w.Header().Set("Content-Type", "application/json")
		for path, answer := range answers {
			if strings.HasSuffix(r.URL.Path, path) {
				fmt.Fprint(w, answer)
				return
			}
		}
		if !strings.HasSuffix(r.URL.Path, "/_ping") {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"message":"no such thing"}`)
		}
	})}}
	server.Start()
	t.Cleanup(server.Close)
	return "unix://" + socket
}

func TestS10AnEngineThatCannotConfineIsRefused(t *testing.T) {
	t.Parallel()
	const able = `{"OSType":"linux","MemoryLimit":true,"PidsLimit":true,"ServerVersion":"1"}`
	for name, c := range map[string]struct {
		answers     map[string]string
		image, says string
	}{
		"Windows containers": {map[string]string{"/info": `{"OSType":"windows","MemoryLimit":true,"PidsLimit":true}`}, "x", "it has to run Linux ones"},
		"no limits":          {map[string]string{"/info": `{"OSType":"linux","MemoryLimit":false,"PidsLimit":false}`}, "x", "cannot limit memory and processes"},
		"no image named":     {map[string]string{"/info": able}, "", "engine.image is not set"},
		"image not there":    {map[string]string{"/info": able}, "absent:1", "docker pull absent:1"},
		"image with volumes": {map[string]string{"/info": able, "/images/x/json": `{"Id":"sha256:1","Os":"linux","Config":{"Volumes":{"/data":{}}}}`}, "x", "VOLUME"},
		"image of Windows":   {map[string]string{"/info": able, "/images/x/json": `{"Id":"sha256:1","Os":"windows"}`}, "x", "has to be a Linux one"},
		"no containers":      {map[string]string{"/info": able, "/images/x/json": `{"Id":"sha256:1","Os":"linux","Config":{}}`, "/containers/json": `[]`}, "x", "could not make a container"},
		"not an engine":      {nil, "x", "asking the engine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := filepath.Join(t.TempDir(), "state")
			s, err := New(context.Background(), Config{Backend: Engine, EngineHost: engineDouble(t, c.answers), EngineImage: c.image, StateDir: state})
			if err == nil {
				_ = s.Close()
				t.Fatal("it was accepted")
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error does not say what to do: %v", err)
			}
			if left, _ := os.ReadDir(filepath.Join(state, boxesDir)); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestS10WithoutAnEngineNothingRuns(t *testing.T) {
	t.Parallel()
	deaf := filepath.Join(t.TempDir(), "deaf")
	if err := os.WriteFile(deaf, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for host, says := range map[string]string{
		"tcp://127.0.0.1:2375":                           "must be a Unix socket",
		"unix://relative":                                "must be a Unix socket",
		"unix://" + filepath.Join(t.TempDir(), "nobody"): "no engine listens at",
		"unix://" + deaf:                                 "does not answer; start it",
	} {
		s, err := New(context.Background(), Config{Backend: Engine, EngineHost: host, EngineImage: "x", StateDir: filepath.Join(t.TempDir(), "s")})
		if err == nil {
			_ = s.Close()
			t.Errorf("%s was accepted", host)
		} else if !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error does not say what to do: %v", host, err)
		}
	}
}

// soundEngine is what the self-test's payload reports where all walls stand.
var soundEngine = []string{"uid 1000", "CapEff: 0000000000000000", "CapBnd: 0000000000000000", "CapAmb: 0000000000000000", "NoNewPrivs: 1", "Seccomp: 2",
	"route Iface\tDestination", "if Inter-|", "if face", "if lo:", "shared ok", "work ok", "out ok", "cache ok", "tmp ok", "done"}

func TestC1TheEnginesSelfTestMissesNoWall(t *testing.T) {
	t.Parallel()
	if faults := judgeEngine(strings.Join(soundEngine, "\n")+"\n", "1000"); len(faults) > 0 {
		t.Fatalf("sound walls were faulted: %v", faults)
	}
	for i, line := range soundEngine { // whatever is not reported does not stand
		if strings.HasPrefix(line, "route ") || line == "if Inter-|" || line == "if face" || strings.HasPrefix(line, "CapAmb") {
			continue
		}
		less := append(append([]string(nil), soundEngine[:i]...), soundEngine[i+1:]...)
		if faults := judgeEngine(strings.Join(less, "\n"), "1000"); len(faults) == 0 {
			t.Errorf("%q may be missing", line)
		}
	}
	for _, bad := range []string{"file canary", "wrote /usr", "if eth0:", "route eth0\t00000000\t0100A8C0", "CapAmb: 0000000000002000", "CapBnd: 00000000a80425fb"} {
		if faults := judgeEngine(strings.Join(soundEngine, "\n")+"\n"+bad+"\n", "1000"); len(faults) == 0 {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestC1OfStandardErrorOnlyTheBeginningIsKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all strings.Builder
		b := beginning{to: &all}
		want := ""
		for _, part := range rapid.SliceOf(rapid.StringN(0, 200, 400)).Draw(t, "parts") {
			if n, err := b.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("%d %v", n, err)
			}
			want += part
		}
		if all.String() != want || string(b.kept) != want[:min(256, len(want))] {
			t.Fatalf("passed on %q, kept %q of %q", all.String(), b.kept, want)
		}
	})
}

// FuzzHear feeds the answers of an image: whatever they are, what is taken over
// is an absolute path.
func FuzzHear(f *testing.F) {
	f.Add("python3", `{"executable":"/usr/bin/python3","version":"3.11.2","modules":["pytest"]}`)
	f.Add("go", `{"GOROOT":"/usr/local/go","GOMODCACHE":"/go/pkg/mod","GOVERSION":"go1.26"}`)
	f.Add("node", `{"Path":"bin/node","Version":"22"}`)
	f.Add("program", "/usr/bin/make")
	f.Fuzz(func(t *testing.T, kind, answer string) {
		tc := &toolchains{env: map[string]string{}, programs: map[string]string{}}
		tc.hear(kind, answer)
		for _, tool := range tc.tools {
			if !filepath.IsAbs(tool.Path) {
				t.Errorf("%q", tool.Path)
			}
		}
		for _, path := range tc.programs {
			if !filepath.IsAbs(path) {
				t.Errorf("%q", path)
			}
		}
	})
}
