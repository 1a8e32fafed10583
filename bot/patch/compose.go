package patch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

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
}

// compose computes the new bytes. Every edit's target is found in the
// original, so that edits of one file do not depend on their order.
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
	var all []splice
	for _, e := range f.edits {
		s, err := f.span(ctx, e)
		if errors.Is(err, code.ErrNoChange) {
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b splice) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	var out bytes.Buffer
	at := 0
	for i, s := range all {
		if s.start < at {
			return refuse(f.path, s.edit.Region, RuleOverlap, "this edit overlaps the one of %s; give the outer region once with both changes", all[i-1].edit.Region)
		}
		out.Write(f.before[at:s.start])
		out.Write(s.text)
		at = s.end
	}
	out.Write(f.before[at:])
	f.after = out.Bytes()
	return f.describe(ctx, all)
}

func (f *file) create(ctx context.Context) error {
	if f.exists {
		return refuse(f.path, "", RuleTarget, "the file exists already; edit a region of it, or choose another name")
	}
	f.after = []byte(f.edits[0].Code)
	if len(bytes.TrimSpace(f.after)) == 0 {
		return refuse(f.path, "", RuleText, "the new file is empty")
	}
	regions, err := code.Regions(ctx, f.path, f.after)
	if err != nil {
		return fmt.Errorf("read the regions of %q: %w", f.path, err)
	}
	for _, r := range regions {
		if r.Parent == "" && r.Kind != code.KindBlock {
			f.refs = append(f.refs, ref(f.path, r, code.Resolution{By: "id", Score: 1}))
		}
	}
	if len(f.refs) == 0 && len(regions) > 0 {
		f.refs = append(f.refs, ref(f.path, regions[0], code.Resolution{By: "id", Score: 1}))
	}
	return nil
}

func ref(path string, r code.Region, how code.Resolution) task.RegionRef {
	return task.RegionRef{Path: path, ID: r.ID, Name: r.QualifiedName, StartLine: r.StartLine, EndLine: r.EndLine, ResolvedBy: how.By, Score: how.Score}
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
	region, _, err := code.Resolve(regions, e.Region)
	if err != nil {
		return s, refuse(f.path, e.Region, RuleTarget, "%v", err)
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
		return s, refuse(f.path, e.Region, RuleTarget, "an edit of kind %q does not go with this file; use %s, %s, %s or %s",
			e.Kind, task.EditReplace, task.EditInsert, task.EditDelete, task.EditCreate)
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
		for _, now := range regions {
			if now.ID == r.ID && s.edit.Kind != task.EditDelete {
				r = now
				break
			}
		}
		f.refs = append(f.refs, ref(f.path, r, s.how))
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
