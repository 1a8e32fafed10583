package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// view is what a prompt can show. All foreign text in it is of type foreign,
// so that a prompt that prints it carelessly shows one harmless line.
type view struct {
	Task         taskView
	Plan         planView
	Outline      bool // of the code only signatures are shown
	Step         stepView
	Feedback     foreign
	Shown        shownView
	Instructions []fileView
	Done         []acceptedView
	Heads        []fileView // how tests of the repository begin
	Failures     []foreign
	Strategies   []Strategy // our own words
	Attempts     []attemptView
	History      []foreign
	Precedents   []precedentView
	Warnings     []foreign
	Said         []foreign // by maintainers, in reviews here
	Regenerate   bool
	NeedsTest    bool
	MayTest      bool
	TestDirs     []foreign
	Tools        bool
	Checks       []foreign
	Turns        int
	MaxSteps     int
	Diff         foreign
	Evidence     evidenceView
	Advice       foreign
	Doubts       []foreign
	Rivals       []foreign
	Earlier      earlierView
}

// earlierView is what another way of writing a reproduction brought.
type earlierView struct {
	Aim  Aim
	Came []foreign
	Test foreign
}

func newView() *view { return &view{MaxSteps: MaxSteps} }

// forms are what a system text can show: nothing of it is foreign.
var forms = map[string]string{
	"DeveloperForm":  answer.Developer.Form(),
	"ReproducerForm": answer.NewTestForm,
	"PlannerForm":    answer.Planner.Form(),
	"CriticForm":     answer.Critic.Form(),
	"TesterForm":     answer.Tester.Form(),
	"ReviewerForm":   answer.Reviewer.Form(),
	"TriageForm":     answer.Triage.Form(),
}

type taskView struct{ Title, Body, Hint foreign }

func taskOf(t task.Task) taskView {
	return taskView{foreign(t.Title), foreign(t.Body), foreign(t.Hint)}
}

type stepView struct {
	Goal, Acceptance foreign
	Targets          []foreign
	Critical         bool
	Done, Now        bool // in the plan as a whole
}

func stepOf(s Step) stepView {
	return stepView{Goal: foreign(s.Goal), Acceptance: foreign(s.Acceptance), Targets: foreigns(s.Targets), Critical: s.Critical}
}

type planView struct {
	Summary foreign
	Steps   []stepView
}

func planOf(p Plan) planView {
	v := planView{Summary: foreign(p.Summary)}
	for _, s := range p.Steps {
		v.Steps = append(v.Steps, stepOf(s))
	}
	return v
}

func foreigns(all []string) []foreign {
	out := make([]foreign, len(all))
	for i, s := range all {
		out[i] = foreign(s)
	}
	return out
}

// dirsOf names folders, of which "." is easily taken for a full stop.
func dirsOf(all []string) []foreign {
	out := foreigns(all)
	for i, d := range out {
		if d == "." {
			out[i] = "the root folder"
		}
	}
	return out
}

type fileView struct{ Path, Text foreign }

// indexLine is the line of a Git diff that names blobs.
var indexLine = lazyregexp.New(`(?m)^index [0-9a-f]{7,64}\.\.[0-9a-f]{7,64}(?: [0-7]{6})?\n`)

// diffOf is a diff as a prompt shows it.
func diffOf(diff string) foreign { return foreign(indexLine.ReplaceAllString(diff, "")) }

type acceptedView struct {
	Goal, Diff foreign
	Changed    []foreign
}

func doneOf(all []Accepted) []acceptedView {
	out := make([]acceptedView, 0, len(all))
	for _, a := range all {
		out = append(out, acceptedView{foreign(a.Goal), diffOf(a.Diff), foreigns(a.Changed)})
	}
	return out
}

func headsOf(all []Head) []fileView {
	out := make([]fileView, 0, len(all))
	for _, o := range all {
		out = append(out, fileView{foreign(o.Path), foreign(o.Text)})
	}
	return out
}

type attemptView struct {
	Number      int
	Tier        task.Tier
	Refused     foreign
	Diff        foreign
	Explanation foreign
	Left        []foreign // call sites that were not adapted
	Fixed       int
	Why         foreign // it was turned down, though it made tests green
	Below       bool    // what is said against it further down is why
	Broken      []foreign
	Failures    []foreign
}

func attemptsOf(attempts []task.Attempt, failures int) []attemptView {
	out := make([]attemptView, 0, len(attempts))
	for _, a := range attempts {
		v := attemptView{a.Number, a.Tier, foreign(a.Refused), diffOf(clipped(a.Diff, 8<<10)), foreign(a.Explanation), nil, len(a.Fixed), "", false,
			brokenOf(a.Broken), describeAll(a.Failures, failures, a.Unkept, a.Red)}
		if a.Green || len(a.Fixed) > 0 && len(a.Broken) == 0 {
			v.Why = foreign(strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(a.Why, "green, and kept: "), "green, but "), ". "))
		}
		if a.Tier == task.TierMechanical && a.Explanation != "" { // which says all that the change is
			v.Diff = ""
		}
		for _, c := range a.Callers {
			if !c.Adapted {
				v.Left = append(v.Left, foreign(fmt.Sprintf("%s:%d, which uses %s", c.Path, c.Line, c.Name)))
			}
		}
		out = append(out, v)
	}
	return out
}

