package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
)

// Static judges the text of the tests and runs nothing. The error is of the
// context or the base.
func Static(ctx context.Context, c Candidate) ([]Rejection, error) {
	tree, err := list(c.Base)
	if err != nil {
		return nil, fmt.Errorf("listing the base: %w", err)
	}
	for _, ch := range c.Changes { // what the change adds is the project's, too
		if ch.After != nil {
			tree[ch.Path], c.Base = true, verify.OneMore(c.Base, ch.Path, ch.After)
		}
	}
	var out []Rejection
	for _, p := range c.paths() {
		found, err := static(ctx, c, tree, p)
		if err != nil {
			return nil, fmt.Errorf("reading the test %s: %w", p, err)
		}
		for _, r := range found {
			r.Path = p
			out = append(out, r)
		}
	}
	return out, nil
}

// Judges tells whether tests of a language can be judged.
func Judges(lang string) bool { return dialectOf(code.Language(lang)) != nil }

func static(ctx context.Context, c Candidate, files map[string]bool, p string) ([]Rejection, error) {
	lang := code.LanguageOf(p)
	if dialectOf(lang) == nil {
		return []Rejection{{Kind: CannotRun, Reason: "tests are judged in Python, JavaScript, TypeScript and Go; write it in one of them"}}, nil
	}
	if errs, err := code.Check(ctx, p, c.Tests[p]); err != nil {
		return nil, err
	} else if len(errs) > 0 {
		return []Rejection{{Kind: CannotRun, Line: errs[0].Line, Reason: "it does not parse: " + errs[0].Message}}, nil
	}
	t, err := code.Parse(ctx, lang, c.Tests[p])
	if err != nil {
		return nil, err
	}
	s, err := newSheet(ctx, c.Base, files, p, t)
	if err != nil {
		return nil, err
	}
	if len(s.tests) == 0 {
		return []Rejection{{Kind: CannotRun, Reason: "it holds no test that the runner would find; " + s.d.howNamed}}, nil
	}
	out := s.habits()
	for _, test := range s.tests {
		if r, bad := s.worthless(test); bad {
			out = append(out, r)
		}
	}
	copied, err := s.copies(ctx, c)
	return append(out, copied...), err
}

// habit is something that a test must not do wherever it stands.
type habit struct {
	kind   Kind
	call   *lazyregexp.Regexp // on the text of a called function or a decorator
	unless *lazyregexp.Regexp // on the whole text: then it is not meant so
	reason string
}

const (
	sayChance = "it depends on chance or the clock (%s), so its result is not always the same; give fixed values"
	saySleep  = "it waits (%s); call the code directly, or give it a clock that you move"
	sayNet    = "it uses the network (%s), which is not there; give the code its data, or a fake of its transport"
	saySkip   = "it skips or leaves out tests (%s); a test that is not run proves nothing"
	sayCatch  = "it catches every exception (%s), so that no failure is seen; name the one exception that is expected, or let it rise"
)

// habits looks at each call of the file.
func (s *sheet) habits() []Rejection {
	var out []Rejection
	seen := map[Kind]bool{}
	add := func(k Kind, n code.Node, reason string) {
		if !seen[k] {
			seen[k] = true
			out = append(out, Rejection{Kind: k, Test: s.testAround(n), Line: n.Line(), Reason: fmt.Sprintf(reason, brief(firstLine(wording(n))))})
		}
	}
	s.t.Walk(func(n code.Node) bool {
		if name, ok := s.d.called(n); ok {
			for _, h := range s.d.habits {
				if h.call.MatchString(name) && (h.unless == nil || !h.unless.Match(s.t.Src)) {
					add(h.kind, n, h.reason)
				}
			}
		}
		if s.d.skips != nil && s.d.skips(n) {
			add(Skips, n, saySkip)
		}
		if s.d.swallows(s, n) {
			add(CatchesAll, n, sayCatch)
		}
		return true
	})
	return out
}

func (s *sheet) testAround(n code.Node) string {
	for _, t := range s.tests {
		if t.body.Start() <= n.Start() && n.End() <= t.body.End() {
			return t.name
		}
	}
	return ""
}

// worthless tells whether none of a test's assertions is about the project's
// behaviour, and names the first ground.
func (s *sheet) worthless(t test) (Rejection, bool) {
	asserts := s.asserts(t)
	r := Rejection{Test: t.name, Line: t.body.Line()}
	if len(asserts) == 0 {
		r.Kind, r.Reason = AssertsNothing, "it asserts nothing, so only a crash could make it fail; compare what the code gives with what the issue expects"
		return r, true
	}
	var grounds []Kind
	for _, a := range asserts {
		k := s.ground(t, a)
		if k == "" {
			return r, false
		}
		grounds = append(grounds, k)
	}
	r.Kind, r.Line = grounds[0], asserts[0].Node.Line()
	if slices.Contains(grounds, AssertsMock) {
		r.Kind = AssertsMock
	}
	shown := brief(firstLine(asserts[0].Node.Text()))
	switch r.Kind {
	case AssertsMock:
		r.Reason = fmt.Sprintf("it only asserts what a mock was told or what the test itself made (%s); call the project's own code and assert its result", shown)
	case Tautology:
		r.Reason = fmt.Sprintf("what it asserts holds whatever the code does (%s); compare the code's result with a value written out", shown)
	default:
		r.Reason = fmt.Sprintf("no assertion is about the project's code (%s); import the changed function and assert its result", shown)
	}
	return r, true
}

// ground says why an assertion is worthless, or "".
func (s *sheet) ground(t test, a assertion.Assertion) Kind {
	if s.always(t, a) {
		return Tautology
	}
	seen := s.closure(t, a.About)
	switch {
	case seen.project || seen.unknown && s.mentionsProject(t):
		return ""
	case seen.mock:
		return AssertsMock
	case !seen.any:
		return Tautology
	}
	return NotTheProject
}
