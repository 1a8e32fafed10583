package patch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// splice is one edit as a span of the original file.
type splice struct {
	start, end int
	text       []byte
	edit       task.Edit
	after      code.Region // as it stands when this edit alone is applied
	how        code.Resolution
	at         int // where text begins in the new file
}

// compose computes the new bytes. Every edit's target is found in the
// original, so that edits of one file do not depend on their order; imports
// are merged into what the others leave.
func (f *file) compose(ctx context.Context) error {
	if f.edits[0].Kind == task.EditCreate {
		if len(f.edits) > 1 {
			return refuse(f.path, "", RuleOverlap, "a new file takes one edit that holds all its text")
		}
		return f.create(ctx)
	}
	if !f.exists {
		return refuse(f.path, f.edits[0].Region, RuleTarget, "there is no such file; to make it, use %s", task.EditCreate)
	}
	if err := f.encode(); err != nil {
		return err
	}
	var imports, others []task.Edit
	for _, e := range f.edits {
		if e.Kind == task.EditImport {
			imports = append(imports, e)
		} else {
			others = append(others, e)
		}
	}
	f.after = f.before
	var err error
	if i := slices.IndexFunc(others, func(e task.Edit) bool { return e.Kind == task.EditFile }); i >= 0 {
		if len(others) > 1 {
			return refuse(f.path, "", RuleOverlap, "%s holds all changes of its file; give it alone, or give the regions one by one", task.EditFile)
		}
		err = f.mergeWhole(ctx, others[i])
	} else {
		err = f.join(ctx, others)
	}
	if err != nil {
		return err
	}
	for _, e := range imports {
		if err := f.addImport(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// join makes the edits of regions and of blocks in one pass over the original.
func (f *file) join(ctx context.Context, edits []task.Edit) error {
	var all []splice
	for _, e := range edits {
		var found []splice
		var err error
		if e.Kind == task.EditSearch {
			found, err = f.blocks(ctx, e)
		} else {
			var s splice
			s, err = f.span(ctx, e)
			found = []splice{s}
		}
		if errors.Is(err, code.ErrNoChange) {
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b splice) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	var out bytes.Buffer
	at := 0
	for i := range all {
		s := &all[i]
		if s.start < at {
			return refuse(f.path, s.edit.Region, RuleOverlap, "this edit overlaps the one of %s; give the outer region once with both changes", all[i-1].title())
		}
		out.Write(f.before[at:s.start])
		s.at = out.Len()
		out.Write(s.text)
		at = s.end
	}
	out.Write(f.before[at:])
	f.after, f.splices = out.Bytes(), all
	return f.describe(ctx, all)
}

func (s splice) title() string {
	if s.edit.Region != "" {
		return s.edit.Region
	}
	return "a search block"
}

func (f *file) create(ctx context.Context) error {
	if f.exists {
		return refuse(f.path, "", RuleTarget, "the file exists already; edit a region of it, or choose another name")
	}
	f.after = []byte(f.edits[0].Code)
	if len(bytes.TrimSpace(f.after)) == 0 {
		return refuse(f.path, "", RuleText, "the new file is empty")
	}
	if code.LanguageOf(f.path) == code.Go {
		if formatted, err := format.Source(f.after); err == nil { // what does not parse is refused later, as it was given
			f.after = formatted
		}
	}
	regions, err := code.Regions(ctx, f.path, f.after)
	if err != nil {
		return fmt.Errorf("read the regions of %q: %w", f.path, err)
	}
	how := code.Resolution{By: "id", Score: 1}
	for _, r := range regions {
		if r.Parent == "" && r.Kind != code.KindBlock {
			f.refs = append(f.refs, ref(f.path, r, how, task.EditCreate))
		}
	}
	if len(f.refs) == 0 && len(regions) > 0 {
		f.refs = append(f.refs, ref(f.path, regions[0], how, task.EditCreate))
	}
	return nil
}

func ref(path string, r code.Region, how code.Resolution, kind task.EditKind) task.RegionRef {
	return task.RegionRef{Path: path, ID: r.ID, Name: r.QualifiedName, StartLine: r.StartLine, EndLine: r.EndLine, ResolvedBy: how.By, Score: how.Score, Edit: kind}
}

// mergeWhole reduces a whole file to what it changes.
func (f *file) mergeWhole(ctx context.Context, e task.Edit) error {
	m, err := code.MergeFile(ctx, f.path, f.before, e.Code)
	switch {
	case errors.Is(err, code.ErrNoChange):
		return nil
	case errors.Is(err, code.ErrLost):
		return refuse(f.path, "", RuleLost, "the file that you gave leaves out %s; give them too, write a comment such as \"... existing code ...\" where they stand, or delete them with %s", after(err, code.ErrLost), task.EditDelete)
	case errors.Is(err, code.ErrElision):
		return refuse(f.path, "", RulePlaceholder, "%s; or give the changed regions one by one with %s", strings.TrimPrefix(err.Error(), "merge "+f.path+": "), task.EditReplace)
	case ctx.Err() != nil:
		return fmt.Errorf("merge %q: %w", f.path, err)
	case err != nil:
		return refuse(f.path, "", RuleTarget, "%v", err)
	}
	f.after = m.Out
	for _, r := range m.Changed {
		f.refs = append(f.refs, ref(f.path, r, code.Resolution{By: "name", Score: 1}, task.EditFile))
	}
	return nil
}

// after is what an error says behind the words of the one it wraps.
func after(err, of error) string {
	_, rest, _ := strings.Cut(err.Error(), of.Error()+": ")
	return rest
}

// addImport merges an import into what the file is by now.
func (f *file) addImport(ctx context.Context, e task.Edit) error {
	out, r, how, err := code.AddImport(ctx, f.path, f.after, e.Code)
	switch {
	case errors.Is(err, code.ErrNoChange):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("add an import to %q: %w", f.path, err)
	case err != nil:
		return refuse(f.path, "", RuleTarget, "%s", strings.Replace(err.Error(), "add an import to "+f.path, "add an import", 1))
	}
	grown := bytes.Count(out, []byte("\n")) - bytes.Count(f.after, []byte("\n"))
	for i := range f.refs { // they stand below
		if f.refs[i].StartLine >= r.StartLine {
			f.refs[i].StartLine, f.refs[i].EndLine = f.refs[i].StartLine+grown, f.refs[i].EndLine+grown
		}
	}
	f.after, f.splices = out, nil
	f.refs = append(f.refs, ref(f.path, r, how, task.EditImport))
	return nil
}

// blocks turns search/replace blocks into spans of the original.
func (f *file) blocks(ctx context.Context, e task.Edit) ([]splice, error) {
	blocks, err := code.ParseBlocks(e.Code)
	if err != nil {
		return nil, refuse(f.path, "", RuleTarget, "%v; a block is <<<<<<< SEARCH, the lines as they are, =======, the new lines, >>>>>>> REPLACE", err)
	}
	spans, err := code.FindBlocks(f.path, f.before, blocks)
	if err != nil {
		return nil, refuse(f.path, "", RuleTarget, "%s", strings.TrimPrefix(err.Error(), f.path+": "))
	}
	regions, err := code.Regions(ctx, f.path, f.before)
	if err != nil {
		return nil, fmt.Errorf("read the regions of %q: %w", f.path, err)
	}
	var out []splice
	for _, s := range spans {
		if s.Text == string(f.before[s.Start:s.End]) {
			continue
		}
		line := 1 + bytes.Count(f.before[:s.Start], []byte("\n"))
		r, ok := code.Enclosing(regions, line)
		if !ok {
			r = code.Region{Kind: code.KindBlock, Name: "lines", QualifiedName: "lines", StartLine: line, EndLine: line + strings.Count(s.Text, "\n")}
		}
		out = append(out, splice{start: s.Start, end: s.End, text: []byte(s.Text), edit: e, after: r, how: s.How})
	}
	if len(out) == 0 {
		return nil, code.ErrNoChange
	}
	return out, nil
}

// span turns an edit into a span of the original, and proves on the way that
// the editor left every other byte alone.
func (f *file) span(ctx context.Context, e task.Edit) (splice, error) {
	s := splice{edit: e}
	regions, err := code.Regions(ctx, f.path, f.before)
	if err != nil {
		return s, fmt.Errorf("read the regions of %q: %w", f.path, err)
	}
	if e.Region == "" {
		return s, refuse(f.path, "", RuleTarget, "the edit names no region")
	}
	region, how, err := code.Resolve(regions, e.Region)
	if err != nil {
		return s, refuse(f.path, e.Region, RuleTarget, "%v", err)
	}
	if how.Changed {
		return s, refuse(f.path, e.Region, RuleTarget, "the region was changed since this id was made, and is %s now; read it, and give its whole new code under that id", region.ID)
	}
	var out []byte
	switch e.Kind {
	case task.EditReplace:
		out, s.after, s.how, err = code.Replace(ctx, f.path, f.before, e.Region, e.Code)
	case task.EditInsert:
		out, s.after, s.how, err = code.Insert(ctx, f.path, f.before, e.Region, e.Code)
	case task.EditDelete:
		out, s.after, s.how, err = code.Delete(ctx, f.path, f.before, e.Region)
		f.gone[region.QualifiedName] = true
		for _, r := range regions {
			if r.StartByte >= region.StartByte && r.EndByte <= region.EndByte {
				f.gone[r.QualifiedName] = true
			}
		}
	default:
		return s, refuse(f.path, e.Region, RuleTarget, "an edit of kind %q does not go with this file; use %s, %s, %s, %s, %s, %s or %s",
			e.Kind, task.EditReplace, task.EditInsert, task.EditDelete, task.EditImport, task.EditFile, task.EditSearch, task.EditCreate)
	}
	if errors.Is(err, code.ErrNoChange) {
		return s, err
	}
	if err != nil {
		return s, refuse(f.path, e.Region, RuleTarget, "%v", err)
	}
	if !s.locate(f.before, out, region) {
		return s, refuse(f.path, e.Region, RuleTarget, "the edit would change bytes outside the region")
	}
	return s, nil
}

// locate finds the span of src that differs in out, as near to the region as
// the bytes allow; false when the edit reached elsewhere.
func (s *splice) locate(src, out []byte, r code.Region) bool {
	prefix, suffix := common(src, out)
	shorter := min(len(src), len(out))
	switch s.edit.Kind {
	case task.EditReplace:
		if prefix < r.StartByte || suffix < len(src)-r.EndByte {
			return false
		}
		s.start, s.end = r.StartByte, r.EndByte
	case task.EditInsert:
		s.start = max(len(src)-suffix, r.EndByte)
		s.end = s.start
		if len(out) < len(src) || s.start > prefix || len(src)-s.start > suffix {
			return false
		}
	case task.EditDelete:
		removed := len(src) - len(out)
		s.start = min(prefix, r.StartByte)
		s.end = s.start + removed
		if removed <= 0 || s.end < r.EndByte || shorter-s.start > suffix {
			return false
		}
	}
	s.text = out[s.start : len(out)-(len(src)-s.end)]
	return true
}

// common is how many bytes two texts share at the start and at the end.
func common(a, b []byte) (prefix, suffix int) {
	n := min(len(a), len(b))
	for prefix < n && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < n && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return prefix, suffix
}

// describe says where the edited regions stand in the new file.
func (f *file) describe(ctx context.Context, all []splice) error {
	regions, err := code.Regions(ctx, f.path, f.after)
	if err != nil {
		return fmt.Errorf("read the regions of %q: %w", f.path, err)
	}
	for _, s := range all {
		r := s.after
		if s.edit.Kind == task.EditSearch { // the region around the new lines
			line := 1 + bytes.Count(f.after[:s.at], []byte("\n"))
			if now, ok := code.Enclosing(regions, line); ok {
				r = now
			}
		}
		for _, now := range regions {
			if now.ID == r.ID && s.edit.Kind != task.EditDelete {
				r = now
				break
			}
		}
		f.refs = append(f.refs, ref(f.path, r, s.how, s.edit.Kind))
	}
	return nil
}

// lineOf is one line of a text, 1-based, without its end, capped.
func lineOf(src []byte, n int) string {
	for range n - 1 {
		i := bytes.IndexByte(src, '\n')
		if i < 0 {
			return ""
		}
		src = src[i+1:]
	}
	line, _, _ := bytes.Cut(src, []byte("\n"))
	return string(line[:min(len(line), 120)])
}
