package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

// opinionMost is what a second opinion may cost where nothing is said, in dollars.
const opinionMost = 0.05

// opinion is whose second opinion a judgement asks for.
type opinion struct {
	tier   task.Tier // "": nobody's
	writer task.Tier // that writes tests; "": none does
	most   float64   // dollars, for both
}

// valid refuses a tier that is none, or that is not configured.
func (o opinion) valid(p *parts) error {
	if o.most < 0 {
		return usage("--max-cost takes a figure that is not negative")
	}
	for _, by := range []struct {
		flag string
		tier task.Tier
	}{{"--opinion", o.tier}, {"--tests-by", o.writer}} {
		switch {
		case by.tier == "":
		case !slices.Contains([]task.Tier{task.TierNano, task.Tier1, task.Tier2, task.Tier3}, by.tier):
			return usage("%s takes nano, tier1, tier2 or tier3, and got %q", by.flag, by.tier)
		case !p.models().Has(by.tier):
			return usage("%s: no model is configured for %s; name one under tiers of the configuration, see 'fettle help tiers'", by.flag, by.tier)
		}
	}
	return nil
}

// hider gives what takes secrets out of a text, and what stands in files that no model
// may see: before the change or with it, which may move it to another file.
func (p *parts) hider(l judgingOn) func(string) string {
	was, is := loop.Withholder(l.in.Base.BaseFS(), l.in.Base.Files(), l.own.NeverSend), loop.Withholder(l.in.Head.BaseFS(), l.in.Head.Files(), l.own.NeverSend)
	return func(text string) string { return was(is(p.funnel.Secrets(text))) }
}

// opinion gives what asks a model about a change, without the files that no model may
// see and what the evidence quotes of them; nil where nobody is to be asked.
func (p *parts) opinion(o opinion, l judgingOn, spent *task.USD) (func(context.Context, judge.Asked) (judge.Opinion, error), error) {
	if o.tier == "" {
		return nil, nil
	}
	client := p.models()
	roles, err := p.roles(client.Tally().Add)
	if err != nil {
		return nil, err
	}
	never, hide := l.own.NeverSend, p.hider(l)
	return func(ctx context.Context, in judge.Asked) (out judge.Opinion, err error) {
		var diff strings.Builder
		for _, d := range in.Diffs {
			if patch.Match(never, d.Path) {
				out.Withheld = append(out.Withheld, d.Path)
				continue
			}
			diff.WriteString(hide(d.Text))
		}
		var doubts []string
		for _, words := range in.Doubts { // a short piece is known by the place that it is quoted from alone
			if !slices.ContainsFunc(out.Withheld, func(path string) bool { return strings.Contains(words, path) }) {
				doubts = append(doubts, hide(words))
			}
		}
		var fixed []string
		for _, id := range in.Fixed { // a test names itself as it likes
			fixed = append(fixed, hide(id))
		}
		if diff.Len() == 0 {
			out.Reason = "all that is changed is under never_send of the repository's settings"
			return out, nil
		}
		limit := task.Dollars(o.most) - *spent
		dear := errors.New("too dear")
		ask := func(ctx context.Context, r model.Request) (model.Reply, error) {
			if worst := client.Worst(r); out.Cost+worst > limit {
				return model.Reply{}, fmt.Errorf("%w: the call might cost %s, and --max-cost is %s", dear, worst, limit)
			}
			reply, err := client.Ask(ctx, r)
			out.Model, out.Cost, out.In, out.Out = reply.Model, out.Cost+reply.Cost, out.In+reply.TokensIn, out.Out+reply.TokensOut
			return reply, err
		}
		got, err := roles.Reviewer.Review(ctx, ask, agent.ReviewBrief{
			Task: task.Task{Title: hide(in.Title), Body: hide(in.Body)}, Tier: o.tier, Diff: diff.String(), Doubts: doubts,
			Evidence: agent.Evidence{Green: true, Proven: len(fixed) > 0, Fixed: fixed, Tier: o.tier},
		})
		var failed *model.Error
		switch {
		case ctx.Err() != nil:
			return out, context.Cause(ctx)
		case errors.Is(err, dear), errors.As(err, &failed): // the evidence decides alone
			out.Reason = err.Error()
		case err != nil:
			return out, err
		default:
			out.Verdict, out.Reason = got.Verdict, got.Reason
		}
		return out, nil
	}, nil
}
