package judge

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/verify"
)

// change is a change, file by file.
type change struct {
	files   []file
	renames int             // files that are at another path with the same content
	exec    map[string]bool // files that may be started with the change
}

type file struct {
	verify.Change // of a link where it leads, of a submodule its commit
	kind          string
	mode          bool // who may start it is other than before
}

const maxFile = 4 << 20

// changed compares two trees by the names of contents and by modes, and reads what
// differs. Submodules of a folder are not known.
func changed(ctx context.Context, base, head *checkout.Tree) (change, error) {
	was, now := map[string]checkout.Entry{}, map[string]checkout.Entry{}
	for _, e := range base.Entries() {
		was[e.Path] = e
	}
	for _, e := range head.Entries() {
		now[e.Path] = e
	}
	for _, p := range head.Skipped() {
		if !now[p].Submodule {
			delete(was, p)
		}
	}
	paths := map[string]bool{}
	gone := map[checkout.Entry]int{}
	nameless := func(e checkout.Entry) checkout.Entry { e.Path = ""; return e }
	for p, e := range was {
		if now[p] != e {
			paths[p] = true
			if _, stays := now[p]; !stays {
				gone[nameless(e)]++
			}
		}
	}
	out := change{exec: map[string]bool{}}
	for p, e := range now {
		if out.exec[p] = e.Exec; was[p] == e {
			continue
		}
		paths[p] = true
		if _, there := was[p]; !there && gone[nameless(e)] > 0 {
			gone[nameless(e)]--
			out.renames++
		}
	}
	support, err := code.TestSupport(ctx, head.BaseFS())
	if err != nil {
		return out, fmt.Errorf("looking for what only tests use: %w", err)
	}
	for _, p := range sorted(paths) {
		f := file{Change: verify.Change{Path: p}}
		b, before := was[p]
		if before {
			if f.Before, err = content(base.BaseFS(), b); err != nil {
				return out, err
			}
		}
		a, after := now[p]
		if after {
			if f.After, err = content(head.BaseFS(), a); err != nil {
				return out, err
			}
		}
		f.mode = a.Exec != b.Exec && (before || a.Exec) && after
		switch {
		case a.Submodule || b.Submodule:
			f.kind = KindSubmodule
		case a.Link || b.Link:
			f.kind = KindLink
		case before && after && a.Hash == b.Hash:
			f.kind = KindMode
		default:
			f.kind = kindOf(f, support)
		}
		out.files = append(out.files, f)
	}
	return out, nil
}

// content is a file's text; of one that is too large nothing but that it is there.
func content(tree fs.FS, e checkout.Entry) ([]byte, error) {
	switch {
	case e.Submodule:
		return []byte(e.Hash), nil
	case e.Link:
		to, err := fs.ReadLink(tree, e.Path)
		return []byte(to), err
	case e.Size > maxFile:
		return []byte{0}, nil
	}
	data, err := fs.ReadFile(tree, e.Path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", e.Path, err)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

var (
	ci = lazyregexp.New(`^(?:\.github/(?:workflows|actions)/|\.gitlab-ci\.ya?ml$|\.circleci/|\.travis\.ya?ml$|azure-pipelines|Jenkinsfile|\.buildkite/|\.drone\.ya?ml$|bitbucket-pipelines)`)
	// What only people read. Texts and pictures are it where documentation lies: elsewhere
	// a program may read them, as it does templates, lists of words and icons.
	docs = lazyregexp.New(`(?i)(?:\.(?:md|markdown|rst|adoc)|^(?:licen[cs]e|copying|authors|changelog|changes|contributing|notice|readme)(?:\.txt)?)$`)
	// What agents are told to do is no documentation, and who has to review is none either.
	orders    = lazyregexp.New(`(?i)(?:^|/)(?:agents|claude|gemini|copilot-instructions|skill)\.md$|(?:^|/)codeowners$|^\.(?:cursor|claude|github/(?:instructions|prompts))/`)
	docsDir   = lazyregexp.New(`(?i)^(?:docs?|documentation|website)/(?:.*/)?[^/]+\.(?:txt|html?|css|svg|png|jpe?g|gif|webp|puml|drawio)$`)
	generated = lazyregexp.New(`(?m)^(?:\W{0,4})\s*(?:Code generated .* DO NOT EDIT|.*@generated\b|(?i:this file (?:is|was) (?:auto(?:matically)?[- ])?generated))`)
	built     = lazyregexp.New(`(?:^|/)(?:dist|build)/|\.min\.(?:js|css)$|\.(?:pb\.go|map)$`)
)

func kindOf(f file, support map[string]bool) string {
	text, p := f.After, f.Path
	if text == nil {
		text = f.Before
	}
	switch {
	case ci.MatchString(p):
		return KindCI
	case prepare.Pins(p):
		return KindLock
	case verify.Configures(p):
		return KindConfig
	case verify.Protected(p) || support[p]:
		return KindTest
	case !orders.MatchString(p) && (docs.MatchString(p) || docsDir.MatchString(p) && !prepare.Names(p)):
		return KindDocs
	case bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0:
		return KindBinary
	case built.MatchString(p) || generated.Match(text[:min(len(text), 2000)]):
		return KindGenerated
	}
	return KindProduct
}

// of are the changes of some kinds.
func (c change) of(kinds ...string) []verify.Change {
	var out []verify.Change
	for _, f := range c.files {
		if slices.Contains(kinds, f.kind) {
			out = append(out, f.Change)
		}
	}
	return out
}

// all are the changes that are texts.
func (c change) all() []verify.Change {
	return c.of(KindProduct, KindTest, KindConfig, KindDocs, KindLock, KindGenerated, KindCI)
}

// only tells whether nothing but some kinds is changed.
func (c change) only(kinds ...string) bool { return len(c.of(kinds...)) == len(c.files) }

// moved tells whether files are only at another path.
func (c change) moved() bool {
	gone, come := 0, 0
	for _, f := range c.files {
		switch {
		case f.After == nil:
			gone++
		case f.Before == nil:
			come++
		default:
			return false
		}
	}
	return c.renames > 0 && c.renames == come && come == gone
}

// lines counts what is changed in some files, both ways.
func lines(all []verify.Change) int {
	n := 0
	for _, c := range all {
		switch {
		case c.Before == nil:
			n += bytes.Count(c.After, []byte("\n")) + 1
		case c.After == nil:
			n += bytes.Count(c.Before, []byte("\n")) + 1
		default:
			n += len(code.ChangedLines(c.Before, c.After))
		}
	}
	return n
}

// version gives the files of some changes as they were or are; nil is a file that is not there.
func version(all []verify.Change, after bool) map[string][]byte {
	out := map[string][]byte{}
	for _, c := range all {
		if out[c.Path] = c.Before; after {
			out[c.Path] = c.After
		}
	}
	return out
}

// writeOver writes files over a tree, and makes those that may be started so; nil takes one away.
func writeOver(root *os.Root, files map[string][]byte, exec map[string]bool) error {
	for _, p := range sorted(files) {
		err := root.Remove(p)
		if os.IsNotExist(err) {
			err = nil
		}
		if data := files[p]; data != nil && err == nil {
			if err = root.MkdirAll(path.Dir(p), 0o755); err == nil {
				mode := os.FileMode(0o644)
				if exec[p] {
					mode = 0o755
				}
				err = root.WriteFile(p, data, mode)
			}
		}
		if err != nil {
			return fmt.Errorf("laying out %s: %w", p, err)
		}
	}
	return nil
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
