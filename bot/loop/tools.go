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
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

// tools answer a role's questions about the tree as it stands before the attempt.
// Every answer is an effect, and told in the run's story.
type tools struct {
	r  *run
	as string // the role
}

// toolCall is one question.
type toolCall struct {
	Name string `json:"name"` // read, search, list, check, outline, try, edit
	Path string `json:"path,omitempty"`
	What string `json:"what,omitempty"` // region, query, check or expression
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

	mostListedLines, mostListedBytes = 100, 6 << 10
	mostHits                         = 30
)

func (t tools) call(ctx context.Context, c toolCall) (toolAnswer, error) {
	got, err := observe(ctx, t.r.recorder, "tool", c, func() (toolAnswer, error) {
		text, err := t.r.effects.tool(ctx, c)
		var no *refusal
		if errors.As(err, &no) {
			return toolAnswer{No: no.why, Text: no.code}, nil
		}
		return toolAnswer{Text: text}, err
	})
	if err != nil { // not the model's to know
		return got, fmt.Errorf("%w: %w", agent.ErrFatal, err)
	}
	if c.Name != "edit" {
		came := fmt.Sprintf("%d bytes", len(got.Text))
		if got.No != "" {
			came = "refused: " + short(got.No)
		}
		err = t.r.note(ctx, "model.looked", strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Name, c.Path, short(c.What)))+": "+came, map[string]any{"as": t.as, "name": c.Name, "path": c.Path, "what": c.What})
	}
	if err != nil {
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

// Outline implements agent.Tools.
func (t tools) Outline(ctx context.Context, name string) (string, error) {
	return t.ask(ctx, toolCall{Name: "outline", Path: name})
}

// Try implements agent.Tools.
func (t tools) Try(ctx context.Context, name, expression string) (string, error) {
	return t.ask(ctx, toolCall{Name: "try", Path: name, What: expression})
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
		return h.reads(ctx, root.FS(), files, path.Clean(c.Path), c.What)
	case "search":
		return h.searches(ctx, root.FS(), files, c)
	case "outline":
		return h.outlines(ctx, root.FS(), files, path.Clean(c.Path))
	case "try":
		return h.try(ctx, files, path.Clean(c.Path), c)
	case "list":
		if len(files) == 0 {
			return "", h.unreadable(path.Clean(c.Path))
		}
		names, left := agent.Tree(files, nil, mostListedLines, mostListedBytes)
		if left > 0 {
			names = append(names, fmt.Sprintf("… %d more files", left))
		}
		return strings.Join(names, "\n"), nil
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

// unreadable says why a file is not shown, as far as it may be told.
func (h *real) unreadable(name string) error {
	if h.secret(name) {
		return refused("%s is never shown to a model; work without it", name)
	}
	return refused("there is no file %s; list_files and search tell which there are", name)
}

func (h *real) reads(ctx context.Context, tree fs.FS, files []string, name, region string) (string, error) {
	if !slices.Contains(files, name) {
		return "", h.unreadable(name)
	}
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return "", refused("%s cannot be read", name)
	}
	if m := answer.LineRange.FindStringSubmatch(region); m != nil {
		return linesOf(name, string(src), m[1])
	}
	regions, err := code.Regions(ctx, name, src)
	if err != nil {
		return "", refused("%s cannot be parsed: %v", name, err)
	}
	if region == "" && len(src) <= longestFile {
		return strings.Join(index(regions, true), "\n") + "\n\n" + string(src), nil
	} else if region == "" {
		return "It is too long to be shown whole. " + strings.Join(signatures(regions), "\n"), nil
	}
	g, how, err := code.Resolve(regions, region)
	switch {
	case err != nil:
		return "", refused("%s: %v", name, err)
	case how.By != "id": // its id is what an edit has to name
		return fmt.Sprintf("%s lines %d-%d\n\n%s", g.ID, g.StartLine, g.EndLine, indented(src, g)), nil
	}
	return indented(src, g), nil
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
		return &refusal{"a step that is done changed this file, and its whole text could take that back; replace the regions one by one, under these ids", strings.Join(index(regions, true), "\n") + "\n\n" + clip(string(src), longestFile)}
	}
	g, how, err := code.Resolve(regions, c.What)
	if err != nil {
		return refused("%v", err)
	}
	text := src[g.StartByte:g.EndByte]
	base, _ := h.sources.read(c.Path) // none for a file that a step made
	if how.Changed || touched && how.By == "name" && c.Edit != task.EditInsert && !bytes.Contains(base, text) {
		return &refusal{fmt.Sprintf("the region was changed since, and is %s now; give its whole new code under that id, on the ground of the text as it is", g.ID), indented(src, g)}
	}
	return nil
}

