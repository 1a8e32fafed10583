package mend

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// candidate is one change to one file.
type candidate struct {
	path       string
	original   []byte
	content    []byte
	start, end int // the change's span in the original
	mutation   mutate.Mutation
	region     code.Region
	score      float64 // suspicion of the place × prior of the operator
}

// search tries candidates against one suite.
type search struct {
	mender  *Mender
	req     Request
	target  target
	bench   bench
	until   time.Time
	sources *sources

	tried     int
	limit     int  // index behind the last candidate worth trying; 0 while nothing is plausible
	partly    bool // the plausible candidates mend some of the failing tests only
	plausible []candidate
}

const (
	// rivalMerit: a rival with more than this part of the best's merit makes the
	// repair ambiguous. What cannot reach that is not tried any more.
	rivalMerit = 0.3
	maxMore    = 120 // candidates tried after the first plausible one
	// aloneShare puts Go candidates back that need a build of their own, which
	// takes a hundred times as long.
	aloneShare = 0.1
)

func (s *search) run(ctx context.Context, suspects []Suspect) (Repair, error) {
	cs, err := s.candidates(ctx, suspects)
	if err != nil {
		return Repair{}, err
	}
	if len(cs) == 0 {
		return Repair{Reason: "no operator fits the suspicious places"}, nil
	}
	if err := s.filter(ctx, cs); err != nil {
		return Repair{}, err
	}
	rep := Repair{Tried: s.tried, Plausible: len(s.plausible)}
	switch {
	case len(s.plausible) > 0:
		rep.Found = s.choose()
		rep.Reason = fmt.Sprintf("%d of %d candidates passed every test", len(s.plausible), s.tried)
	case !s.mender.cfg.Now().Before(s.until):
		rep.Reason = fmt.Sprintf("the time for the search was up after %d of %d candidates", s.tried, len(cs))
	default:
		rep.Reason = fmt.Sprintf("none of %d candidates made the failing tests pass without breaking others", s.tried)
	}
	return rep, nil
}

