// Package patch applies a whole set of edits to a tree, or nothing. A root
// folder, a task.Patch and a Guard flow in; changed files and an exact way
// back flow out, or a Refusal in words that help a model to do better.
//
// Everything is validated before the first byte is written: paths, scope,
// protected files, region targets, that all bytes outside the edited regions
// stay, encoding, syntax, lost symbols, signatures, placeholder text, conflict
// markers, secrets, size. All reading and writing goes through os.Root and follows no symlink.
// It runs nothing.
package patch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// DefaultMaxBytes limits the new text of a patch.
const DefaultMaxBytes = 512 << 10

// maxFile is the size in bytes over which a file is not edited.
const maxFile = 8 << 20

// Guard says what a patch may touch. The zero value allows every file that is
// not protected and not an existing test.
type Guard struct {
	Scope      []string // globs; empty: everywhere. New test files are always in scope.
	Protected  []string // globs on top of DefaultProtected
	AllowTests bool     // existing tests may be edited
	MaxBytes   int      // of new text; zero: DefaultMaxBytes
	// Signatures says that names and parameters may change without the edit
	// saying so: for changes that no model wrote.
	Signatures bool
	// Called are the scripts that pipelines call, and by what: protected as the
	// pipelines are. Nil: the tree that is patched says it.
	Called map[string]string `json:",omitempty"`
	// AllowProtected says that a human has said yes to protected files.
	AllowProtected bool
	// Confidence is the least score with which a target has to be found, from 0 to 1.
	Confidence float64 `json:",omitempty"`
}

// The rules by which a patch is refused.
const (
	RulePath        = "path"
	RuleSymlink     = "symlink"
	RuleProtected   = "protected"
	RuleScope       = "scope"
	RuleTests       = "tests"
	RuleTarget      = "target"
	RuleConfidence  = "confidence"
	RuleOverlap     = "overlap"
	RuleNoChange    = "no_change"
	RuleSyntax      = "syntax"
	RuleLost        = "lost_symbols"
	RulePlaceholder = "placeholder"
	RuleConflict    = "conflict_markers"
	RuleFence       = "fence"
	RuleSecret      = "secret"
	RuleSize        = "size"
	RuleText        = "text"
	RuleSignature   = "signature"
	RuleEncoding    = "encoding"
)

// Refusal says why a patch was not applied, in words for whoever wrote it.
// Nothing was written.
type Refusal struct {
	Path   string `json:"path,omitempty"`
	Region string `json:"region,omitempty"`
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Error implements error.
func (r *Refusal) Error() string {
	where := ""
	if r.Path != "" {
		where = r.Path + ": "
	}
	if r.Region != "" {
		where += r.Region + ": "
	}
	return where + r.Reason
}

func refuse(path, region, rule, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Region: region, Rule: rule, Reason: fmt.Sprintf(format, args...)}
}

// Change is a file before and after; nil means that it was or is not there.
type Change struct {
	Path          string
	Before, After []byte
}

// Applied is a patch that stands in the tree, or in Preview would.
type Applied struct {
	Regions []task.RegionRef // what was changed, as it stands now
	Paths   []string         // files written, each once
	Changes []Change         // the same with their bytes
	Callers []task.CallSite  // of what changed its name or signature: adapted, or left (SPEC E7)
	root    string
	undo    []undo
}

// Left are the callers that the patch does not adapt.
func (a *Applied) Left() []task.CallSite {
	return slices.DeleteFunc(slices.Clone(a.Callers), func(c task.CallSite) bool { return c.Adapted })
}

// Apply validates the whole patch against the tree and then writes it. The
// error is a *Refusal when the patch is at fault; any other error means that
// reading or writing failed, or ctx ended before the first write. In all cases
// the tree is as it was.
func Apply(ctx context.Context, root string, p task.Patch, g Guard) (*Applied, error) {
	return work(ctx, root, p, g, true)
}

