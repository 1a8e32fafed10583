package agent

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// Instruction is a file like AGENTS.md or CONTRIBUTING, from the base commit:
// advice of the repository, which is foreign and obliges to nothing.
type Instruction struct{ Path, Text string }

// PlanBrief is all that the planner may know.
type PlanBrief struct {
	Task         task.Task
	Tier         task.Tier // whose model plans; the same one criticises
	Shown        Shown
	Failures     []task.Failure
	Red          []string // all tests that fail now
	Instructions []Instruction
	Attempts     []task.Attempt
	Done         []Accepted // steps of the plan so far that stand in the tree; the plan asked for is of the rest
	Precedents   []Precedent
	Warnings     []string
	Advice       []string // what maintainers said in reviews here; it binds nobody
	Plan         Plan     // the plan so far, for Revise
	NeedsTest    bool
	// Protected tells the files that nobody but a human changes; nil: none are. A
	// plan that aims at one of them is to be made without it.
	Protected func(path string) bool
	// Tools answer the planner's questions, for a few turns; nil: there are none.
	Tools    Tools
	MaxSteps int // 0: MaxSteps; the fewer of the two hold
	MaxBytes int // of the prompt's user part; 0: 48 KiB
}

func (b PlanBrief) steps() int {
	if b.MaxSteps > 0 && b.MaxSteps < MaxSteps {
		return b.MaxSteps
	}
	return MaxSteps
}

// Planner makes plans. It never ends without one: after a plan that cannot be
// read or is rejected twice comes one that needs no model.
//
// A plan that aims at protected files again, though it was said against it, is
// given as it is: it is not for a model to decide.
//
// A plan of one or two uncritical steps is used without a critique. One with a critical
// step is criticised by the task, its own words and the signatures of its targets.
//
//	plan ─ valid? ─ critique ─ approved ─► plan
//	  └──── no ────────┬─ rejected ─► one revision ─ valid? ─ critique ─► plan
//	                   ▼                                └──────┴─────► fallback
type Planner struct {
	role
	limits Limits
}

// Plan asks for a plan and criticises it. The error is Ask's, for what is not
// the model's fault: a cancelled call, a refused budget.
func (p *Planner) Plan(ctx context.Context, ask Ask, b PlanBrief) (Plan, error) {
	b.Plan = Plan{}
	return p.plan(ctx, ask, b, "", Planned)
}

// Revise asks for another plan in place of b.Plan, because of feedback: a
// human's, or what the attempts showed. It is criticised like the first one.
func (p *Planner) Revise(ctx context.Context, ask Ask, b PlanBrief, feedback string) (Plan, error) {
	return p.plan(ctx, ask, b, feedback, Revised)
}

func (p *Planner) plan(ctx context.Context, ask Ask, b PlanBrief, feedback string, origin Origin) (Plan, error) {
	first, err := p.draft(ctx, ask, b, feedback)
	if err != nil {
		return p.instead(ctx, b, err)
	}
	first = b.lean(first)
	problems := b.objections(first)
	if len(problems) == 0 {
		problems, err = p.criticise(ctx, ask, b, first)
	}
	if err != nil {
		return Plan{}, err
	}
	if len(problems) == 0 {
		first.Origin = origin
		return first, nil
	}
	again := b
	again.Plan = first
	second, err := p.draft(ctx, ask, again, joined(feedback, problems))
	if err != nil {
		return p.instead(ctx, b, err)
	}
	second = b.lean(second)
	var left []string
	if len(b.objections(second)) == 0 {
		left, err = p.criticise(ctx, ask, b, second)
	}
	if err != nil {
		return Plan{}, err
	}
	if len(left) > 0 {
		return FallbackPlan(b, append([]string{"the plan was rejected twice"}, left...)...), nil
	}
	second.Origin, second.Problems, second.Looked = Revised, problems, append(first.Looked, second.Looked...)
	return second, nil
}

// objections are what speaks against a plan before a model is asked about it.
func (b PlanBrief) objections(p Plan) []string {
	if b.Protected == nil {
		return nil
	}
	var out []string
	for _, file := range p.Files() {
		if b.Protected(file) {
			out = append(out, line(file)+" is protected: a human has to change it. Plan the change without it; if that cannot be, keep it in the plan.")
		}
	}
	return out
}

func joined(feedback string, problems []string) string {
	if feedback != "" {
		problems = append([]string{feedback}, problems...)
	}
	return strings.Join(problems, "\n")
}

// instead gives the fallback for what a model could not do, and hands on what
// is not the model's fault.
func (p *Planner) instead(ctx context.Context, b PlanBrief, err error) (Plan, error) {
	if unanswered(ctx, err) {
		return FallbackPlan(b, "the planner gave no usable plan: "+line(err.Error())), nil
	}
	return Plan{}, err
}

