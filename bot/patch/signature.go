package patch

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// moved is a function whose callers a patch concerns: it has another
// signature, another name, or is gone.
type moved struct {
	file   *file
	was    code.Region
	why    string // what of the calls breaks
	before string // its signature
	after  string
	asked  bool
}

// gone is why, where the name itself is no more.
const gone = "it is gone"

// moves lists what a file's edits do to its functions, methods and classes as
// others know them.
func (f *file) moves(ctx context.Context) ([]moved, error) {
	if !f.exists {
		return nil, nil
	}
	before, err := code.Callables(ctx, f.path, f.before)
	if err != nil {
		return nil, err
	}
	after, err := code.Callables(ctx, f.path, f.after)
	if err != nil {
		return nil, err
	}
	now := map[string][]code.Callable{}
	for _, c := range after {
		now[c.QualifiedName] = append(now[c.QualifiedName], c)
	}
	times := map[string]int{}
	for _, c := range before {
		times[c.QualifiedName]++
	}
	var out []moved
	for _, c := range before {
		is := now[c.QualifiedName]
		if len(is) != 1 || times[c.QualifiedName] != 1 {
			continue // gone, which has its own rule, or an overload
		}
		if why := is[0].Breaks(c); why != "" {
			out = append(out, moved{file: f, was: c.Region, why: why, before: c.Signature, after: is[0].Signature, asked: f.asked(c.Region)})
		}
	}
	return append(out, f.vanished(ctx)...), nil
}

// vanished are the symbols that the patch deletes or renames on purpose.
func (f *file) vanished(ctx context.Context) []moved {
	before, err := symbols(ctx, f.path, f.before)
	if err != nil {
		return nil
	}
	after, err := symbols(ctx, f.path, f.after)
	if err != nil {
		return nil
	}
	var out []moved
	for _, r := range before.order {
		whole := r.Parent != "" && before.has[r.Parent] && !after.has[r.Parent]
		if !after.has[r.QualifiedName] && !whole { // what goes with its class is told of the class
			out = append(out, moved{file: f, was: r, why: gone, before: r.Signature, asked: true})
		}
	}
	return out
}

// asked tells whether an edit says that the name or signature of a region is
// meant to change.
func (f *file) asked(r code.Region) bool {
	for _, e := range f.edits {
		if !e.Signature {
			continue
		}
		if e.Region == "" {
			return true
		}
		name := regionName(e.Region)
		if name == r.QualifiedName || name == r.Name || strings.HasPrefix(r.QualifiedName, name+".") {
			return true
		}
	}
	return false
}

// regionName takes the qualified name out of a region's id.
func regionName(id string) string {
	id, _, _ = strings.Cut(id, "@")
	if _, name, ok := strings.Cut(id, ":"); ok {
		id = name
	}
	name, _, _ := strings.Cut(id, "#")
	return name
}

// signatures finds the callers of what moved, and refuses a signature that
// changes though nobody asked for it and a caller stays as it is.
func (g *guard) signatures(ctx context.Context, tree fs.FS, files []*file) ([]task.CallSite, error) {
	var all []moved
	for _, f := range files {
		m, err := f.moves(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the signatures of %q: %w", f.path, err)
		}
		all = append(all, m...)
	}
	if len(all) == 0 {
		return nil, nil
	}
	sites, err := callers(ctx, tree, all, files)
	if err != nil {
		return nil, err
	}
	var out []task.CallSite
	for i, m := range all {
		var left []string
		for _, s := range sites[i] {
			if !s.Adapted {
				left = append(left, fmt.Sprintf("%s:%d", s.Path, s.Line))
			}
		}
		out = append(out, sites[i]...)
		if m.asked || g.Signatures || len(sites[i]) > 0 && len(left) == 0 {
			continue
		}
		adapt := "nobody in the repository calls it"
		if len(left) > 0 {
			adapt = "its callers are at " + strings.Join(left[:min(len(left), 5)], ", ")
			if len(left) > 5 {
				adapt += fmt.Sprintf(" and %d more places", len(left)-5)
			}
		}
		return nil, refuse(m.file.path, m.was.ID, RuleSignature,
			"the signature changes from %q to %q, which was not asked for: %s. Keep the parameters, give a new one a default, or say \"signature\": true in this edit and change the callers in the same answer; %s",
			m.before, m.after, m.why, adapt)
	}
	return out, nil
}

// Callers finds, for a change that is made already, the uses of what changed
// its name or parameters. after is the tree with the change.
func Callers(ctx context.Context, after fs.FS, changes []Change) ([]task.CallSite, error) {
	var files []*file
	var all []moved
	for _, c := range changes {
		f := &file{path: c.Path, exists: c.Before != nil, before: c.Before, after: c.After}
		m, err := f.moves(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the signatures of %q: %w", c.Path, err)
		}
		files, all = append(files, f), append(all, m...)
	}
	if len(all) == 0 {
		return nil, nil
	}
	sites, err := callers(ctx, after, all, files)
	return slices.Concat(sites...), err
}
