package mend

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// endless is how often a line runs that may be in a loop without end.
const endless = 5000

const (
	maxTraced    = 120     // tests traced for the spectrum, failing ones first
	maxProcesses = 60      // where each is traced in a process of its own
	maxSuspects  = 50      // lines, and at most as many more of other regions
	maxElsewhere = 4       // of one such region
	maxRemaining = 1000    // other lines of all these regions
	maxSource    = 1 << 20 // bytes of a file that is searched
)

// localiser gathers evidence of where the fault is.
type localiser struct {
	req     Request
	sources *sources
	traces  []trace
	blind   bool            // which tests run a line is not looked at
	support map[string]bool // files that only tests stand on

	failing, passing map[line]int // tests that run a line
}

// sample takes the failing tests and as many green ones as may be traced:
// those of the failing tests' own files first, then the others evenly.
func sample(t target, n int) []verify.TestResult {
	out := append([]verify.TestResult(nil), t.red...)
	if len(out) > n/2 {
		out = out[:n/2]
	}
	redFiles := map[string]bool{}
	for _, r := range out {
		redFiles[r.File] = true
	}
	var near, far []verify.TestResult
	for _, g := range t.green {
		if redFiles[g.File] {
			near = append(near, g)
		} else {
			far = append(far, g)
		}
	}
	for _, list := range [][]verify.TestResult{near, far} {
		room := n - len(out)
		step := max(1, (len(list)+max(room, 1)-1)/max(room, 1))
		for i := 0; i < len(list) && room > 0; i += step {
			out = append(out, list[i])
			room--
		}
	}
	return out
}

type line struct {
	path string
	n    int
}

