package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
)

// tools answer the developer's questions about the tree as it stands before
// the attempt. Every answer is an effect.
type tools struct{ r *run }

// toolCall is one question.
type toolCall struct {
	Name string `json:"name"` // read, search, list, check
	Path string `json:"path,omitempty"`
	What string `json:"what,omitempty"` // region, query or check
}

// toolAnswer is what the developer is told: a text, or why there is none.
type toolAnswer struct {
	Text string `json:"text,omitempty"`
	No   string `json:"no,omitempty"`
}

// checkTests is the named check that a developer may ask for.
const checkTests = "tests"

const (
	longestFile = 8 << 10 // shown as a whole
	mostHits    = 50
)

func (t tools) ask(ctx context.Context, c toolCall) (string, error) {
	got, err := observe(ctx, t.r.tape, "tool", c, func() (toolAnswer, error) {
		text, err := t.r.hands.tool(ctx, c)
		var no *refusal
		if errors.As(err, &no) {
			return toolAnswer{No: no.why}, nil
		}
		return toolAnswer{Text: text}, err
	})
	switch {
	case err != nil: // not the model's to know
		return "", fmt.Errorf("%w: %w", agent.ErrFatal, err)
	case got.No != "":
		return "", errors.New(got.No)
	}
	return got.Text, nil
}

// ReadRegion implements agent.Tools.
func (t tools) ReadRegion(ctx context.Context, name, region string) (string, error) {
	return t.ask(ctx, toolCall{"read", name, region})
}

// Search implements agent.Tools.
func (t tools) Search(ctx context.Context, query, under string) (string, error) {
	return t.ask(ctx, toolCall{"search", under, query})
}

// ListFiles implements agent.Tools.
func (t tools) ListFiles(ctx context.Context, under string) (string, error) {
	return t.ask(ctx, toolCall{"list", under, ""})
}

// RunCheck implements agent.Tools.
func (t tools) RunCheck(ctx context.Context, name string) (string, error) {
	if name != checkTests {
		return "", fmt.Errorf("there is no check %q; there is %s", name, checkTests)
	}
	return t.ask(ctx, toolCall{"check", "", name})
}

// refusal is an answer of a tool that says why there is none.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

func refused(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

func (h *real) tool(ctx context.Context, c toolCall) (string, error) {
	root, err := os.OpenRoot(h.tree.Dir())
	if err != nil {
		return "", fmt.Errorf("opening the tree: %w", err)
	}
	defer root.Close()
	files := h.visible(root.FS(), path.Clean(c.Path))
	switch c.Name {
	case "read":
		return readRegion(ctx, root.FS(), files, path.Clean(c.Path), c.What)
	case "search":
		return searchIn(ctx, root.FS(), files, c.What)
	case "list":
		if len(files) == 0 {
			return "", refused("there is no file under %q", c.Path)
		}
		return strings.Join(first(files, 500), "\n"), nil
	}
	return h.runTests(ctx)
}

// visible are the tree's files under a path that may be shown.
func (h *real) visible(tree fs.FS, under string) []string {
	var out []string
	_ = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // cannot be read: it is not shown
		}
		if d.Type().IsRegular() && (under == "." || p == under || strings.HasPrefix(p, under+"/")) && !patch.Match(h.never, p) {
			out = append(out, p)
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		return nil
	})
	return out
}

func readRegion(ctx context.Context, tree fs.FS, files []string, name, region string) (string, error) {
	if !slices.Contains(files, name) {
		return "", refused("there is no file %s that may be read", name)
	}
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return "", refused("%s cannot be read", name)
	}
	regions, err := code.Regions(ctx, name, src)
	if err != nil {
		return "", refused("%s cannot be parsed: %v", name, err)
	}
	var b strings.Builder
	for _, g := range regions {
		if region != "" && (g.ID == region || g.Name == region) {
			return string(src[g.StartByte:g.EndByte]), nil
		}
		fmt.Fprintf(&b, "%s lines %d-%d\n", g.ID, g.StartLine, g.EndLine)
	}
	if region != "" {
		return "", refused("%s has no region %q; it has\n%s", name, region, b.String())
	}
	if len(src) <= longestFile {
		fmt.Fprintf(&b, "\n%s", src)
	}
	return b.String(), nil
}

func searchIn(ctx context.Context, tree fs.FS, files []string, query string) (string, error) {
	if strings.TrimSpace(query) == "" {
		return "", refused("a search needs a text to look for")
	}
	var b strings.Builder
	hits := 0
	for _, f := range files {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		src, err := fs.ReadFile(tree, f)
		if err != nil || len(src) > 1<<20 {
			continue
		}
		for i, line := range strings.Split(string(src), "\n") {
			if strings.Contains(line, query) {
				if hits++; hits > mostHits {
					fmt.Fprintf(&b, "… more than %d places\n", mostHits)
					return b.String(), nil
				}
				fmt.Fprintf(&b, "%s:%d: %s\n", f, i+1, strings.TrimSpace(line))
			}
		}
	}
	if hits == 0 {
		return "", refused("%q stands nowhere there", query)
	}
	return b.String(), nil
}

// runTests runs the tests on the tree as it stands, and tells what fails.
func (h *real) runTests(ctx context.Context) (string, error) {
	suites, err := h.Verifier.Detect(h.tree.BaseFS())
	if err != nil {
		return "", refused("the tests cannot be run: %v", err)
	}
	base, err := h.Verifier.Measure(ctx, h.tree.Dir(), suites)
	if err != nil {
		return "", fmt.Errorf("running the tests for the developer: %w", err)
	}
	h.hide.report(&base.Report)
	var b strings.Builder
	fmt.Fprintf(&b, "%d pass, %d fail\n", len(base.Report.Green()), len(base.Report.Red()))
	for _, f := range first(base.Report.Failures(), 10) {
		fmt.Fprintln(&b, sendable(h.never, f).Words())
	}
	return b.String(), nil
}
