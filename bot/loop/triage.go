package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/loop/triage"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
)

// triaged decides once in the life of a run whether its task may begin, from
// its words alone (SPEC S2). The verdict is saved, so that a process that takes
// the run up asks no model again.
func (r *run) triaged(ctx context.Context) error {
	if len(r.state.Triage) > 0 || r.state.Phase != "" || r.in.Task.Origin == task.OriginHook {
		return nil // a hook's task is its red checks, in our own words
	}
	v := triage.Classify(r.in.Task.Title, r.in.Task.Body)
	v, err := r.secondOpinion(ctx, v)
	if err != nil {
		return err
	}
	if r.in.Task.Hint != "" && (v.Action == triage.Ask || v.Action == triage.Answer) || r.in.Task.Follow != nil && v.Action != triage.Refuse {
		v = triage.Verdict{Action: triage.Start, Reasons: []string{"a maintainer said what to do"}}
	}
	if r.state.Triage, err = json.Marshal(v); err != nil {
		return fmt.Errorf("writing down the triage: %w", err)
	}
	if err := r.note(ctx, "triage", string(v.Action)+": "+strings.Join(v.Reasons, "; "), map[string]any{"action": v.Action, "reasons": v.Reasons, "missing": v.Missing}); err != nil {
		return err
	}
	if stop, err := r.turnedAway(ctx, v); err != nil || stop != nil {
		return cmp.Or(err, error(stop))
	}
	if v.Action == triage.Plan {
		r.in.Gates = settings.Stricter(r.in.Gates, task.Gates{Plan: true, PlanFirst: true, PlanLarge: v.Counted})
		r.state.Gates = r.in.Gates
	}
	return r.save(ctx, "triaged")
}

// turnedAway is the end of a run whose task does not begin; nil where it does.
func (r *run) turnedAway(ctx context.Context, v triage.Verdict) (*Stop, error) {
	why := strings.Join(v.Reasons, "; ")
	switch v.Action {
	case triage.Refuse:
		return &Stop{task.Rejected, "fettle leaves this to people: " + why}, nil
	case triage.Ask:
		return &Stop{task.Rejected, fmt.Sprintf("the issue cannot be worked on as it is: %s. What is missing: %s", why, strings.Join(v.Missing, "; "))}, nil
	case triage.Answer:
		about, err := r.concerned(ctx, r.in.Task.Title+"\n"+r.in.Task.Body)
		if err != nil {
			return nil, err
		}
		reason := "the issue asks a question and reports no fault, so there is nothing to change"
		if at := about.words(); at != "" {
			reason += ". The code that it is about may be " + at
		}
		return &Stop{task.Rejected, reason}, nil
	case triage.Plan:
		if _, can := r.planner(); !can {
			return &Stop{task.Rejected, "this needs a plan that a maintainer approves, and no model that writes plans is configured: " + why}, nil
		}
	}
	return nil, nil
}

// wayOut is what to do about a task that triage turned away, or "".
func (r *run) wayOut() string {
	var v triage.Verdict
	if len(r.state.Triage) == 0 || json.Unmarshal(r.state.Triage, &v) != nil {
		return ""
	}
	switch v.Action {
	case triage.Refuse:
		return "Make that change yourself, or take it out of the issue; then ask again."
	case triage.Ask:
		return "Add what is missing to the issue and ask again, or say `/fettle fix` with it."
	case triage.Answer:
		return "If something is wrong, say what happens and what should happen instead; then ask again."
	case triage.Plan:
		if _, can := r.planner(); !can {
			return "Configure a model that plans, or ask for one smaller change."
		}
	}
	return ""
}

// secondOpinion asks the nano tier once, where there is one. It can only make
// the verdict stricter; a call that fails is no opinion.
func (r *run) secondOpinion(ctx context.Context, v triage.Verdict) (triage.Verdict, error) {
	if _, ok := r.rungs[task.TierNano]; !ok || r.Triager == nil || v.Action == triage.Refuse {
		return v, nil
	}
	says, err := r.Triager.Triage(ctx, r.asker("triage", nil), r.in.Task)
	if err = r.unaffordable(ctx, err); err != nil || says == nil {
		return v, err
	}
	v.Counted = v.Counted && triage.Action(says.Action) != triage.Plan
	if strictness[triage.Action(says.Action)] <= strictness[v.Action] {
		return v, nil
	}
	second := triage.Verdict{Action: triage.Action(says.Action), Reasons: []string{says.Reason + " (said a model)"}}
	if second.Action == triage.Ask {
		second.Missing = []string{"what happens, what should happen, and how to see it"}
	}
	return second, nil
}

var strictness = map[triage.Action]int{triage.Start: 0, triage.Plan: 1, triage.Answer: 2, triage.Ask: 2, triage.Refuse: 3}

const placesTold = 5

// concern is what a text seems to be about.
type concern struct {
	Places []spot `json:"places,omitempty"` // functions, the likeliest first
}

// spot is where a function stands.
type spot struct {
	Name string   `json:"name"`
	Path string   `json:"path"`
	Line int      `json:"line"`
	Why  []string `json:"why,omitempty"`
}

func (c concern) words() string {
	var out []string
	for _, s := range c.Places {
		out = append(out, fmt.Sprintf("%s in %s:%d", s.Name, s.Path, s.Line))
	}
	return strings.Join(out, ", ")
}