const mostBroken = 10 // tests that are named of those that an attempt broke

func brokenOf(ids []string) []foreign {
	out := foreigns(ids[:min(len(ids), mostBroken)])
	if n := len(ids) - mostBroken; n > 0 {
		out = append(out, foreign(fmt.Sprintf("and %d more", n)))
	}
	return out
}

type precedentView struct {
	Words   foreign
	Diff    foreign
	Percent int
	Tries   int
}

func precedentsOf(all []Precedent) []precedentView {
	out := make([]precedentView, 0, len(all))
	for _, p := range all {
		out = append(out, precedentView{foreign(p.Words), foreign(clipped(p.Diff, 4<<10)), int(p.SuccessRate*100 + 0.5), p.Tries})
	}
	return out
}

type evidenceView struct {
	Green, Proven                        bool
	Fixed, Broken, Still, Missing, Tried int
	Why                                  foreign
	Apart, New                           string
}

func evidenceOf(e Evidence) evidenceView {
	v := evidenceView{!e.Red(), e.Proven, len(e.Fixed), len(e.Broken), len(e.StillRed), len(e.Missing), len(e.Earlier), "", e.apart(), e.fresh()}
	if e.Red() {
		v.Why = foreign(whyRed(e))
	}
	return v
}

// apart says whose the tests are that failed before and pass now, where it is known.
func (e Evidence) apart() string {
	var out []string
	for _, x := range []struct {
		n    int
		whom string
	}{{e.Reproduced, "of the reproduction"}, {e.Known, "of the repository's own tests"}, {len(e.Fixed) - e.Reproduced - e.Known, "of the change's new tests"}} {
		if x.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", x.n, x.whom))
		}
	}
	if e.Reproduced+e.Known == 0 && e.OnBase == nil {
		return ""
	}
	return strings.Join(out, ", ")
}

// fresh says how many of the developer's own new tests failed before, or "".
func (e Evidence) fresh() string {
	b := e.OnBase
	if b == nil || b.Ran+b.Broken == 0 {
		return ""
	}
	if b.Ran == 0 {
		return "the developer's own new tests cannot be run on the code before the change"
	}
	out := fmt.Sprintf("of the developer's own new tests, %d of %d failed before the change", b.Red, b.Ran)
	if b.Broken > 0 {
		out += fmt.Sprintf(" (%s could not be run there)", task.Count(b.Broken, "file"))
	}
	return out
}

// beside describes failures beside the source of tests that is shown.
func beside(failures []task.Failure, most int, tests []Text, red []string) []foreign {
	failures = slices.Clone(failures)
	for i := range failures[:min(len(failures), most)] {
		failures[i].Message = quoting(failures[i].Message, tests)
	}
	return describeAll(failures, most, 0, red)
}

// describeAll describes the first of some failures, and says behind them how many there
// are besides: of the failures, of those that were not kept, and of the red tests.
func describeAll(failures []task.Failure, most, lost int, red []string) []foreign {
	shown := failures[:min(len(failures), most)]
	out := make([]foreign, 0, len(shown)+1)
	for _, f := range shown {
		out = append(out, foreign(describe(f)))
	}
	if rest := besides(failures, len(shown), lost, red); rest != "" && len(shown) > 0 {
		out = append(out, foreign(rest))
	}
	return out
}

const mostNamed = 5 // tests that are named though their failures are not shown

// besides says how much fails besides the failures that are shown, or "".
func besides(failures []task.Failure, shown, lost int, red []string) string {
	var names []string
	told := map[string]bool{"": true}
	for _, f := range failures[:shown] {
		told[f.Test] = true
	}
	unnamed := lost
	for _, f := range failures[shown:] {
		if f.Test == "" {
			unnamed++
		}
		red = append(slices.Clone(red), f.Test)
	}
	for _, id := range red {
		if !told[id] {
			told[id], names = true, append(names, id)
		}
	}
	switch n := max(len(names), unnamed); { // those that were not kept may be of the tests named
	case n == 0:
		return ""
	case n == len(names) && n <= mostNamed:
		return fmt.Sprintf("… and %d more like these: %s", n, strings.Join(names, ", "))
	default:
		return fmt.Sprintf("… and %d more like these", n)
	}
}

// longestMessage bounds what a failure says, in bytes: an assertion on two
// long texts shows both of them.
const longestMessage = 2000

