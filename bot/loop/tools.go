package loop

import (
	"bytes"
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
	"github.com/fettle-dev/fettle/bot/task"
)

// tools answer the developer's questions about the tree as it stands before
// the attempt. Every answer is an effect.
type tools struct{ r *run }

// toolCall is one question.
type toolCall struct {
	Name string `json:"name"` // read, search, list, check, edit
	Path string `json:"path,omitempty"`
	What string `json:"what,omitempty"` // region, query or check
	// Edit is what is asked leave for, under the name "edit".
	Edit task.EditKind `json:"edit,omitempty"`
}

// toolAnswer is what the developer is told: a text, or why there is none; to a
// refused edit the text of the code as it is.
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

func (t tools) call(ctx context.Context, c toolCall) (toolAnswer, error) {
	got, err := observe(ctx, t.r.tape, "tool", c, func() (toolAnswer, error) {
		text, err := t.r.hands.tool(ctx, c)
		var no *refusal
		if errors.As(err, &no) {
			return toolAnswer{No: no.why, Text: no.code}, nil
		}
		return toolAnswer{Text: text}, err
	})
	if err != nil { // not the model's to know
		return got, fmt.Errorf("%w: %w", agent.ErrFatal, err)
	}
	return got, nil
}

func (t tools) ask(ctx context.Context, c toolCall) (string, error) {
	got, err := t.call(ctx, c)
	if err == nil && got.No != "" {
		err = errors.New(got.No)
	}
	return got.Text, err
}

// permit is an agent's Permit: it refuses an edit of code that is not as its
// author knows it.
func (t tools) permit(ctx context.Context, e task.Edit) error {
	got, err := t.call(ctx, toolCall{Name: "edit", Path: path.Clean(e.Path), What: e.Region, Edit: e.Kind})
	if err == nil && got.No != "" {
		return &agent.Stale{Why: got.No, Code: got.Text}
	}
	return err
}

// ReadRegion implements agent.Tools.
func (t tools) ReadRegion(ctx context.Context, name, region string) (string, error) {
	return t.ask(ctx, toolCall{Name: "read", Path: name, What: region})
}

// Search implements agent.Tools.
func (t tools) Search(ctx context.Context, query, under string) (string, error) {
	return t.ask(ctx, toolCall{Name: "search", Path: under, What: query})
}

// ListFiles implements agent.Tools.
func (t tools) ListFiles(ctx context.Context, under string) (string, error) {
	return t.ask(ctx, toolCall{Name: "list", Path: under})
}

// RunCheck implements agent.Tools.
func (t tools) RunCheck(ctx context.Context, name string) (string, error) {
	if name != checkTests {
		return "", fmt.Errorf("there is no check %q; there is %s", name, checkTests)
	}
	return t.ask(ctx, toolCall{Name: "check", What: name})
}

// refusal is an answer of a tool that says why there is none; of an edit, with
// the code as it is.
type refusal struct{ why, code string }

func (r *refusal) Error() string { return r.why }

func refused(format string, args ...any) error { return &refusal{why: fmt.Sprintf(format, args...)} }

func (h *real) tool(ctx context.Context, c toolCall) (string, error) {
	root, err := os.OpenRoot(h.tree.Dir())
	if err != nil {
		return "", fmt.Errorf("opening the tree: %w", err)
	}
	defer root.Close()
	files := h.visible(root.FS(), path.Clean(c.Path))
	switch c.Name {
	case "edit":
		return "", h.permit(ctx, root.FS(), files, c)
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
	if region == "" {
		return outline(regions, src), nil
	}
	g, how, err := code.Resolve(regions, region)
	switch {
	case err != nil:
		return "", refused("%s: %v", name, err)
	case how.By != "id": // its id is what an edit has to name
		return fmt.Sprintf("%s lines %d-%d\n\n%s", g.ID, g.StartLine, g.EndLine, src[g.StartByte:g.EndByte]), nil
	}
	return string(src[g.StartByte:g.EndByte]), nil
}

// permit says whether an edit is of the code as it stands: one that an earlier
// text stands behind would take back what was done since. What an accepted step
// changed is replaced under its id alone, which shows that the text was seen.
func (h *real) permit(ctx context.Context, tree fs.FS, files []string, c toolCall) error {
	_, touched := h.stood[c.Path]
	if !slices.Contains(files, c.Path) || c.What == "" && (c.Edit != task.EditFile || !touched) {
		return nil // nothing that could be stale; the guard judges the rest
	}
	src, err := fs.ReadFile(tree, c.Path)
	if err != nil {
		return refused("%s cannot be read", c.Path)
	}
	regions, err := code.Regions(ctx, c.Path, src)
	if err != nil {
		return nil //nolint:nilerr // the guard says so
	}
	if c.What == "" {
		return &refusal{"a step that is done changed this file, and its whole text could take that back; replace the regions one by one, under these ids", outline(regions, src)}
	}
	g, how, err := code.Resolve(regions, c.What)
	if err != nil {
		return refused("%v", err)
	}
	text := src[g.StartByte:g.EndByte]
	base, _ := h.sources.read(c.Path) // none for a file that a step made
	if how.Changed || touched && how.By == "name" && c.Edit != task.EditInsert && !bytes.Contains(base, text) {
		return &refusal{fmt.Sprintf("the region was changed since, and is %s now; give its whole new code under that id, on the ground of the text as it is", g.ID), string(text)}
	}
	return nil
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
	rep, err := h.Verifier.Run(ctx, h.tree.Dir(), suites)
	if err != nil {
		return "", fmt.Errorf("running the tests for the developer: %w", err)
	}
	h.hide.report(&rep)
	var b strings.Builder
	fmt.Fprintf(&b, "%d pass, %d fail\n", len(rep.Green()), len(rep.Red()))
	for _, f := range first(rep.Failures(), 10) {
		fmt.Fprintln(&b, sendable(h.never, f).Words())
	}
	return b.String(), nil
}