// draft asks for a plan that is valid.
func (p *Planner) draft(ctx context.Context, ask Ask, b PlanBrief, feedback string) (Plan, error) {
	full := b
	data := func() any {
		v := p.view(b)
		v.Plan, v.Feedback = planOf(b.Plan), foreign(feedback)
		return v
	}
	req, err := p.request("planner", window(b.MaxBytes), data, func(over int) bool { return b.shrink(over) })
	if err != nil {
		return Plan{}, err
	}
	req.Tier, req.Agent = b.Tier, "planner"
	got, looked, err := p.look(ctx, ask, req, full)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Summary: got.Summary, Looked: looked}
	for _, s := range got.Steps {
		plan.Steps = append(plan.Steps, Step{Goal: s.Goal, Targets: s.Targets, Acceptance: s.Acceptance, Critical: s.Critical, Test: s.Test})
	}
	return plan, nil
}

// plannerTurns bounds the answers to one brief, those that ask included.
const plannerTurns = 4

// look asks until there is a plan: an answer that asks to see something gets it and
// another turn, for a few turns. looked is what it read of it.
func (p *Planner) look(ctx context.Context, ask Ask, req model.Request, b PlanBrief) (plan answer.Plan, looked []string, err error) {
	limits := p.limits
	limits.Turns = min(limits.Turns, plannerTurns)
	c := &conversation{brief: Brief{Tools: b.Tools, MaxBytes: b.MaxBytes}, limits: limits, asked: map[string]int{}}
	for {
		r := c.prompt(req, "Give the plan.")
		c.final = c.final || b.Tools == nil
		got, _, err := answer.Planner.AskWith(ctx, answer.Ask(ask), r, answer.Options[answer.Plan]{Count: p.count, Check: func(v answer.Plan) *answer.Malformed {
			if len(v.Steps) == 0 && c.final {
				return &answer.Malformed{Class: answer.SchemaInvalid, Reason: "it has no steps, and nothing can be looked at any more"}
			}
			return b.check(v)
		}})
		if err != nil || len(got.Steps) > 0 {
			return got, c.read, err
		}
		c.turns++
		if over, err := c.take(ctx, answer.Actions{Actions: got.Look}); err != nil {
			return got, nil, err
		} else if over != "" { // it asks for the same again and again
			c.turns = limits.Turns
		}
	}
}

// lean is a plan without steps that only change words or only add tests, where the
// task asks for neither and the plan does something besides.
func (b PlanBrief) lean(p Plan) Plan {
	asked := strings.ToLower(b.Task.Title + "\n" + b.Task.Body + "\n" + b.Task.Hint)
	aside := func(s Step) bool {
		return len(s.Targets) > 0 && !slices.ContainsFunc(s.Targets, func(t string) bool {
			file, _ := SplitTarget(t)
			return !code.IsTest(file) && !document.MatchString(file)
		})
	}
	wanted := func(s Step) bool {
		return slices.ContainsFunc(s.Targets, func(t string) bool {
			file, _ := SplitTarget(t)
			return code.IsTest(file) && asksForTests.MatchString(asked) || !code.IsTest(file) && (asksForWords.MatchString(asked) || strings.Contains(asked, strings.ToLower(path.Base(file))))
		})
	}
	var kept, extra []Step
	for _, s := range p.Steps {
		if aside(s) && !wanted(s) {
			extra = append(extra, s)
		} else {
			kept = append(kept, s)
		}
	}
	if len(kept) > 0 && len(extra) > 0 {
		p.Steps = kept
	}
	return p
}

var (
	asksForTests = lazyregexp.New(`\b(?:add|write|need|needs|missing|more|with)\b[^.\n]{0,40}\btests?\b`)
	asksForWords = lazyregexp.New(`\b(?:document|documented|documentation|docs|docstrings?|comments?|readme|changelog|typos?)\b`)
)

// mostSmall is how many steps a small plan has at most.
const mostSmall = 2

// Small tells whether a plan is one or two uncritical steps. It is used without a
// critique, since they cost less to try than to talk about (SPEC L2).
func (p Plan) Small() bool {
	return len(p.Steps) <= mostSmall && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Critical })
}

