package patch

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// maxSites is how many uses of one thing are told at most.
const maxSites = 200

// callers finds, for each thing moved, the places in the project that use it,
// as code.Project has them: by its name, in files that import its module or
// belong to its package. Methods are found by their name after a dot, there and
// in files that name their class; a file that is only handed an object is not
// found. A place is adapted when the patch changes the region around it.
func callers(ctx context.Context, tree fs.FS, all []moved, files []*file) ([][]task.CallSite, error) {
	project, err := code.NewProject(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("look for callers: %w", err)
	}
	patched := map[string]*file{}
	for _, f := range files {
		patched[f.path] = f
		if f.exists {
			project.With(f.path, f.before)
		}
	}
	out := make([][]task.CallSite, len(all))
	for i, m := range all {
		refs, err := project.References(ctx, m.file.path, m.was.ID)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("look for callers of %s: %w", m.was.QualifiedName, ctx.Err())
		}
		if err != nil {
			continue // a file that cannot be parsed has none that could be found
		}
		for _, ref := range refs {
			if !ref.Sure || ref.Import && m.why != gone || len(out[i]) == maxSites {
				continue // another thing, or the name alone, which is as it was
			}
			out[i] = append(out[i], m.site(ctx, ref, project.Source(ref.Path), patched[ref.Path]))
		}
	}
	return out, nil
}

// site is one place that uses what moved.
func (m moved) site(ctx context.Context, ref code.Reference, src []byte, f *file) task.CallSite {
	site := task.CallSite{Name: m.was.QualifiedName, Path: ref.Path, Line: ref.Line, Text: strings.TrimSpace(lineOf(src, ref.Line)), Test: code.IsTest(ref.Path), Region: ref.ID}
	if f == nil || ref.ID == "" {
		return site
	}
	regions, err := code.Regions(ctx, ref.Path, src)
	if r, ok := code.Enclosing(regions, ref.Line); err == nil && ok {
		site.Adapted = f.adapts(ctx, r, src, m)
	}
	return site
}

// adapts tells whether the patch changes the region around a place, so that
// what moved is not used there as before.
func (f *file) adapts(ctx context.Context, r code.Region, src []byte, m moved) bool {
	regions, err := code.Regions(ctx, f.path, f.after)
	if err != nil {
		return false
	}
	text := string(src[r.StartByte:r.EndByte])
	for _, now := range regions {
		if now.QualifiedName != r.QualifiedName || now.Kind != r.Kind {
			continue
		}
		is := string(f.after[now.StartByte:now.EndByte])
		return is != text && (m.why != gone || !hasWord(is, m.was.Name))
	}
	return true // the region is gone
}

func hasWord(text, word string) bool {
	ok, err := regexp.MatchString(`\b`+regexp.QuoteMeta(word)+`\b`, text)
	return err == nil && ok
}