// Preview does all of Apply but the writing.
func Preview(ctx context.Context, root string, p task.Patch, g Guard) (*Applied, error) {
	return work(ctx, root, p, g, false)
}

func work(ctx context.Context, root string, p task.Patch, g Guard, write bool) (*Applied, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open the tree to patch: %w", err)
	}
	defer func() { _ = dir.Close() }()
	files, sites, err := prepare(ctx, dir, p, g)
	if err != nil {
		return nil, err
	}
	a := &Applied{root: root, Callers: sites}
	var writes []Write
	for _, f := range files {
		a.Paths = append(a.Paths, f.path)
		a.Regions = append(a.Regions, f.refs...)
		c := Change{Path: f.path, After: f.after}
		if f.exists {
			c.Before = f.before
		}
		a.Changes = append(a.Changes, c)
		writes = append(writes, Write{Path: f.path, Content: f.after, Was: c.Before})
	}
	if !write {
		return a, nil
	}
	if a.undo, err = writeAll(dir, writes); err != nil {
		return nil, err
	}
	return a, nil
}

// file is one file of a patch while it is prepared.
type file struct {
	path   string
	exists bool
	before []byte
	after  []byte
	edits  []task.Edit
	refs   []task.RegionRef
	gone   map[string]bool // qualified names that the patch deletes
	// Of the edits that were made in one pass: where they stand.
	splices []splice
}

// prepare validates everything and computes every file's new bytes.
func prepare(ctx context.Context, dir *os.Root, p task.Patch, g Guard) ([]*file, []task.CallSite, error) {
	if len(p.Edits) == 0 {
		return nil, nil, refuse("", "", RuleNoChange, "the patch holds no edit; give at least one region with its new code")
	}
	guard, err := newGuard(g)
	if err != nil {
		return nil, nil, err
	}
	if guard.Called == nil {
		guard.Called = Called(regular.FS(dir))
	}
	size := 0
	for _, e := range p.Edits {
		size += len(e.Code)
	}
	if size > guard.maxBytes {
		return nil, nil, refuse("", "", RuleSize, "the patch brings %d bytes of new text, %d are allowed; change fewer and smaller regions", size, guard.maxBytes)
	}
	var changed []*file
	paths := p.Paths()
	for _, path := range paths {
		if i := slices.IndexFunc(paths, func(other string) bool { return strings.HasPrefix(other, path+"/") }); i >= 0 {
			return nil, nil, refuse(path, "", RulePath, "the patch takes it for a file and for the folder of %q; choose another name", paths[i])
		}
		f := &file{path: path, gone: map[string]bool{}}
		for _, e := range p.Edits {
			if e.Path == path {
				f.edits = append(f.edits, e)
			}
		}
		if err := guard.admit(dir, f); err != nil {
			return nil, nil, err
		}
		if err := f.compose(ctx); err != nil {
			return nil, nil, err
		}
		for _, r := range f.refs {
			if r.Score < guard.Confidence {
				return nil, nil, refuse(path, r.ID, RuleConfidence, "that this is what the edit means is %.2f sure, and %.2f is needed; give the whole id, or copy the lines exactly", r.Score, guard.Confidence)
			}
		}
		if f.exists && string(f.after) == string(f.before) {
			continue
		}
		if err := f.validate(ctx); err != nil {
			return nil, nil, err
		}
		changed = append(changed, f)
	}
	if err := guard.support(ctx, dir, changed); err != nil {
		return nil, nil, err
	}
	if len(changed) == 0 {
		return nil, nil, refuse(p.Edits[0].Path, p.Edits[0].Region, RuleNoChange, "the new code is the code that is there already; change what causes the failure")
	}
	sites, err := guard.signatures(ctx, regular.FS(dir), changed)
	return changed, sites, err
}

