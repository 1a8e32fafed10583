package loop

import (
	"context"
	_ "embed" // what runs an expression
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox"
)

//go:embed driver/try.py
var tryPython string

//go:embed driver/try.mjs
var tryNode string

const (
	tryTime   = 20 * time.Second
	mostTried = 4 << 10 // bytes of what it prints
)

// try gives the value of an expression with the names of a file at hand, on a
// copy of the tree in the sandbox (SPEC M9). What it says is shown to a model and
// is never evidence. Files that are never sent are taken out of the copy, and what
// the sandbox knows of them is taken out of the words.
func (h *real) try(ctx context.Context, files []string, name string, c toolCall) (string, error) {
	if h.Box == nil {
		return "", refused("nothing can be tried in this run: it has no sandbox for that")
	}
	if len(files) != 1 || files[0] != name {
		return "", h.unreadable(name)
	}
	argv := map[code.Language][]string{
		code.Python:     {"python3", "-B", "-c", tryPython},
		code.JavaScript: {"node", "--no-warnings", "--input-type=module", "-e", tryNode},
	}[code.LanguageOf(name)]
	if argv == nil {
		return "", refused("only Python and JavaScript can be tried, and %s is neither; run_check runs the tests", name)
	}
	box, err := h.Box.Workspace(ctx, h.tree.Dir())
	if err != nil {
		return "", fmt.Errorf("a workspace to try an expression: %w", err)
	}
	defer box.Close()
	for _, f := range h.tree.Files() {
		if h.secret(f) {
			if err := box.WriteFile(f, nil); err != nil {
				return "", fmt.Errorf("taking %s out of the workspace: %w", f, err)
			}
		}
	}
	dir := "."
	for _, s := range h.suites() {
		if s == "." || strings.HasPrefix(name, s+"/") && len(s) > len(dir) {
			dir = s
		}
	}
	file := name
	if dir != "." {
		file = strings.TrimPrefix(name, dir+"/")
	}
	asked, err := json.Marshal(map[string]string{"file": file, "expression": c.What})
	if err != nil {
		return "", fmt.Errorf("asking for an expression: %w", err)
	}
	res, err := box.Run(ctx, sandbox.Command{Argv: argv, Dir: dir, Stdin: strings.NewReader(string(asked)), Needs: true, Limits: sandbox.Limits{Wall: tryTime}, Env: map[string]string{"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}})
	if err != nil {
		return "", fmt.Errorf("trying an expression: %w", err)
	}
	out := strings.TrimSpace(string(res.Stdout) + "\n" + string(res.Stderr))
	if out = clip(h.hide.text(out), mostTried); out == "" {
		out = "(it printed nothing)"
	}
	if res.TimedOut {
		out += fmt.Sprintf("\n(it was stopped after %s)", tryTime)
	}
	return out, nil
}

// suites are the folders in which the repository's tests are run.
func (h *real) suites() []string {
	all, err := h.Verifier.Detect(h.tree.BaseFS())
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range all {
		out = append(out, path.Clean(s.Dir))
	}
	return out
}