// criticise gives the problems of a plan. A critique that cannot be had is no
// problem of the plan, which is valid by then.
func (p *Planner) criticise(ctx context.Context, ask Ask, b PlanBrief, plan Plan) ([]string, error) {
	if plan.Small() {
		return nil, nil
	}
	few := len(plan.Steps) <= mostSmall
	if few { // the planner had the code; what a critical step aims at is told by its names
		b.Shown = b.Shown.outline(ctx, plan.Files())
	}
	data := func() any {
		v := p.view(b)
		v.Plan, v.Outline = planOf(plan), few
		return v
	}
	req, err := p.request("critic", window(b.MaxBytes), data, func(over int) bool { return b.shrink(over) })
	if err != nil {
		return nil, err
	}
	req.Tier, req.Agent, req.MaxTokens = b.Tier, "critic", 800
	got, _, err := answer.Critic.Ask(ctx, answer.Ask(ask), req, p.count)
	if err != nil && unanswered(ctx, err) {
		return nil, nil
	}
	return got.Problems, err
}

func (p *Planner) view(b PlanBrief) *view {
	v := newView()
	v.Task, v.Shown, v.Failures = taskOf(b.Task), shownOf(b.Shown), beside(b.Failures, 5, b.Shown.Tests, b.Red)
	v.Attempts, v.Precedents, v.Warnings = attemptsOf(b.Attempts, 2), precedentsOf(b.Precedents), foreigns(b.Warnings)
	v.Said = foreigns(b.Advice)
	v.Done, v.MaxSteps, v.NeedsTest = doneOf(b.Done), b.steps(), b.NeedsTest
	v.Tools, v.Turns = b.Tools != nil, plannerTurns-1
	for _, i := range b.Instructions {
		v.Instructions = append(v.Instructions, fileView{foreign(i.Path), foreign(clipped(i.Text, 4<<10))})
	}
	return v
}

// shrink leaves out the least likely code, an instruction, the oldest
// attempt, or the middle of the issue.
func (b *PlanBrief) shrink(over int) bool {
	switch {
	case b.Shown.less():
	case len(b.Advice)+len(b.Precedents)+len(b.Warnings) > 0:
		b.Advice, b.Precedents, b.Warnings = nil, nil, nil
	case len(b.Instructions) > 0:
		b.Instructions = b.Instructions[:len(b.Instructions)-1]
	case len(b.Attempts) > 1:
		b.Attempts = b.Attempts[1:]
	default:
		return cut(&b.Task.Body, over, shortestBody)
	}
	return true
}

// check says what a schema cannot: how many steps there may be, and which
// targets can be meant. Whether a target may be changed is for the guard.
func (b PlanBrief) check(v answer.Plan) *answer.Malformed {
	bad := func(format string, args ...any) *answer.Malformed {
		return &answer.Malformed{Class: answer.SchemaInvalid, Reason: fmt.Sprintf(format, args...)}
	}
	if len(v.Steps) > b.steps() {
		return bad("it has %d steps, at most %d are taken", len(v.Steps), b.steps())
	}
	goals := map[string]bool{}
	for i, s := range v.Steps {
		goal := strings.ToLower(strings.Join(strings.Fields(s.Goal), " "))
		if goal == "" || goals[goal] {
			return bad("step %d has no goal of its own", i+1)
		}
		goals[goal] = true
		for _, t := range s.Targets {
			switch file, _ := SplitTarget(t); {
			case !local(file):
				return bad("step %d aims at %s, which is no path inside the repository", i+1, line(t))
			case code.IsTest(file) && slices.Contains(b.Shown.Files, file):
				return bad("step %d aims at %s: tests that are there are the evidence and stay as they are; aim at the code that they test, and put a new test into a new file", i+1, line(file))
			}
		}
	}
	return nil
}

// local tells a path inside the tree that is not Git's own.
func local(p string) bool {
	if p == "" || strings.ContainsAny(p, "\\\x00\n") || path.IsAbs(p) {
		return false
	}
	parts := strings.Split(path.Clean(p), "/")
	return parts[0] != ".." && !slices.ContainsFunc(parts, func(s string) bool { return strings.EqualFold(s, ".git") })
}

// FallbackPlan is the plan that needs no model: read the suspicious places,
// patch, test, finish. It always has its one step.
func FallbackPlan(b PlanBrief, why ...string) Plan {
	targets := b.Shown.Paths()
	targets = targets[:min(len(targets), 5)]
	accept := "every failing test passes, and nothing that was green is red"
	if b.NeedsTest {
		accept = "a new test fails before the change and passes after it, and nothing that was green is red"
	}
	return Plan{
		Summary: "The suspicious places are read, patched and tested.", Origin: Fallback, Problems: why,
		Steps: []Step{{
			Goal:    "Read the most suspicious regions, patch the cause of the failure with the smallest change, test it, and finish.",
			Targets: targets, Acceptance: accept,
		}},
	}
}

// window is the limit of a prompt in bytes.
func window(limit int) int {
	if limit <= 0 {
		return 48 << 10
	}
	return limit
}