// candidates makes the changes of all suspicious regions, the likeliest first.
func (s *search) candidates(ctx context.Context, suspects []Suspect) ([]candidate, error) {
	type place struct {
		path string
		reg  code.Region
	}
	var places []place
	seen := map[string]bool{}
	suspicion := map[line]float64{}
	for _, sus := range suspects {
		suspicion[line{sus.Path, sus.Line}] = math.Max(suspicion[line{sus.Path, sus.Line}], sus.Score)
		reg, ok := s.sources.region(ctx, sus.Path, sus.Line)
		if !ok || languageFamily(sus.Path) != s.target.suite.Kind || seen[sus.Path+reg.ID] {
			continue
		}
		seen[sus.Path+reg.ID] = true
		places = append(places, place{sus.Path, reg})
	}
	var out []candidate
	likelier := s.spokenFor()
	trees := map[string]*code.Tree{}
	for _, p := range places {
		src := s.sources.read(p.path)
		tree := trees[p.path]
		if tree == nil {
			var err error
			if tree, err = code.Parse(ctx, code.LanguageOf(p.path), src); err != nil {
				return nil, fmt.Errorf("parsing %s: %w", p.path, err)
			}
			trees[p.path] = tree
		}
		from, to := p.reg.StartByte, p.reg.EndByte
		for _, m := range append(mutate.Mutations(tree, from, to), templates(tree, from, to)...) {
			weight := near(suspicion, p.path, m.Line)
			if weight == 0 {
				continue
			}
			c := candidate{path: p.path, original: src, content: mutate.Apply(src, m), start: m.Start, end: m.End, mutation: m, region: p.reg, score: weight * m.Prior}
			if unnatural.MatchString(c.line()) && !unnatural.MatchString(c.lineBefore()) {
				continue // its plain twin is among the candidates, or the statement without it
			}
			if likelier[m.Operator] {
				c.score *= strategyGain
			}
			if s.hangs() && !movesOn[m.Operator] {
				c.score *= 0.2
			}
			if s.target.suite.Kind == "go" && !inBody(c) {
				c.score *= aloneShare
			}
			out = append(out, c)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	return s.distinct(out), ctx.Err()
}

// movesOn are the operators that can bring a loop to its end.
var movesOn = map[string]bool{
	"statement_move_loop": true, "statement_swap": true, "statement_donor": true, "statement_order": true, "loop_step": true, "loop_exit": true,
	"loop_exit_missing": true, "comparison_boundary": true, "comparison_operator": true, "accumulate": true, "assignment_target": true,
	"missing_return": true, "negate_condition": true, "condition_term_add": true, "condition_term_drop": true, "branch_order": true,
	"arithmetic_operator": true, "guard_zero": true,
}

// hangs tells whether the failing tests ran out of time.
func (s *search) hangs() bool {
	for _, t := range s.target.red {
		if t.Failure == nil || t.Failure.Kind != task.FailTimeout {
			return false
		}
	}
	return len(s.target.red) > 0
}

// near is the suspicion of a line, or a part of its neighbours': a statement
// that is missing has no line of its own.
func near(suspicion map[line]float64, path string, n int) float64 {
	if w := suspicion[line{path, n}]; w > 0 {
		return w
	}
	best := 0.0
	for d := 1; d <= 3; d++ {
		for _, k := range []int{n - d, n + d} {
			best = math.Max(best, suspicion[line{path, k}]*(0.6-0.1*float64(d)))
		}
	}
	return best
}

func (s *search) distinct(cs []candidate) []candidate {
	seen := map[string]bool{}
	out := cs[:0]
	for _, c := range cs {
		key := c.path + "\x00" + string(c.content)
		if seen[key] || bytes.Equal(c.content, c.original) {
			continue
		}
		seen[key] = true
		out = append(out, c)
		if len(out) == s.mender.cfg.MaxCandidates {
			break
		}
	}
	return out
}

func languageFamily(path string) string {
	switch l := code.LanguageOf(path); l {
	case "typescript", "tsx", "javascript":
		return "javascript"
	default:
		return string(l)
	}
}

// filter tries the candidates round by round, first on the failing tests, then
// those that turn all of them green on the others. Once one is plausible it goes
// on only among those that could rival it. Whether to go on is decided between
// rounds, from what was found and not from how fast.
func (s *search) filter(ctx context.Context, cs []candidate) error {
	end := len(cs)
	var partial []candidate
	best := 1
	for from := 0; from < end && s.inTime(); from += s.bench.round() {
		to := min(from+s.bench.round(), end)
		score, err := s.attempt(ctx, cs[from:to], s.target.red)
		if err != nil {
			return err
		}
		var full []candidate
		for i, n := range score {
			switch {
			case n == len(s.target.red):
				full = append(full, cs[from+i])
			case n > best:
				partial, best = []candidate{cs[from+i]}, n
			case n == best:
				partial = append(partial, cs[from+i])
			}
		}
		s.tried += to - from
		if s.req.Progress != nil {
			s.req.Progress(fmt.Sprintf("%d of %d candidates tried", s.tried, len(cs)))
		}
		if err := s.regress(ctx, full); err != nil {
			return err
		}
		if len(s.plausible) > 0 {
			end = min(end, s.horizon(cs, from))
		}
	}
	if len(s.plausible) > 0 || len(partial) == 0 {
		return nil
	}
	s.partly = true
	return s.regress(ctx, partial[:min(len(partial), 40)])
}

func (s *search) inTime() bool { return s.mender.cfg.Now().Before(s.until) }

// horizon is where candidates become too unlikely to rival the best.
func (s *search) horizon(cs []candidate, from int) int {
	best := 0.0
	for _, c := range s.plausible {
		best = math.Max(best, merit(c))
	}
	end := sort.Search(len(cs), func(i int) bool { return cs[i].score < rivalMerit*best })
	if s.limit == 0 {
		s.limit = from + s.bench.round() + maxMore
	}
	return min(end, s.limit)
}

// attempt counts the tests that each candidate passes; -1 for what was not tried
// because the time was up.
func (s *search) attempt(ctx context.Context, cs []candidate, tests []verify.TestResult) ([]int, error) {
	out := make([]int, len(cs))
	for i := range out {
		out[i] = -1
	}
	err := s.bench.try(ctx, cs, tests, func(i int, passed map[string]bool) bool {
		out[i] = len(passed)
		return s.inTime()
	})
	return out, err
}

// regress keeps those that leave the green tests green.
func (s *search) regress(ctx context.Context, cs []candidate) error {
	if len(s.target.green) == 0 || len(cs) == 0 {
		s.plausible = append(s.plausible, cs...)
		return nil
	}
	score, err := s.attempt(ctx, cs, s.target.green)
	for i, n := range score {
		if n == len(s.target.green) {
			s.plausible = append(s.plausible, cs[i])
		}
	}
	return err
}

// choose takes the most natural of the plausible changes and says whether a
// rival is too good to be left out: one whose merit is more than rivalMerit of
// the best's. Rivals pass the same tests, so only a person can tell then.
func (s *search) choose() *Found {
	sort.SliceStable(s.plausible, func(i, j int) bool { return merit(s.plausible[i]) > merit(s.plausible[j]) })
	top := s.plausible[0]
	f := &Found{Template: top.mutation.Operator, Path: top.path, Line: top.mutation.Line, Ambiguous: s.partly,
		Explanation: fmt.Sprintf("%s, line %d: %s", top.path, top.mutation.Line, top.mutation.Description),
		Patch:       task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: top.path, Region: top.region.ID, Code: regionText(top)}}}}
	if top.deletes() {
		f.Ambiguous = true // what was deleted may only have been what a test looked at
	}
	for _, r := range s.plausible[1:] {
		if len(f.Alternatives) < 5 {
			f.Alternatives = append(f.Alternatives, fmt.Sprintf("%s, line %d: %s", r.path, r.mutation.Line, r.mutation.Description))
		}
		if merit(r) > rivalMerit*merit(top) {
			f.Ambiguous = true
		}
	}
	return f
}

