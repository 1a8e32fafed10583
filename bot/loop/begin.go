package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
)

// beginning is the kind of the effect with which each process takes a run up.
const beginning = "begin"

// start is all that a process knows when it takes a run up: with the effects
// after it, everything that the run decides by.
type start struct {
	State      *task.RunState         `json:"state,omitempty"` // what was saved; nil for a run that begins
	Task       task.Task              `json:"task"`
	Budget     task.Budget            `json:"budget"`
	Guard      patch.Guard            `json:"guard"`
	Gates      task.Gates             `json:"gates"`
	RepoScope  []string               `json:"repo_scope,omitempty"`
	NeverSend  []string               `json:"never_send,omitempty"`
	OpenPoints []string               `json:"open_points,omitempty"`
	Checks     []settings.Check       `json:"checks,omitempty"`
	Smoke      *settings.Smoke        `json:"smoke,omitempty"`
	Needs      settings.Needs         `json:"needs,omitzero"`
	Setup      []string               `json:"setup,omitempty"`
	Default    bool                   `json:"default_branch,omitempty"`
	Answers    []task.Answer          `json:"answers,omitempty"`
	Base       string                 `json:"base"`
	Sandbox    string                 `json:"sandbox"`
	Worked     time.Duration          `json:"worked"`
	Errors     int                    `json:"errors"`
	Spent      task.USD               `json:"spent_usd"`
	SpentBy    map[task.Tier]task.USD `json:"spent_by"`
	Rungs      map[task.Tier]rung     `json:"rungs"`
	Roles      roles                  `json:"roles"`
}

// rung is a tier that has a model.
type rung struct {
	Model  string `json:"model"`
	Window int    `json:"window,omitempty"` // tokens; 0 when not known
	// Command: another agent's command writes the changes, with this model.
	Command bool `json:"command,omitempty"`
}

// roles says which roles have a model to ask.
type roles struct{ Planner, Tester, Reviewer, Characteriser, Triager, Reproducer bool }

// money is what the run spent so far, in all and by tier.
type money struct {
	all task.USD
	by  map[task.Tier]task.USD
}

func (m *money) add(t task.Tier, u task.USD) {
	m.all += u
	m.by[t] += u
}

// begin takes the run up: everything that it will decide by goes on record.
func (r *run) begin(ctx context.Context) error {
	s, err := r.start(ctx)
	if err != nil {
		return err
	}
	r.in.Task, r.in.Budget, r.in.Guard, r.in.Gates = s.Task, s.Budget, s.Guard, s.Gates
	r.in.RepoScope, r.in.NeverSend, r.in.OpenPoints, r.in.Answers = s.RepoScope, s.NeverSend, s.OpenPoints, s.Answers
	r.in.Checks, r.in.Needs, r.in.Smoke, r.in.Setup, r.in.DefaultBranch = s.Checks, s.Needs, s.Smoke, s.Setup, s.Default
	r.in.State.Worked, r.in.State.Errors = s.Worked, s.Errors
	r.Sandbox, r.rungs = s.Sandbox, s.Rungs
	r.money = money{s.Spent, s.SpentBy}
	if r.money.by == nil {
		r.money.by = map[task.Tier]task.USD{}
	}
	r.state, r.saved, r.begun = r.in.State, r.in.State, r.now()
	r.narrow()
	r.state.Version, r.state.BaseCommit, r.state.Scope, r.state.Gates = 1, s.Base, s.Guard.Scope, s.Gates
	r.deadline = r.begun.Add(r.in.Budget.Duration - s.Worked)
	r.log = r.Log.WithField("run", r.in.RunID)
	if len(r.state.Plan) > 0 {
		if err := json.Unmarshal(r.state.Plan, &r.plan); err != nil {
			return fmt.Errorf("reading the saved plan: %w", err)
		}
	}
	r.pins = s.Roles.Characteriser
	if !s.Roles.Planner {
		r.Planner = nil
	}
	if !s.Roles.Tester {
		r.Tester = nil
	}
	if !s.Roles.Reviewer {
		r.Reviewer = nil
	}
	if !s.Roles.Triager {
		r.Triager = nil
	}
	if !s.Roles.Reproducer {
		r.Reproducer = nil
	}
	return nil
}

