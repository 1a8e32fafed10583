package judge

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify"
)

// change is a change, file by file.
type change struct {
	files   []file
	renames int // files that are at another path with the same content
}

type file struct {
	verify.Change
	kind string
}

const maxFile = 4 << 20

// changed compares two trees by the names of contents, and reads what differs.
func changed(ctx context.Context, base, head *checkout.Tree) (change, error) {
	was, now := map[string]checkout.Blob{}, map[string]checkout.Blob{}
	for _, b := range base.Blobs() {
		was[b.Path] = b
	}
	for _, b := range head.Blobs() {
		now[b.Path] = b
	}
	paths := map[string]bool{}
	gone := map[string]int{}
	for p, b := range was {
		if now[p].Hash != b.Hash {
			paths[p] = true
			if _, stays := now[p]; !stays {
				gone[b.Hash]++
			}
		}
	}
	var out change
	for p, b := range now {
		if was[p].Hash == b.Hash {
			continue
		}
		paths[p] = true
		if _, there := was[p]; !there && gone[b.Hash] > 0 {
			gone[b.Hash]--
			out.renames++
		}
	}
	support, err := code.TestSupport(ctx, head.BaseFS())
	if err != nil {
		return out, fmt.Errorf("looking for what only tests use: %w", err)
	}
	for _, p := range sorted(paths) {
		f := file{Change: verify.Change{Path: p}}
		if b, ok := was[p]; ok {
			if f.Before, err = content(base.BaseFS(), b); err != nil {
				return out, err
			}
		}
		if b, ok := now[p]; ok {
			if f.After, err = content(head.BaseFS(), b); err != nil {
				return out, err
			}
		}
		f.kind = kindOf(f, support)
		out.files = append(out.files, f)
	}
	return out, nil
}

// content is a file's text; of one that is too large nothing but that it is there.
func content(tree fs.FS, b checkout.Blob) ([]byte, error) {
	if b.Size > maxFile {
		return []byte{0}, nil
	}
	data, err := fs.ReadFile(tree, b.Path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", b.Path, err)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

var (
	locks     = []string{"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "go.sum", "go.work.sum", "Cargo.lock", "gradle.lockfile", "Gemfile.lock", "gems.locked", "composer.lock"}
	ci        = regexp.MustCompile(`^(?:\.github/(?:workflows|actions)/|\.gitlab-ci\.ya?ml$|\.circleci/|\.travis\.ya?ml$|azure-pipelines|Jenkinsfile|\.buildkite/|\.drone\.ya?ml$|bitbucket-pipelines)`)
	docs      = regexp.MustCompile(`(?i)(?:\.(?:md|markdown|rst|adoc|txt|svg|png|jpe?g|gif)$|^(?:licen[cs]e|authors|changelog|contributing|notice|codeowners|readme)(?:\.|$)|^\.github/[^/]*\.md$)`)
	docsDir   = regexp.MustCompile(`^(?:docs?|documentation|website)/`)
	generated = regexp.MustCompile(`(?m)^(?:\W{0,4})\s*(?:Code generated .* DO NOT EDIT|.*@generated\b|(?i:this file (?:is|was) (?:auto(?:matically)?[- ])?generated))`)
	built     = regexp.MustCompile(`(?:^|/)(?:dist|build)/|\.min\.(?:js|css)$|\.(?:pb\.go|map)$`)
)

func kindOf(f file, support map[string]bool) string {
	text, p := f.After, f.Path
	if text == nil {
		text = f.Before
	}
	lang := code.LanguageOf(p)
	switch {
	case ci.MatchString(p):
		return KindCI
	case slices.Contains(locks, path.Base(p)):
		return KindLock
	case verify.Configures(p):
		return KindConfig
	case verify.Protected(p) || support[p]:
		return KindTest
	case docs.MatchString(p) && !strings.HasSuffix(p, "requirements.txt") || docsDir.MatchString(p) && lang == code.Unknown:
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

// lay writes files over a tree; nil takes one away.
func lay(root *os.Root, files map[string][]byte) error {
	for _, p := range sorted(files) {
		err := root.Remove(p)
		if os.IsNotExist(err) {
			err = nil
		}
		if data := files[p]; data != nil && err == nil {
			if err = root.MkdirAll(path.Dir(p), 0o755); err == nil {
				err = root.WriteFile(p, data, 0o644)
			}
		}
		if err != nil {
			return fmt.Errorf("laying out %s: %w", p, err)
		}
	}
	return nil
}

func sorted[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