// validate holds the new bytes against the old ones (SPEC E4).
func (f *file) validate(ctx context.Context) error {
	for _, check := range []func() error{f.checkText, f.checkSecrets, func() error { return f.checkSyntax(ctx) }, func() error { return f.checkSymbols(ctx) }} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) checkSyntax(ctx context.Context) error {
	after, err := code.Check(ctx, f.path, f.after)
	if err != nil {
		return fmt.Errorf("check the syntax of %q: %w", f.path, err)
	}
	if len(after) == 0 {
		return nil
	}
	if f.exists {
		before, err := code.Check(ctx, f.path, f.before)
		if err != nil {
			return fmt.Errorf("check the syntax of %q: %w", f.path, err)
		}
		if len(before) > 0 && len(after) <= len(before) {
			return nil // it did not parse before either
		}
	}
	e := after[0]
	return refuse(f.path, f.regionAt(e.Line), RuleSyntax, "does not parse after the edit: line %d, column %d%s: %s (the line reads %q)",
		e.Line, e.Column, f.givenAt(e.Line), e.Message, lineOf(f.after, e.Line))
}

// givenAt says which line of the code that was given stands at a line.
func (f *file) givenAt(line int) string {
	for _, s := range f.splices {
		first := 1 + bytes.Count(f.after[:s.at], []byte("\n"))
		if s.edit.Kind == task.EditInsert { // blank lines come before it
			first += len(s.text) - len(bytes.TrimLeft(s.text, "\r\n")) - bytes.Count(s.text[:len(s.text)-len(bytes.TrimLeft(s.text, "\r\n"))], []byte("\r"))
		}
		if n := line - first + 1; n >= 1 && n <= 1+bytes.Count(bytes.TrimRight(s.text, "\r\n"), []byte("\n")) && s.edit.Kind != task.EditSearch {
			return fmt.Sprintf(", line %d of the code given", n)
		}
	}
	return ""
}

// regionAt is the edited region that holds a line, if any: as the edit named
// it, because that is what its author knows.
func (f *file) regionAt(line int) string {
	for _, s := range f.splices {
		first := 1 + bytes.Count(f.after[:s.at], []byte("\n"))
		if first <= line && line <= first+bytes.Count(s.text, []byte("\n")) && s.edit.Region != "" {
			return s.edit.Region
		}
	}
	for _, r := range f.refs {
		if r.StartLine <= line && line <= r.EndLine {
			return r.ID
		}
	}
	if len(f.edits) == 1 {
		return f.edits[0].Region
	}
	return ""
}

// checkSymbols refuses functions, methods, classes and types that vanish
// though nobody asked for it.
func (f *file) checkSymbols(ctx context.Context) error {
	if !f.exists {
		return nil
	}
	before, err := symbols(ctx, f.path, f.before)
	if err != nil {
		return err
	}
	after, err := symbols(ctx, f.path, f.after)
	if err != nil {
		return err
	}
	for _, r := range before.order {
		if !after.has[r.QualifiedName] && !f.gone[r.QualifiedName] && !f.gone[r.Parent] && !f.asked(r) {
			return refuse(f.path, r.ID, RuleLost, "%s %s is gone after the edit; give the region's whole new code with every %s that it holds, under its own name, ask for it to be deleted, or say \"signature\": true where it is renamed",
				r.Kind, r.QualifiedName, r.Kind)
		}
	}
	return nil
}

type symbolSet struct {
	order []code.Region
	has   map[string]bool
}

// symbols are the named regions of a file, without what lies inside functions.
func symbols(ctx context.Context, path string, src []byte) (symbolSet, error) {
	regions, err := code.Regions(ctx, path, src)
	if err != nil {
		return symbolSet{}, fmt.Errorf("read the regions of %q: %w", path, err)
	}
	inner := map[string]bool{}
	set := symbolSet{has: map[string]bool{}}
	for _, r := range regions {
		if r.Kind == code.KindBlock {
			continue
		}
		if r.Kind == code.KindFunction || r.Kind == code.KindMethod || inner[r.Parent] {
			inner[r.QualifiedName] = true
		}
		set.has[r.QualifiedName] = true
		if !inner[r.Parent] {
			set.order = append(set.order, r)
		}
	}
	return set, nil
}