// leastWindow is the fewest tokens of a window that hold the rules, a short issue, a
// region and an answer.
const leastWindow = 3000

// narrow takes out the tiers whose window is smaller than the smallest prompt, before
// anything is asked of them.
func (r *run) narrow() {
	all := r.rungs
	r.rungs = map[task.Tier]rung{}
	for tier, g := range all {
		if tier != task.TierNano && tier != task.TierEmbeddings && g.Window > 0 && g.Window < leastWindow {
			r.tooSmall = append(r.tooSmall, fmt.Sprintf("the window of %s (%s, context_tokens: %d) is smaller than the smallest prompt with its answer, %d tokens", tier, g.Model, g.Window, leastWindow))
			continue
		}
		r.rungs[tier] = g
	}
	slices.Sort(r.tooSmall)
}

func (r *run) start(ctx context.Context) (start, error) {
	t := r.recorder
	if t.replays {
		if len(t.rest) == 0 {
			return start{}, errEnds
		}
		e := t.rest[0]
		if e.Kind != beginning {
			return start{}, &Divergence{e.Seq, e.Kind, beginning}
		}
		t.rest = t.rest[1:]
		t.pass(e)
		return read[start](e)
	}
	spent, by, err := r.in.Journal.Spent(ctx)
	if err != nil {
		return start{}, fmt.Errorf("reading what was spent: %w", err)
	}
	r.keepAsked()
	s := start{
		Task: r.in.Task, Budget: r.in.Budget, Guard: r.in.Guard, Gates: r.in.Gates, RepoScope: r.in.RepoScope,
		NeverSend: r.in.NeverSend, OpenPoints: r.in.OpenPoints, Checks: r.in.Checks, Needs: r.in.Needs, Smoke: r.in.Smoke, Setup: r.in.Setup, Default: r.in.DefaultBranch, Answers: r.in.Answers, Sandbox: r.Sandbox, Worked: r.in.State.Worked,
		Errors: r.in.State.Errors, Spent: spent, SpentBy: by, Rungs: map[task.Tier]rung{},
		Roles: roles{r.Planner != nil, r.Tester != nil, r.Reviewer != nil, r.Characteriser != nil && r.in.Task.WantsTests(), r.Triager != nil, r.Reproducer != nil},
	}
	if r.in.State.Version > 0 {
		s.State = &r.in.State
	}
	if r.in.Tree != nil {
		s.Base = r.in.Tree.BaseCommit()
	}
	for _, tier := range append(task.Ladder[1:len(task.Ladder):len(task.Ladder)], task.TierNano, task.TierEmbeddings) {
		if r.Models != nil && r.Models.Has(tier) {
			g := rung{Model: r.Models.Name(tier), Window: r.Models.ContextTokens(tier)}
			if by := r.Agents[tier]; by != nil {
				g.Command, g.Model = true, by.Name+" with "+g.Model
			}
			s.Rungs[tier] = g
		}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return start{}, fmt.Errorf("writing down how the run begins: %w", err)
	}
	e := task.Effect{Run: r.in.RunID, Kind: beginning, Data: raw}
	if err := t.note(ctx, e); err != nil {
		return start{}, err
	}
	return read[start](e)
}

// keepAsked: a process that takes the run up knows nothing of the flags with
// which it was asked for. They only ever narrow.
func (r *run) keepAsked() {
	if len(r.in.Guard.Scope) == 0 {
		r.in.Guard.Scope = r.in.State.Scope
	}
	r.in.Gates = settings.Stricter(r.in.Gates, r.in.State.Gates)
}

// planner tells whether plans can be asked for, and of which tier.
func (r *run) planner() (task.Tier, bool) {
	if r.Planner == nil {
		return "", false
	}
	best := task.Tier("")
	for _, t := range r.modelTiers() { // the strongest that is not the last resort plans
		if best == "" || t.Rank() <= task.Tier2.Rank() {
			best = t
		}
	}
	return best, best != ""
}

// modelTiers are the tiers with a model that the run may climb to, cheapest first.
func (r *run) modelTiers() []task.Tier {
	var out []task.Tier
	for _, t := range task.Ladder[1:] {
		if _, ok := r.rungs[t]; ok && t.Rank() <= r.in.Budget.MaxTier.Rank() {
			out = append(out, t)
		}
	}
	return out
}
