package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"
)

// imageQuestion asks the image's interpreters where they live and lists every
// program of its PATH; a line each, the kind first.
const imageQuestion = `
for n in python3 python; do
	p=$(command -v "$n") && a=$("$p" -I -c "$PYTHON_QUESTION") && echo "python3 $a" && break
done 2>/dev/null
p=$(command -v node) && echo "node $("$p" -p "$NODE_QUESTION")"
p=$(command -v go) && echo "go $("$p" env -json GOROOT GOMODCACHE GOVERSION | tr -d '\n')"
IFS=:
for d in $PATH; do
	for f in "$d"/*; do [ -f "$f" ] && [ -x "$f" ] && echo "program $f"; done
done
echo done
`

// discover finds the toolchains of the image, which stand in for the host's.
func (e *engine) discover(ctx context.Context, s *Sandbox) (*toolchains, error) {
	w, err := s.Workspace(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("sandbox: looking for the image's toolchains: %w", err)
	}
	defer w.Close()
	r, err := w.Run(ctx, Command{Argv: []string{"/bin/sh", "-c", imageQuestion}, Limits: Limits{Wall: 2 * time.Minute},
		Env: map[string]string{"PYTHON_QUESTION": pythonQuestion, "NODE_QUESTION": nodeQuestion, "GOPATH": e.env["GOPATH"]}})
	if err != nil {
		return nil, fmt.Errorf("sandbox: looking for the image's toolchains: %w", err)
	}
	if !strings.HasSuffix(string(r.Stdout), "done\n") {
		return nil, fmt.Errorf("sandbox: looking for the image's toolchains ended with %d: %.300s", r.ExitCode, r.Stderr)
	}
	t := &toolchains{env: map[string]string{}, programs: map[string]string{}, dirs: e.imagePath()}
	for line := range strings.Lines(string(r.Stdout)) {
		kind, answer, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		t.hear(kind, answer)
	}
	for _, name := range []string{"npm", "npx", "pnpm", "yarn", "corepack", "gofmt"} {
		if at, ok := t.programs[name]; ok {
			t.tools = append(t.tools, Tool{Name: name, Path: at})
		}
	}
	return t, nil
}

// hear takes one answer of the image; what is not understood is left out.
func (t *toolchains) hear(kind, answer string) {
	var a struct {
		Executable, Version, Path     string
		Modules                       []string
		GOROOT, GOMODCACHE, GOVERSION string
	}
	if kind == "program" {
		if name := path.Base(answer); path.IsAbs(answer) && t.programs[name] == "" { // the first of PATH counts
			t.programs[name] = answer
		}
		return
	}
	if json.Unmarshal([]byte(answer), &a) != nil {
		return
	}
	switch {
	case kind == "python3" && path.IsAbs(a.Executable) && strings.HasPrefix(a.Version, "3."):
		t.tools = append(t.tools, Tool{Name: "python3", Path: a.Executable, Version: a.Version, Modules: a.Modules})
	case kind == "node" && path.IsAbs(a.Path):
		t.tools = append(t.tools, Tool{Name: "node", Path: a.Path, Version: a.Version})
	case kind == "go" && path.IsAbs(a.GOROOT):
		t.tools = append(t.tools, Tool{Name: "go", Path: path.Join(a.GOROOT, "bin/go"), Version: strings.TrimPrefix(a.GOVERSION, "go")})
		t.env["GOROOT"] = a.GOROOT // a sealed go is not where it looks for its own
		if path.IsAbs(a.GOMODCACHE) && !below(a.GOMODCACHE, engineHome) {
			t.env["GOMODCACHE"] = a.GOMODCACHE // what the image brings
		}
	}
}
