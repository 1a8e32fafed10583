package agent

import (
	"context"
	"strings"

	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// Triager says whether work on an issue may begin. It sees the words
// and nothing else.
type Triager struct{ role }

const (
	triageTokens = 80
	triageBytes  = 6 << 10 // of the prompt: what an issue wants stands at its beginning
)

// Triage asks the nano tier once. It gives nil where the model gives no usable
// answer. The error is Ask's, for what is not the model's fault.
func (t *Triager) Triage(ctx context.Context, ask Ask, about task.Task) (*answer.Triaged, error) {
	about.Hint = "" // a maintainer's words are no part of the issue
	data := func() any {
		v := newView()
		v.Task = taskOf(about)
		return v
	}
	less := func(over int) bool {
		n := max(0, len(about.Body)-over-64)
		shorter := n < len(about.Body)
		about.Body = strings.ToValidUTF8(about.Body[:n], "")
		return shorter
	}
	req, err := t.request("triage", triageBytes, data, less)
	if err != nil {
		return nil, err
	}
	req.Tier, req.Agent, req.MaxTokens = task.TierNano, "triager", triageTokens
	got, _, err := answer.Triage.AskWith(ctx, answer.Ask(ask), req, answer.Options[answer.Triaged]{Count: t.count, Max: 1})
	switch {
	case err != nil && unanswered(ctx, err):
		return nil, nil //nolint:nilnil // no opinion is none
	case err != nil:
		return nil, err
	}
	return &got, nil
}
