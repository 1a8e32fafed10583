package characterise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// errTime is why work was left.
var errTime = errors.New("the time for characterisation tests was over")

// Write makes tests of what changed functions do. Whatever cannot be done is
// in Left; the error is of the sandbox or the caller's context.
func (c *Characteriser) Write(ctx context.Context, in Input) (Found, error) {
	begun := c.cfg.Now()
	limited, cancel := context.WithTimeoutCause(ctx, c.cfg.Budget, errTime)
	defer cancel()
	var out Found
	err := c.write(limited, in, &out)
	if err != nil && ctx.Err() == nil && (errors.Is(err, errTime) || limited.Err() != nil) {
		out.Left, err = append(out.Left, errTime.Error()), nil
	}
	out.Elapsed = c.cfg.Now().Sub(begun)
	return out, err
}

func (c *Characteriser) write(ctx context.Context, in Input, out *Found) error {
	root, err := os.OpenRoot(in.Dir)
	if err != nil {
		return fmt.Errorf("reading the changed tree: %w", err)
	}
	defer root.Close()
	for _, ch := range in.Changes {
		list, left, err := targets(ctx, ch, in.Want)
		if err != nil {
			return err
		}
		out.Left = append(out.Left, left...)
		if len(list) == 0 {
			continue
		}
		if out.Nominal+out.Edge >= c.cfg.Total {
			out.Left = append(out.Left, ch.Path+": enough tests were written for other files")
			continue
		}
		err = c.file(ctx, in, root.FS(), ch, list, out)
		if errors.Is(err, errNotSeen) || errors.Is(err, example.ErrRefused) {
			out.Left, err = append(out.Left, fmt.Sprintf("%s: %v", ch.Path, err)), nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file characterises the targets of one source file.
func (c *Characteriser) file(ctx context.Context, in Input, tree fs.FS, ch gate.Change, list []target, out *Found) error {
	v := &view{c: c, root: in.Dir, change: ch, wanted: in.Faults, lang: languageOf(list[0].lang), rules: rules{lang: list[0].lang}}
	if v.rules.lang == code.Go {
		v.rules.types = goTypes(tree, path.Dir(ch.Path))
	}
	for i := range list {
		v.targets = append(v.targets, &list[i])
	}
	var ok bool
	if v.dir, v.runner, ok = c.suite(in, list[0]); !ok {
		return notSeen("none of the suites runs tests of %s", list[0].lang)
	}
	v.tests, v.added = mentions(tree, v, in.Tests), in.Tests
	if len(v.tests) == 0 {
		return notSeen("no test names what was changed, so no arguments are known")
	}
	begun := c.cfg.Now()
	phase := func(name string, n int) {
		c.cfg.Log.WithField("phase", name).WithField("n", n).WithField("after", c.cfg.Now().Sub(begun).Round(time.Millisecond)).Debug("characterised")
	}
	var err error
	if v.box, err = c.cfg.Sandbox.Workspace(ctx, in.Dir); err != nil {
		return fmt.Errorf("a workspace to look at the changed functions: %w", err)
	}
	defer v.box.Close()
	calls, err := v.calls(ctx, out)
	if err != nil {
		return err
	}
	phase("recorded", len(calls))
	m, err := v.look(ctx, calls)
	if err != nil {
		return err
	}
	phase("observed", len(m.calls))
	for _, tell := range []func(context.Context, *matrix, []string) ([]string, error){v.alike, v.inverses} {
		if out.Alike, err = tell(ctx, m, out.Alike); err != nil {
			return err
		}
	}
	defer func() { phase("judged", len(out.Files)) }()
	out.Behaviour = append(out.Behaviour, m.behaviour()...)
	chosen := c.choose(m, c.cfg.Total-out.Nominal-out.Edge)
	if len(chosen) == 0 {
		return notSeen("no call came to the same literal result in all surroundings")
	}
	return c.keep(ctx, in, tree, v, m, chosen, out)
}

// calls are the inputs of all targets, numbered.
func (v *view) calls(ctx context.Context, out *Found) ([]call, error) {
	seen, err := v.lang.record(ctx, v)
	if err != nil {
		return nil, err
	}
	seen = v.sound(ctx, seen)
	times := 1
	if len(v.wanted) > 0 {
		times = further
	}
	var all []call
	for i, t := range v.targets {
		var own []record
		for _, r := range seen {
			if r.Spot == i {
				own = append(own, r)
			}
		}
		if len(own) == 0 {
			out.Left = append(out.Left, fmt.Sprintf("%s of %s: no test calls it with arguments that can be written as literals", t.Name, t.path))
		}
		all = append(all, inputs(t, own, times)...)
	}
	for i := range all {
		all[i].id = i
	}
	if len(all) == 0 {
		return nil, notSeen("no call was seen")
	}
	return all, nil
}

// matrix is what the calls came to.
type matrix struct {
	calls  []call
	now    map[int]outcome // with the change
	before map[int]outcome // nil: the base could not be looked at
	killed []map[int]bool  // of each planted fault, the calls that see it
	faults []gate.Fault
	cut    bool
	src    []byte
}

// look observes the calls with the change in two surroundings, without it, and
// with planted faults. Calls that are not the same each time are dropped.
func (v *view) look(ctx context.Context, calls []call) (*matrix, error) {
	faults, cut, err := v.faults(ctx)
	if err != nil {
		return nil, err
	}
	texts := [][]byte{v.change.After}
	if v.change.Before != nil {
		texts = append(texts, v.change.Before)
	}
	for _, f := range faults {
		texts = append(texts, f.Text)
	}
	if err := v.lang.prepare(ctx, v, calls, texts); err != nil {
		return nil, err
	}
	m := &matrix{calls: calls, src: v.change.After, cut: cut}
	now, again, err := v.twice(ctx, calls)
	if err != nil {
		return nil, err
	}
	m.now = now
	m.calls = slices.DeleteFunc(slices.Clone(calls), func(c call) bool {
		o, seen := now[c.id]
		p, too := again[c.id]
		return !seen || !too || !o.same(p) || o.Impure || o.Late || o.Twice || o.Opaque && len(c.write(true).vars) == 0
	})
	if len(m.calls) == 0 {
		return m, nil
	}
	if v.change.Before != nil {
		if m.before, err = v.once(ctx, m.calls, here, v.change.Before); err != nil && !errors.Is(err, errNotSeen) {
			return nil, err
		}
	}
	return m, v.plant(ctx, m, faults)
}

// twice observes the calls with the change here and elsewhere, side by side.
func (v *view) twice(ctx context.Context, calls []call) (now, again map[int]outcome, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { now, err = v.once(ctx, calls, here, v.change.After); return err })
	group.Go(func() (err error) { again, err = v.once(ctx, calls, elsewhere, v.change.After); return err })
	err = group.Wait()
	return now, again, err
}

// once observes the calls with one text of the source file.
func (v *view) once(ctx context.Context, calls []call, in surroundings, text []byte) (map[int]outcome, error) {
	got, err := v.observe(ctx, watch{calls, in, [][]byte{text}, v.observeWall()})
	if err != nil {
		return nil, err
	}
	return got[0].calls, got[0].err
}

// faults are those to plant; cut tells that there are more.
func (v *view) faults(ctx context.Context) (faults []gate.Fault, cut bool, err error) {
	n := v.c.cfg.Faults
	if v.targets[0].lang == code.Go { // some are built alone
		n = max(1, n/2)
	}
	faults, cut, err = gate.Faults(ctx, []gate.Change{v.change}, n)
	if err != nil {
		return nil, false, fmt.Errorf("planting faults in %s: %w", v.change.Path, err)
	}
	first := slices.DeleteFunc(slices.Clone(v.wanted), func(f gate.Fault) bool { return f.Path != v.change.Path })
	first = first[:min(len(first), n)]
	rest := slices.DeleteFunc(faults, func(f gate.Fault) bool {
		return slices.ContainsFunc(first, func(o gate.Fault) bool { return bytes.Equal(o.Text, f.Text) })
	})
	if room := n - len(first); len(rest) > room {
		rest, cut = rest[:room], true
	}
	return append(first, mixed(rest)...), cut, nil
}

// plant looks at the calls with one fault after another, for a share of the
// time.
func (v *view) plant(ctx context.Context, m *matrix, faults []gate.Fault) error {
	share := v.c.cfg.Budget / 8
	if v.targets[0].lang == code.Go {
		share *= 2
	}
	useful := slices.DeleteFunc(slices.Clone(m.calls), func(c call) bool { return !m.pinned(c) })
	if len(useful) == 0 || len(faults) == 0 {
		return nil
	}
	got, err := v.halves(ctx, watch{calls: useful, in: here, wall: share}, faults)
	if err != nil {
		return err
	}
	for i, f := range faults {
		m.cut = m.cut || !got[i].begun
		if got[i].calls == nil {
			continue // it does not compile or load: no fault that a test could find
		}
		killed := map[int]bool{}
		for _, c := range useful {
			o, seen := got[i].calls[c.id]
			killed[c.id] = seen && (o.Late || !m.pin(c, o).same(m.pin(c, m.now[c.id])))
		}
		m.faults, m.killed = append(m.faults, f), append(m.killed, killed)
	}
	return nil
}

// halves observes the calls with faults, half of them in a workspace of their own
// and at the same time. Those of Go are one program in any case.
func (v *view) halves(ctx context.Context, w watch, faults []gate.Fault) ([]seen, error) {
	parts := []*view{v, v}
	if len(faults) < 4 || v.targets[0].lang == code.Go {
		parts = parts[:1]
	} else {
		box, err := v.c.cfg.Sandbox.Workspace(ctx, v.root)
		if err != nil {
			return nil, fmt.Errorf("a second workspace to look at planted faults: %w", err)
		}
		defer box.Close()
		other := *v
		other.box, parts[1] = box, &other
	}
	out := make([]seen, len(faults))
	group, ctx := errgroup.WithContext(ctx)
	for at, one := range parts {
		w := w
		for i := at; i < len(faults); i += len(parts) {
			w.texts = append(w.texts, faults[i].Text)
		}
		group.Go(func() error {
			got, err := one.observe(ctx, w)
			for i, s := range got {
				out[at+i*len(parts)] = s
			}
			return err
		})
	}
	return out, group.Wait()
}

// mixed is an order in which those that come first lie far apart.
func mixed(faults []gate.Fault) []gate.Fault {
	const step = 5
	var out []gate.Fault
	for from := range step {
		for i := from; i < len(faults); i += step {
			out = append(out, faults[i])
		}
	}
	return out
}

// keep writes the chosen calls as tests and has them judged.
func (c *Characteriser) keep(ctx context.Context, in Input, tree fs.FS, v *view, m *matrix, chosen []call, out *Found) error {
	w, err := example.Write(ctx, tree, "pinned", Note, m.cases(chosen))
	if err != nil {
		return err
	}
	if in.Allowed != nil && !in.Allowed(w.Path) {
		return notSeen("a test at %s is not allowed", w.Path)
	}
	times := 3
	if in.Again {
		times--
	}
	g := gate.New(gate.Config{Runner: c.cfg.Verifier, Now: c.cfg.Now, Repeats: times})
	verdict, err := g.Judge(ctx, gate.Candidate{Dir: in.Dir, Base: tree, Tests: map[string][]byte{w.Path: []byte(w.Text)}, Changes: []gate.Change{v.change}, Characterises: true, Planted: true})
	if err != nil {
		return fmt.Errorf("judging characterisation tests: %w", err)
	}
	if !verdict.Accepted() {
		return notSeen("the tests were thrown away: %s", verdict.Reasons()[0])
	}
	out.Files = append(out.Files, File{w.Path, w.Text})
	for _, one := range chosen {
		if one.edge == "" {
			out.Nominal++
		} else {
			out.Edge++
		}
	}
	for i, f := range m.faults {
		out.Score.Mutants++
		if slices.ContainsFunc(chosen, func(c call) bool { return m.killed[i][c.id] }) {
			out.Score.Killed++
		} else {
			out.Score.Survivors = append(out.Score.Survivors, f.Words)
		}
	}
	out.Score.Cut = out.Score.Cut || m.cut
	return nil
}

const (
	maxTests = 12
	maxFiles = 3000
)

// mentions lists the test files that name a target, its class or its file, the
// new ones first.
func mentions(tree fs.FS, v *view, added []string) []string {
	words := []string{strings.TrimSuffix(path.Base(v.change.Path), path.Ext(v.change.Path))}
	for _, t := range v.targets {
		words = append(words, t.Name)
		if t.class != "" {
			words = append(words, t.class)
		}
	}
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	said := regexp.MustCompile(`(?:^|\W)(?:` + strings.Join(words, "|") + `)\b`)
	var out []string
	n := 0
	_ = fs.WalkDir(tree, v.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read names nothing
		}
		if d.IsDir() {
			if name := d.Name(); p != v.dir && (code.Foreign(name) || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if n++; n > maxFiles || !d.Type().IsRegular() || family(p) != v.targets[0].lang || !code.IsTest(p) || path.Base(p) == "conftest.py" {
			return nil
		}
		if src, err := fs.ReadFile(tree, p); err == nil && said.Match(src) {
			out = append(out, p)
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b string) int {
		return rank(slices.Contains(added, a)) - rank(slices.Contains(added, b))
	})
	return out[:min(len(out), maxTests)]
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// behaviour lists what the change made different, the shortest calls first.
func (m *matrix) behaviour() []task.Behaviour {
	var out []task.Behaviour
	for _, c := range m.calls {
		was, seen := m.before[c.id]
		is := m.now[c.id]
		if !seen || c.t.fresh || was.Impure || was.Twice || m.pin(c, was).same(m.pin(c, is)) || c.edge != "" && m.nonsense(is) {
			continue
		}
		w := c.write(false)
		out = append(out, task.Behaviour{Input: strings.Join(append(slices.Clone(w.setup), w.call), "; "), Before: m.words(c, was), After: m.words(c, is)})
	}
	return shortest(out)
}

// shortest are at most five differences, each kind once, or one twice: the shortest calls.
func shortest(out []task.Behaviour) []task.Behaviour {
	slices.SortStableFunc(out, func(a, b task.Behaviour) int { return len(a.Input) - len(b.Input) })
	shown := map[string]bool{}
	var alike []task.Behaviour
	out = slices.DeleteFunc(out, func(b task.Behaviour) bool { // each kind of difference once
		key := b.Before + "\x00" + b.After
		if shown[key] {
			alike = append(alike, b)
		}
		defer func() { shown[key] = true }()
		return shown[key]
	})
	if len(out) == 1 {
		out = append(out, alike[:min(len(alike), 1)]...)
	}
	return out[:min(len(out), 5)]
}
