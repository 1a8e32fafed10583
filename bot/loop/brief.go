package loop

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

const (
	maxPlaces    = 6
	contextLines = 6
	bytesPerTok  = 3 // a cautious figure for source code; the price check uses the exact bound
)

// shown is what a role may see of the tree as it was given.
func (r *run) shown(ctx context.Context) (sight, error) {
	var places []mend.Suspect
	for _, s := range r.suspects {
		if !r.forbidden(s.Path) && !patch.Match(r.in.NeverSend, s.Path) {
			places = append(places, s)
		}
	}
	return r.sight(ctx, first(places, 3*maxPlaces))
}

func (h *real) sight(_ context.Context, suspects []mend.Suspect) (sight, error) {
	out := sight{TestDirs: h.testDirs()}
	seen := map[string]bool{}
	for _, s := range suspects {
		if len(out.Places) == maxPlaces {
			break
		}
		p, ok := h.sources.place(s.Path, s.Line)
		if !ok || seen[p.Path+p.Region.ID] {
			continue
		}
		seen[p.Path+p.Region.ID] = true
		p.Why = strings.Join(s.Reasons, "; ")
		out.Places = append(out.Places, p)
	}
	for _, f := range h.tree.Files() {
		if !patch.Match(h.never, f) {
			out.Files = append(out.Files, f)
		}
	}
	for _, f := range []string{"AGENTS.md", "CONTRIBUTING.md"} { // untrusted advice (SPEC C2)
		if text, err := h.sources.read(f); err == nil && !patch.Match(h.never, f) {
			out.Instructions = append(out.Instructions, agent.Instruction{Path: f, Text: string(first(text, 4<<10))})
		}
	}
	return out, nil
}

// brief shows the developer the failures and the most suspicious regions.
func (r *run) brief(ctx context.Context, t *trial) (agent.Brief, error) {
	seen, err := r.shown(ctx)
	if err != nil {
		return agent.Brief{}, err
	}
	tier := t.a.Tier
	b := agent.Brief{
		Task: r.in.Task, Tier: tier, Plan: r.plan, Step: r.plan.Steps[r.state.Step], Feedback: r.state.Feedback, NeedsTest: len(r.red()) == 0,
		TestDirs: seen.TestDirs, Places: seen.Places, Failures: r.failures(), Attempts: r.sendableAttempts(), MaxBytes: r.window(tier),
		Regenerate: r.plateau(tier), Tools: tools{r}, Checks: []string{checkTests},
	}
	for _, a := range r.state.Attempts {
		if a.Why != "" && a.Tier != task.TierMechanical {
			b.History = append(b.History, fmt.Sprintf("attempt %d at %s: %s", a.Number, a.Tier, a.Why))
		}
	}
	return b, nil
}

// failures are the base's, as far as a model may see them.
func (r *run) failures() []task.Failure {
	red := map[string]bool{}
	for _, id := range r.red() {
		red[id] = true
	}
	var out []task.Failure
	for _, f := range r.baseline.Report.Failures() {
		if red[f.Test] && len(out) < 5 {
			out = append(out, sendable(r.in.NeverSend, f))
		}
	}
	return out
}

func (r *run) sendableAttempts() []task.Attempt {
	var out []task.Attempt
	for _, a := range r.state.Attempts {
		shown := make([]task.Failure, len(a.Failures))
		for i, f := range a.Failures {
			shown[i] = sendable(r.in.NeverSend, f)
		}
		a.Failures = shown
		out = append(out, a)
	}
	return out
}

// window is the limit of a prompt's user part in bytes; 0 for the default.
func (r *run) window(tier task.Tier) int {
	return r.rungs[tier].Window * bytesPerTok / 2 // half of the window is for the answer and the rules
}

// sendable takes out of a failure what may quote a file that no model may see:
// its frames, and the message when one of them is such a file.
func sendable(never []string, f task.Failure) task.Failure {
	secret := patch.Match(never, f.File)
	var trace []task.Frame
	for _, fr := range f.Trace {
		if patch.Match(never, fr.File) {
			secret = true
			continue
		}
		trace = append(trace, fr)
	}
	f.Trace = trace
	if secret {
		f.Message, f.Excerpt = "(withheld: it comes from a file that is never sent)", ""
	}
	return f
}

func (h *real) testDirs() []string {
	dirs := map[string]bool{}
	for _, p := range h.tree.Files() {
		if code.IsTest(p) {
			dirs[path.Dir(p)] = true
		}
	}
	var out []string
	for d := range dirs {
		out = append(out, d)
	}
	sort.Strings(out)
	return first(out, 5)
}

// sources reads the base's files once.
type sources struct {
	base    fs.FS
	regions map[string][]code.Region
	text    map[string][]byte
}

func newSources(base fs.FS) *sources {
	return &sources{base: base, regions: map[string][]code.Region{}, text: map[string][]byte{}}
}

func (s *sources) read(p string) ([]byte, error) {
	if src, ok := s.text[p]; ok {
		return src, nil
	}
	src, err := fs.ReadFile(s.base, p)
	if err == nil {
		s.text[p] = src
	}
	return src, err
}

// place is the innermost region around a line, with some lines around it.
func (s *sources) place(p string, line int) (agent.Place, bool) {
	src, err := s.read(p)
	if err != nil {
		return agent.Place{}, false
	}
	regions, ok := s.regions[p]
	if !ok {
		if regions, err = code.Regions(context.Background(), p, src); err != nil {
			return agent.Place{}, false
		}
		s.regions[p] = regions
	}
	reg, ok := code.Enclosing(regions, line)
	if !ok {
		return agent.Place{}, false
	}
	before, after := string(src[:reg.StartByte]), string(src[reg.EndByte:])
	return agent.Place{Path: p, Region: reg, Code: string(src[reg.StartByte:reg.EndByte]), Before: tail(before, contextLines), After: head(after, contextLines)}, true
}

func head(s string, n int) string {
	lines := strings.SplitAfter(strings.TrimLeft(s, "\r\n"), "\n")
	return strings.Join(first(lines, n), "")
}

func tail(s string, n int) string {
	lines := strings.SplitAfter(strings.TrimRight(s, " \t\r\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "")
}