// linesOf are lines of a file such as 10-40.
func linesOf(name, src, lines string) (string, error) {
	a, b, two := strings.Cut(lines, "-")
	from, err := strconv.Atoi(a)
	to := from
	if two && err == nil {
		to, err = strconv.Atoi(b)
	}
	all := strings.SplitAfter(src, "\n")
	if err != nil || from < 1 || to < from || from > len(all) {
		return "", refused("%s has %d lines, and %s are none of them", name, len(all), lines)
	}
	return strings.Join(all[from-1:min(to, len(all))], ""), nil
}

// signatures lists regions with their lines and ids.
func signatures(regions []code.Region) []string {
	var out []string
	for _, g := range first(regions, maxListed) {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d-%d %s %s", g.StartLine, g.EndLine, g.ID, strings.Join(strings.Fields(g.Signature), " "))))
	}
	if n := len(regions) - maxListed; n > 0 {
		out = append(out, fmt.Sprintf("… %d more", n))
	}
	return out
}

const mostOutlined = 20 // files of a folder

// outlines gives the signatures of a file, or of a folder's source files.
func (h *real) outlines(ctx context.Context, tree fs.FS, files []string, name string) (string, error) {
	if len(files) == 0 {
		return "", h.unreadable(name)
	}
	var b strings.Builder
	n := 0
	for _, f := range files {
		src, err := fs.ReadFile(tree, f)
		if f != name && code.LanguageOf(f) == code.Unknown || err != nil || len(src) > largestRead {
			continue
		}
		if n++; n > mostOutlined {
			fmt.Fprintf(&b, "… more files; outline a folder below it\n")
			break
		}
		regions, err := code.Regions(ctx, f, src)
		if err != nil {
			return "", refused("%s cannot be parsed: %v", f, err)
		}
		fmt.Fprintf(&b, "%s\n  %s\n", f, strings.Join(signatures(regions), "\n  "))
	}
	if n == 0 {
		return "", refused("there is no source under %q", name)
	}
	return b.String(), nil
}

const mostMeant = 6 // places that a search tells besides those word for word

// searches finds a text word for word, and what the index knows of it.
func (h *real) searches(ctx context.Context, tree fs.FS, files []string, c toolCall) (string, error) {
	said, err := searchIn(ctx, tree, files, c.What)
	var no *refusal
	if err != nil && !errors.As(err, &no) || strings.TrimSpace(c.What) == "" {
		return said, err
	}
	hits, failed := h.hits(ctx, memory.Query{Title: c.What})
	if failed != nil {
		return said, failed
	}
	var b strings.Builder
	n := 0
	for _, g := range hits {
		if g.Score >= leastScore && n < mostMeant && g.Region != "" && slices.Contains(files, g.Path) {
			n++
			fmt.Fprintf(&b, "%s:%d-%d %s %s\n", g.Path, g.Start, g.End, g.Region, strings.Join(strings.Fields(g.Signature), " "))
		}
	}
	if n == 0 {
		return said, err
	}
	if no != nil {
		said = no.why + "\n"
	}
	return said + "Regions that these words point at, the likeliest first:\n" + b.String(), nil
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
				fmt.Fprintf(&b, "%s:%d: %s\n", f, i+1, short(line))
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
	for _, f := range first(rep.Failures(), mostKept) {
		fmt.Fprintln(&b, sendable(h.never, f).Words())
	}
	if n := len(rep.Failures()) - mostKept; n > 0 {
		fmt.Fprintf(&b, "… and %d more like these\n", n)
	}
	return b.String(), nil
}