// rank scores lines and returns the best.
func (l *localiser) rank(ctx context.Context) ([]Suspect, error) {
	score := map[line]float64{}
	reasons := map[line][]string{}
	note := func(at line, by float64, why string) {
		if l.searchable(at.path) {
			score[at] += by
			if why != "" {
				reasons[at] = append(reasons[at], why)
			}
		}
	}
	if !l.blind {
		l.spectrum(note)
	}
	l.signatures(ctx, score, note)
	l.fromTraces(note)
	if l.blind || len(score) == 0 {
		spoken, err := l.spoken(ctx)
		if err != nil || len(score) == 0 && !l.ran() {
			return spoken, err
		}
		l.executed(note)
		for _, p := range spoken {
			note(line{p.Path, p.Line}, p.Score, strings.Join(p.Reasons, "; "))
		}
	}
	l.definitions(ctx, score, note)
	words := wordsOf(l.req.Task.Title + " " + l.req.Task.Body + " " + l.req.Task.Hint)
	var out []Suspect
	for at, s := range score {
		sus := Suspect{Path: at.path, Line: at.n, EndLine: at.n, Score: s, Failing: l.failing[at], Passing: l.passing[at], Reasons: reasons[at]}
		if reg, ok := l.sources.region(ctx, at.path, at.n); ok {
			sus.Region = reg.ID
			if n := shared(words, wordsOf(reg.QualifiedName+" "+at.path)); n > 0 {
				sus.Score += 0.05 * math.Min(float64(n), 3)
				sus.Reasons = append(sus.Reasons, "the issue speaks of it")
			}
		}
		out = append(out, sus)
	}
	slices.SortFunc(out, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(steady(b.Score), steady(a.Score)), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	if len(out) > 0 && out[0].Score > 0 {
		top := out[0].Score
		for i := range out {
			out[i].Score /= top
		}
	}
	return spread(out), ctx.Err()
}

// spread keeps the best lines but leaves room for more than one region: no
// region takes more than a dozen of the places before others had their turn.
// Behind these stand the other lines of the same regions.
func spread(all []Suspect) []Suspect {
	var out, rest []Suspect
	per := map[string]int{}
	for _, s := range all {
		if per[s.Path+" "+s.Region]++; per[s.Path+" "+s.Region] <= 12 {
			out = append(out, s)
		} else {
			rest = append(rest, s)
		}
	}
	rest = append(out[min(len(out), maxSuspects):len(out):len(out)], rest...)
	out = out[:min(len(out), maxSuspects):min(len(out), maxSuspects)]
	out = append(out, elsewhere(out, rest)...)
	return append(out, remaining(out, rest)...)
}

// remaining are the other lines of regions that have some, without the reasons:
// a search changes them, too.
func remaining(taken, rest []Suspect) []Suspect {
	have, regions := map[line]bool{}, map[string]bool{}
	for _, s := range taken {
		have[line{s.Path, s.Line}], regions[s.Path+" "+s.Region] = true, true
	}
	var out []Suspect
	for _, s := range rest {
		if len(out) < maxRemaining && regions[s.Path+" "+s.Region] && !have[line{s.Path, s.Line}] {
			s.Reasons = nil
			out = append(out, s)
		}
	}
	return out
}

// elsewhere takes a few lines of each region that has none yet: a fault may lie
// where most tests come by.
func elsewhere(taken, rest []Suspect) []Suspect {
	per := map[string]int{}
	for _, s := range taken {
		per[s.Path+" "+s.Region] = maxElsewhere
	}
	var out []Suspect
	for _, s := range rest {
		key := s.Path + " " + s.Region
		if per[key]++; per[key] <= maxElsewhere && len(out) < maxSuspects {
			out = append(out, s)
		}
	}
	return out
}

// searchable tells whether a file may hold the fault: source of ours, not a
// test or what only tests stand on, and not protected.
func (l *localiser) searchable(path string) bool {
	return code.LanguageOf(path) != "" && !code.IsTest(path) && !l.support[path] && (l.req.Protected == nil || !l.req.Protected(path))
}

// spectrum scores each line by Ochiai: failing tests that run it over the
// square root of all failing tests times all tests that run it. Another formula
// decides between lines that are about alike, and then the structure.
func (l *localiser) spectrum(note func(line, float64, string)) {
	failed := 0
	bad, good := map[line]int{}, map[line]int{}
	l.failing, l.passing = bad, good
	hot := map[line]int{}
	for _, t := range l.traces {
		if !t.passed {
			failed++
		}
		for path, lines := range t.lines {
			for n, times := range lines {
				if t.passed {
					good[line{path, n}]++
				} else {
					bad[line{path, n}]++
					hot[line{path, n}] = max(hot[line{path, n}], times)
				}
			}
		}
	}
	star := dstar(bad, good, failed)
	for at, b := range bad {
		s := float64(b)/math.Sqrt(float64(failed)*float64(b+good[at])) + starShare*star[at]
		s *= float64(b) / float64(failed) // one fault: each failing test comes by
		note(at, s, fmt.Sprintf("run by %d of %d failing and %d passing tests", b, failed, good[at]))
		if hot[at] >= endless {
			note(at, 0.5, fmt.Sprintf("ran more than %d times in a failing test", endless))
		}
	}
	l.structure(note)
}

// signatureShare is what the head of a function is suspected of against the first
// line that runs in it: its default values are made when it is defined.
const signatureShare = 0.6

// signatures hands a part of the suspicion of a function's first line that ran on
// to its head, which no test runs.
func (l *localiser) signatures(ctx context.Context, score map[line]float64, note func(line, float64, string)) {
	for _, path := range l.failingPaths() {
		for _, reg := range l.sources.regions(ctx, path) {
			if reg.Kind != "function" && reg.Kind != "method" {
				continue
			}
			first := reg.StartLine
			for first <= reg.EndLine && score[line{path, first}] == 0 {
				first++
			}
			for n := reg.StartLine; n < first && first <= reg.EndLine; n++ {
				note(line{path, n}, signatureShare*score[line{path, first}], "the head of a function that a failing test runs")
			}
		}
	}
}

// failingPaths are the files of which failing tests run lines.
func (l *localiser) failingPaths() []string {
	paths := map[string]bool{}
	for at := range l.failing {
		paths[at.path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// executedShare is what each line of an executed file is suspected of, where it
// is not known which lines ran.
const executedShare = 0.3

// executed suspects all lines of the files that failing tests run alike.
func (l *localiser) executed(note func(line, float64, string)) {
	ran := map[string]bool{}
	for _, t := range l.traces {
		for path := range t.lines {
			ran[path] = ran[path] || !t.passed
		}
	}
	for path := range ran {
		if !ran[path] || !l.searchable(path) {
			continue
		}
		for n, text := range strings.Split(string(l.sources.read(path)), "\n") {
			if strings.TrimSpace(text) != "" {
				note(line{path, n + 1}, executedShare, "its file is run by a failing test")
			}
		}
	}
}

// fromTraces adds the frames of stack traces, the innermost most.
func (l *localiser) fromTraces(note func(line, float64, string)) {
	for _, f := range l.req.Baseline.Report.Failures() {
		if f.Kind == task.FailAssertion || slices.Contains(l.req.Baseline.Aside, f.Test) {
			continue // its trace shows the test, not the fault; or another fault
		}
		weight := 0.4
		for i := len(f.Trace) - 1; i >= 0 && weight > 0.05; i-- {
			if fr := f.Trace[i]; l.searchable(fr.File) {
				note(line{fr.File, fr.Line}, weight, fmt.Sprintf("in the trace of %s", f.Exception))
				weight /= 2
			}
		}
	}
}

// ran tells whether anything is known of which files failing tests run.
func (l *localiser) ran() bool {
	return slices.ContainsFunc(l.traces, func(t trace) bool { return !t.passed && len(t.lines) > 0 })
}

// spoken are the places that the words of the issue point at, where the fault may
// be.
func (l *localiser) spoken(ctx context.Context) ([]Suspect, error) {
	if l.req.Places == nil {
		return nil, nil
	}
	all, err := l.req.Places(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s Suspect) bool { return !l.searchable(s.Path) }), nil
}

var definition = lazyregexp.New(`^(\s*)(?:export\s+)?(?:const\s+|let\s+|var\s+)?([A-Za-z_$][\w$]*)\s*(?::[^=]*)?(?:\s[\w.\[\]*]+\s*)?=[^=>~]`)

var identifier = lazyregexp.New(`[A-Za-z_$][\w$]*`)

// definitions hands a part of a line's suspicion on to the constants and tables
// that it names: they are made when a module is loaded, before any test runs.
func (l *localiser) definitions(ctx context.Context, score map[line]float64, note func(line, float64, string)) {
	named := map[string]float64{}
	from := map[string]string{}
	lines := map[string][]string{}
	for at, s := range score {
		if lines[at.path] == nil {
			lines[at.path] = strings.Split(string(l.sources.read(at.path)), "\n")
		}
		if at.n < 1 || at.n > len(lines[at.path]) {
			continue
		}
		for _, w := range identifier.FindAllString(lines[at.path][at.n-1], -1) {
			if s > named[w] || s == named[w] && at.path < from[w] {
				named[w], from[w] = s, at.path
			}
		}
	}
	for i, path := range l.req.Files {
		if !l.searchable(path) || i > 2000 || ctx.Err() != nil {
			continue
		}
		text := strings.Split(string(l.sources.read(path)), "\n")
		for i := 0; i < len(text); i++ {
			m := definition.FindStringSubmatch(text[i])
			if m == nil || named[m[2]] == 0 {
				continue
			}
			if reg, ok := l.sources.region(ctx, path, i+1); !ok || reg.Kind != "block" {
				continue
			}
			weight := 0.6 * named[m[2]]
			if path != from[m[2]] {
				weight *= 0.8
			}
			note(line{path, i + 1}, weight, "defines what a suspicious line uses")
			for k := i + 1; k < len(text) && k < i+20 && deeper(text[k], m[1]); k++ {
				note(line{path, k + 1}, weight, "defines what a suspicious line uses")
			}
		}
	}
}

// deeper tells whether a line goes on with a definition indented by lead.
func deeper(text, lead string) bool {
	rest, ok := strings.CutPrefix(text, lead)
	return ok && rest != "" && strings.ContainsAny(rest[:1], " \t")
}

// wordsOf splits text and identifiers into lower-case words of three letters
// or more, without the commonest.
func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	var b strings.Builder
	flush := func() {
		if w := b.String(); len(w) >= 3 && !common[w] {
			out[w] = true
			if stem := strings.TrimSuffix(strings.TrimSuffix(w, "s"), "e"); len(stem) >= 3 {
				out[stem] = true
			}
		}
		b.Reset()
	}
	lower := false
	for _, r := range s {
		switch {
		case unicode.IsUpper(r) && lower:
			flush()
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsLetter(r):
			b.WriteRune(unicode.ToLower(r))
		default:
			flush()
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return out
}

var common = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("the and for that with this from are was were not but when have has had its then than will would should could can one two does did our your all any only into out get set use using test tests code file line error issue bug wrong expected instead") {
		m[w] = true
	}
	return m
}()

func shared(a, b map[string]bool) int {
	n := 0
	for w := range b {
		if a[w] {
			n++
		}
	}
	return n
}
