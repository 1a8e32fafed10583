// Package agent holds the roles that ask models: a prompt goes in, a validated
// decision comes out.
//
//	Planner    task, tree, places     → a plan of at most 12 steps, criticised once
//	Triager    an issue's words       → start, plan, answer, ask, refuse
//	Reproducer an issue, tree, places → a test that shows the fault
//	Developer  one step               → edits, over several turns with tools
//	Tester     what the checks say    → pass_to_commit, fix_required, escalate_tier
//	Asker      a question, places     → prose with citations that exist
//	Reviewer   diff, checks, task     → ACCEPT, RETRY, FAIL, ESCALATE_TO_PLANNER
//	Judge      all of these           → what follows; a pure function
//
// A role never applies anything and never lifts a verdict above the evidence:
// what it returns is only a wish, which bot/patch and bot/verify judge. All
// text from issues, repositories, tools and test output is foreign; it stands
// fenced in prompts, with its hidden characters written out and counted, and
// cannot change what a role may do.
package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
)

// Ask sends a request to a model. The loop gives it: it reserves money before
// the call, settles after it and records both.
type Ask func(ctx context.Context, r model.Request) (model.Reply, error)

// Malformed is a model's answer that cannot be used, after all that was tried
// to get a better one. Its class is one of package answer's.
type Malformed = answer.Malformed

// Config is what the roles share.
type Config struct {
	// Prompts is a folder whose files replace the built-in prompts of the same
	// names, such as developer-tier1.md; empty: none. Which text was used
	// stands in each message's prompt class.
	Prompts string
	// Count is told of each answer that could not be used, such as by
	// model.Tally.Add; nil: nobody is.
	Count  func(model.Kind)
	Limits Limits // of the developer's conversations
}

// Roles are all roles with the same prompts. They may be used by several
// goroutines at once.
type Roles struct {
	Planner    *Planner
	Developer  *Developer
	Tester     *Tester
	Reviewer   *Reviewer
	Triager    *Triager
	Reproducer *Reproducer
	Asker      *Asker
}

// New reads the prompts. The error says which file cannot be used and why.
func New(cfg Config) (*Roles, error) {
	all, err := readPrompts(cfg.Prompts)
	if err != nil {
		return nil, err
	}
	base := role{prompts: all, count: cfg.Count}
	return &Roles{
		Planner:    &Planner{role: base, limits: cfg.Limits.withDefaults()},
		Developer:  &Developer{role: base, limits: cfg.Limits.withDefaults()},
		Tester:     &Tester{role: base},
		Reviewer:   &Reviewer{role: base},
		Triager:    &Triager{role: base},
		Reproducer: &Reproducer{role: base, limits: cfg.Limits.withDefaults()},
		Asker:      &Asker{role: base},
	}, nil
}

// role is what the roles have in common.
type role struct {
	prompts prompts
	count   func(model.Kind)
}

// request renders a prompt that fits into limit bytes, shortening the data
// with less until it does.
func (r role) request(name string, limit int, data func() any, less func(over int) bool) (model.Request, error) {
	p, ok := r.prompts[name]
	if !ok {
		return model.Request{}, fmt.Errorf("there is no prompt %s", name)
	}
	for {
		system, user, err := p.render(data())
		if err != nil {
			return model.Request{}, err
		}
		if over := len(user) - limit; over <= 0 || !less(over) {
			return model.Request{PromptClass: p.class, System: system, User: user}, nil
		}
	}
}

// unanswered tells an error after which a role can go on without the model's
// decision: it could not be read, or the provider failed. A cancelled call, a
// refused budget and a journal that cannot be written are none.
func unanswered(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if _, bad := answer.IsMalformed(err); bad {
		return true
	}
	var failed *model.Error
	return errors.As(err, &failed) && failed.Class != model.Cancelled
}