// merit prefers likely places and operators and small changes, and dislikes
// deletions, which so often only silence a test, and changes that say the same
// thing twice.
func merit(c candidate) float64 {
	m := c.score
	if c.deletes() {
		m *= 0.3
	}
	if doubled(c.line()) && !doubled(c.lineBefore()) {
		m *= 0.05
	}
	size := math.Max(float64(c.end-c.start), float64(len(c.mutation.Replacement)))
	return m / (1 + size/80)
}

// deletes tells whether the change takes away most of what it replaces.
func (c candidate) deletes() bool {
	was := c.end - c.start
	return was > 8 && len(strings.TrimSpace(c.mutation.Replacement))*4 < was
}

// line is the text of the changed line, lineBefore what it was.
func (c candidate) line() string       { return lineAt(c.content, c.start) }
func (c candidate) lineBefore() string { return lineAt(c.original, c.start) }

func lineAt(src []byte, at int) string {
	at = min(at, len(src))
	from := bytes.LastIndexByte(src[:at], '\n') + 1
	to := len(src)
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		to = at + i
	}
	return string(src[from:to])
}

// doubled tells whether a line names the same thing on both sides of a comma, an
// assignment or a comparison: f(a, a), x = x, a <= a.
func doubled(line string) bool {
	for _, cut := range twoSides.FindAllStringSubmatchIndex(line, -1) {
		before, after := line[:cut[0]], line[cut[1]:]
		for _, m := range operandEnd.FindAllString(before, 1) {
			if rest, ok := strings.CutPrefix(after, m); ok && (rest == "" || !strings.ContainsAny(rest[:1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.([")) {
				return true
			}
		}
	}
	return false
}

// unnatural is arithmetic that nobody writes: a + -1, b - 0.
var unnatural = regexp.MustCompile(`[\w)\]] ?[+-] ?(?:-\d|0(?:[^\w.]|$))`)

var (
	twoSides   = regexp.MustCompile(`\s*(?:,|<=|>=|===?|!==?|:=|=|<|>|-|&&|\|\||\band\b|\bor\b)\s*`)
	operandEnd = regexp.MustCompile(`[A-Za-z_$][\w$.]*(?:\([\w$., ]*\)|\[[\w$.]*\])?$`)
)

// regionText is the whole new text of the candidate's region.
func regionText(c candidate) string {
	grown := len(c.content) - len(c.original)
	return strings.TrimRight(string(c.content[c.region.StartByte:c.region.EndByte+grown]), "\n")
}
