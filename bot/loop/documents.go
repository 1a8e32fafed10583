package loop

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/verify"
)

var (
	namesDocument = lazyregexp.New(`(?i)\b(?:readme|changelog|contributing|documentation|docs|manual)\b|[\w./-]+\.(?:md|rst|adoc)\b`)
	isDocument    = lazyregexp.New(`(?i)\.(?:md|markdown|rst|adoc|txt)$`)
)

// documents are the sections that are nearest to the issue, of documents that it names.
func (h *real) documents(text string, hits []memory.Hit) []agent.Text {
	names := namesDocument.FindAllString(strings.ToLower(text), -1)
	var out []agent.Text
	best := 0.0
	for _, g := range hits {
		low := strings.ToLower(g.Path)
		named := slices.ContainsFunc(names, func(n string) bool {
			return strings.Contains(low, strings.TrimPrefix(n, "./")) || n == "documentation" || n == "manual"
		})
		src, err := h.now.read(g.Path)
		if !named || !isDocument.MatchString(low) || err != nil || len(out) == mostDocs || g.Score < best*nearDoc {
			continue
		}
		best = max(best, g.Score)
		out = append(out, agent.Text{Path: g.Path, Start: g.Start, End: g.End, Code: clip(section(src, g), longestDoc), Why: "the task names it"})
	}
	return out
}

// readme is the nearest section of the README, where it is short: it may say what the
// issue changes.
func (h *real) readme(hits []memory.Hit) []agent.Text {
	for _, g := range hits {
		src, err := h.now.read(g.Path)
		if !readmeFile.MatchString(g.Path) || err != nil || h.secret(g.Path) {
			continue
		}
		if part := section(src, g); len(part) <= longestReadme {
			return []agent.Text{{Path: g.Path, Start: g.Start, End: g.End, Code: part, Why: "it has words of the task"}}
		}
		return nil
	}
	return nil
}

// section is the text of a hit.
func section(src []byte, g memory.Hit) string {
	lines := strings.SplitAfter(string(src), "\n")
	return strings.Join(lines[min(len(lines), max(0, g.Start-1)):min(len(lines), g.End)], "")
}

const mostDocumented = 200 // files whose comments are read, and tests

var readmeFile = lazyregexp.New(`(?i)^readme(?:\.(?:md|markdown|rst|txt|adoc))?$`)

// docs are the README and the comments of the code as it was, and the source of its
// tests, read once.
func (h *real) docs(ctx context.Context) (documented, tested string) {
	if h.documented != "" || h.tested != "" {
		return h.documented, h.tested
	}
	var docs, tests strings.Builder
	documents, witnesses := 0, 0
	for _, f := range h.tree.Files() {
		source := code.LanguageOf(f) != code.Unknown
		if info, err := fs.Stat(h.tree.BaseFS(), f); h.secret(f) || err != nil || info.Size() > largestRead {
			continue
		}
		switch {
		case !source && readmeFile.MatchString(path.Base(f)):
			if src, err := h.sources.read(f); err == nil {
				docs.Write(src)
			}
		case !source:
		case code.IsTest(f):
			if src, err := h.sources.read(f); err == nil && witnesses < mostDocumented {
				witnesses++
				tests.Write(src)
			}
		case documents < mostDocumented && !verify.Protected(f):
			if src, err := h.sources.read(f); err == nil {
				documents++
				comments(ctx, f, src, &docs)
			}
		}
	}
	h.documented, h.tested = docs.String(), tests.String()
	return h.documented, h.tested
}

// comments are those of a file, and its docstrings.
func comments(ctx context.Context, file string, src []byte, out *strings.Builder) {
	t, err := code.Parse(ctx, code.LanguageOf(file), src)
	if err != nil {
		return // what cannot be read states nothing
	}
	t.Walk(func(n code.Node) bool {
		if k := n.Kind(); k == "comment" || k == "string" && n.Up() == "expression_statement" {
			fmt.Fprintln(out, n.Text())
		}
		return true
	})
}