// address is where an object of Python or Go lay, which says nothing and differs from
// run to run: a prompt with it is never the same twice, to a cache or a record.
var address = lazyregexp.New(`(?: at )?\b0x(?:7f[0-9a-f]{10}|55[0-9a-f]{10}|56[0-9a-f]{10}|c0[0-9a-f]{8})\b`)

// still takes addresses out.
func still(text string) string { return address.ReplaceAllString(text, "") }

// apart is where the parts of a comparison begin that two values in a first line
// already show: pytest's and unittest's, line by line.
var apart = lazyregexp.New(`\n\s*\n(?:  Full diff|\s*- |First (?:differing element|list contains|tuple contains|set contains|sequence contains)|Second (?:list|tuple|set|sequence) contains|Items in the )|\n  Full diff`)

// once leaves out of a runner's words the comparison line by line, where both values
// stand in the first line already.
func once(message string) string {
	head, _, _ := strings.Cut(message, "\n")
	if at := apart.FindStringIndex(message); at != nil && len(head) < 300 && !strings.Contains(head, "...") && compares.MatchString(head) {
		return strings.TrimRight(message[:at[0]], " \n")
	}
	return message
}

var compares = lazyregexp.New(` (?:==|!=|in|not in|<|>|<=|>=) `)

// quoting takes lines of a message out that stand in the shown source of tests word for
// word.
func quoting(message string, tests []Text) string {
	if len(tests) == 0 {
		return message
	}
	var out []string
	for i, l := range strings.Split(message, "\n") {
		words := strings.TrimSpace(l)
		shown := len(words) >= shortestQuote && slices.ContainsFunc(tests, func(t Text) bool {
			return slices.ContainsFunc(strings.Split(t.Code, "\n"), func(s string) bool { return strings.TrimRight(strings.TrimSpace(s), ";") == words })
		})
		if i == 0 || !shown {
			out = append(out, l)
		}
	}
	return strings.TrimRight(strings.Join(out, "\n"), " \n")
}

const shortestQuote = 12 // bytes of a line

// describe puts a failure in a few lines.
func describe(f task.Failure) string {
	var b strings.Builder
	if f.Test != "" {
		fmt.Fprintf(&b, "test: %s\n", f.Test)
	}
	fmt.Fprintf(&b, "kind: %s", f.Kind)
	if f.Exception != "" {
		fmt.Fprintf(&b, " (%s)", f.Exception)
	}
	if f.File != "" {
		fmt.Fprintf(&b, " at %s:%d", f.File, f.Line)
	}
	fmt.Fprintf(&b, "\nmessage: %s\n", clipped(once(still(f.Message)), longestMessage))
	trace := slices.DeleteFunc(slices.Clone(f.Trace), task.Frame.Foreign)
	if len(trace) == 0 {
		trace = f.Trace
	}
	for i, fr := range trace {
		if len(f.Trace) == 1 && fr.File == f.File && fr.Line == f.Line {
			break // it was said
		}
		if i == 12 {
			fmt.Fprintf(&b, "  … %d more frames\n", len(trace)-i)
			break
		}
		fmt.Fprintf(&b, "  %s:%d %s\n", fr.File, fr.Line, fr.Function)
	}
	return b.String()
}

// sample fills every part of a prompt once, to try the prompt out.
func sample() *view {
	one := []foreign{"x"}
	text := []textView{{"x", "x", "x", "x", one, 1, 1, "go", true, false, one}, {"x", "", "x", "", one, 1, 1, "go", false, true, one}, {"x", "", "x", "", one, 1, 1, "go", false, false, nil}}
	return &view{
		Task: taskView{"x", "x", "x"}, Plan: planView{"x", []stepView{{"x", "x", one, true, true, false}, {"x", "x", one, true, false, true}}}, Step: stepView{Goal: "x", Acceptance: "x", Targets: one}, Feedback: "x",
		Shown:        shownView{one, 1, text, "x", one, 1, text, text, "x"},
		Instructions: []fileView{{"x", "x"}}, Done: []acceptedView{{"x", "x", one}}, Heads: []fileView{{"x", "x"}}, Failures: one,
		Strategies: strategies[:1], Attempts: []attemptView{{1, task.Tier1, "x", "x", "x", one, 1, "x", false, one, one}, {2, task.Tier1, "", "x", "x", one, 1, "", true, one, one}, {3, task.Tier1, "", "", "x", nil, 1, "x", false, nil, nil}},
		History: one, Precedents: []precedentView{{"x", "x", 1, 1}}, Warnings: one, Said: one, Regenerate: true, NeedsTest: true, MayTest: true, TestDirs: one, Tools: true, Checks: one,
		Turns: 1, MaxSteps: 1, Diff: "x", Evidence: evidenceView{Why: "x"}, Advice: "x",
	}
}
