package loop

import (
	"context"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

const (
	maxPlaces    = 6
	contextLines = 6
	bytesPerTok  = 3 // a cautious figure for source code; the price check uses the exact bound
)

// brief shows the developer the failures and the most suspicious regions.
func (r *run) brief(tier task.Tier) agent.Brief {
	red := map[string]bool{}
	for _, id := range r.red() {
		red[id] = true
	}
	b := agent.Brief{Task: r.in.Task, Tier: tier, NeedsTest: len(red) == 0, TestDirs: r.testDirs()}
	for _, f := range r.baseline.Report.Failures() {
		if red[f.Test] && len(b.Failures) < 5 {
			b.Failures = append(b.Failures, r.sendable(f))
		}
	}
	for _, a := range r.state.Attempts {
		shown := make([]task.Failure, len(a.Failures))
		for i, f := range a.Failures {
			shown[i] = r.sendable(f)
		}
		a.Failures = shown
		b.Attempts = append(b.Attempts, a)
	}
	if window := r.Models.ContextTokens(tier); window > 0 {
		b.MaxBytes = window * bytesPerTok / 2 // half of the window is for the answer and the rules
	}
	seen := map[string]bool{}
	for _, s := range r.suspects {
		if len(b.Places) == maxPlaces {
			break
		}
		p, ok := r.sources.place(s.Path, s.Line)
		if !ok || seen[p.Path+p.Region.ID] || r.forbidden(s.Path) || patch.Match(r.in.NeverSend, s.Path) {
			continue
		}
		seen[p.Path+p.Region.ID] = true
		p.Why = strings.Join(s.Reasons, "; ")
		b.Places = append(b.Places, p)
	}
	return b
}

// sendable takes out of a failure what may quote a file that no model may see:
// its frames, and the message when one of them is such a file.
func (r *run) sendable(f task.Failure) task.Failure {
	secret := patch.Match(r.in.NeverSend, f.File)
	var trace []task.Frame
	for _, fr := range f.Trace {
		if patch.Match(r.in.NeverSend, fr.File) {
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

func (r *run) testDirs() []string {
	dirs := map[string]bool{}
	for _, p := range r.in.Tree.Files() {
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
