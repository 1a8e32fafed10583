package agent

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// conversation is one attempt of a developer. The prompt only grows, so that a
// provider's cache can be used: what was asked for, and what came of it, stand
// behind the brief.
//
//	answer ─► questions answered, edits kept ─► next answer … ─► finish
//
// An answer with edits and without questions ends it too: asking for a
// separate "finish" would cost a turn and say nothing.
type conversation struct {
	brief  Brief
	limits Limits
	log    []entry // what the prompt ends with, a turn each

	turns, actions, tokens int
	malformed              int
	final                  bool           // no answer follows the one asked for
	asked                  map[string]int // how often each action came
	idle                   int            // "finish" with nothing done
	edits                  []task.Edit
	explanation, refused   string
	done                   []Done
	read                   []string // places that were shown, as targets of a step
	repairs                []string
}

// next asks for the next answer.
func (c *conversation) next(ctx context.Context, ask Ask, req model.Request, count func(model.Kind)) (answer.Actions, error) {
	req = c.prompt(req, "Give your edits, or finish.")
	counted := func(ctx context.Context, r model.Request) (model.Reply, error) {
		reply, err := ask(ctx, r)
		c.tokens += reply.TokensIn + reply.TokensOut
		return reply, err
	}
	v, report, err := answer.Developer.AskWith(ctx, counted, req, answer.Options[answer.Actions]{
		Max: answer.MaxMalformed - c.malformed,
		Count: func(k model.Kind) {
			c.malformed++
			if count != nil {
				count(k)
			}
		},
	})
	if err != nil {
		return v, err
	}
	c.turns++
	c.repairs = append(c.repairs, report.Repairs...)
	if v.Explanation != "" {
		c.explanation = v.Explanation
	}
	return v, nil
}

// prompt is a request with what was asked for so far, and whether the answer is the last.
func (c *conversation) prompt(req model.Request, wanted string) model.Request {
	for _, e := range c.log {
		req.User += e.text
	}
	if c.final = c.last(); c.final && c.turns > 0 {
		req.User += "\n\nThis is your last answer: no question is answered any more. " + wanted
	}
	return req
}

// last tells whether the answer to come is the last one. When the tokens are
// used up, one more answer is taken: what was read shall not be for nothing.
func (c *conversation) last() bool {
	turns := c.limits.Turns
	if c.brief.Tools == nil {
		turns = min(turns, toolless)
	}
	return c.turns+1 >= turns || c.actions >= c.limits.Actions || c.tokens >= c.limits.Tokens
}

// toolless is how many answers a developer without tools may give: there is
// nothing to ask for, but a refused edit or an empty "finish" can be mended.
const toolless = 3

// take does what an answer asks for, as far as it may. The ending is empty
// when the developer goes on.
func (c *conversation) take(ctx context.Context, v answer.Actions) (Ending, error) {
	turn := &results{left: min(c.limits.TurnBytes, c.room()/2)}
	finish, open := false, false
	for i, a := range v.Actions {
		if c.actions++; c.actions > c.limits.Actions {
			return OutOfTurns, nil
		}
		if a.Action == answer.Finish {
			finish = true
			c.note(a, "kept", 0, 0)
			continue
		}
		times := c.times(a)
		if times >= 3 {
			c.note(a, "repeated", 0, 0)
			return Repeating, nil
		}
		asks, err := c.one(ctx, turn, i+1, a, times)
		if err != nil {
			return "", err
		}
		open = open || asks
	}
	switch {
	case len(c.edits) > 0 && (!open || finish && !turn.refused):
		return Finished, nil
	case finish && !open:
		if c.idle++; c.idle > 1 || c.final || c.brief.mayDecline && c.explanation != "" {
			return NothingDone, nil
		}
		turn.say("You finished, but nothing was changed. Give the edits of the step; if no change is needed, say why and finish again.")
	case c.final:
		return OutOfTurns, nil
	}
	c.append(v, turn)
	return "", nil
}

// one does a single action. asks tells that its result has to be shown before
// the developer can go on.
func (c *conversation) one(ctx context.Context, turn *results, n int, a answer.Action, times int) (asks bool, err error) {
	if e, is := editOf(a); is {
		return c.keep(ctx, turn, n, a, e)
	}
	if times == 2 {
		c.note(a, "repeated", 0, 0)
		turn.say(fmt.Sprintf("Action %d (%s %s): you asked exactly this before. Its result stands above and has not changed; a third time ends this attempt. Ask for something else, or give your edits.", n, a.Action, line(targetOf(a))))
		return true, nil
	}
	if a.Action == answer.RunCheck && len(c.edits) > 0 { // fettle runs all of them on the change
		c.note(a, "ignored", 0, 0)
		turn.say(fmt.Sprintf("Action %d (run_check): all checks are run on your change when you finish.", n))
		return false, nil
	}
	text, err := c.tool(ctx, a)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case errors.Is(err, ErrFatal):
		return false, err
	case err != nil:
		c.note(a, "failed", 0, 0)
		turn.say(fmt.Sprintf("Action %d (%s %s) failed: %s", n, a.Action, line(targetOf(a)), line(err.Error())))
		return true, nil
	}
	size, room := turn.show(fmt.Sprintf("Action %d (%s %s):", n, a.Action, line(targetOf(a))), text, c.limits.ResultBytes)
	if !room {
		c.asked[key(a)]-- // it may be asked for again
		c.note(a, "failed", 0, 0)
		return true, nil
	}
	if a.Action == answer.ReadRegion {
		c.read = append(c.read, targetOf(a))
	}
	c.note(a, "shown", size, hiddenIn(text))
	return true, nil
}

func (c *conversation) tool(ctx context.Context, a answer.Action) (string, error) {
	t := c.brief.Tools
	if t == nil {
		return "", errors.New("there are no tools in this run; give your edits")
	}
	switch a.Action {
	case answer.ReadRegion:
		return t.ReadRegion(ctx, a.Path, a.Region)
	case answer.Search:
		return t.Search(ctx, a.Query, a.Path)
	case answer.ListFiles:
		return t.ListFiles(ctx, a.Path)
	case answer.RunCheck:
		return t.RunCheck(ctx, a.Check)
	case answer.Outline:
		return t.Outline(ctx, a.Path)
	case answer.TryCode:
		return t.Try(ctx, a.Path, a.Query)
	}
	return "", fmt.Errorf("%s is no action", a.Action)
}

// keep adds an edit to those of the attempt, in place of one with the same
// target from an earlier answer. heard tells that the developer has to hear of
// it. Two different edits of one target in the same answer are both kept: the
// patch refuses them together.
func (c *conversation) keep(ctx context.Context, turn *results, n int, a answer.Action, e task.Edit) (heard bool, err error) {
	said := fmt.Sprintf("Action %d (%s %s)", n, a.Action, line(targetOf(a)))
	if c.brief.Permit != nil {
		if err := c.brief.Permit(ctx, e); err != nil {
			return true, c.refuse(turn, a, said, err)
		}
	}
	for i, old := range c.edits {
		again := slices.Contains(turn.fresh, old)
		switch {
		case old == e && (!again || exclusive(e.Kind)):
			c.note(a, "repeated", 0, 0)
			turn.say(said + " was already kept.")
			return false, nil
		case !again && sameTarget(old, e):
			c.note(a, "kept", len(e.Code), 0)
			turn.say(said + " was kept in place of the earlier one.")
			c.edits[i] = e
			turn.fresh = append(turn.fresh, e)
			return false, nil
		}
	}
	c.note(a, "kept", len(e.Code), 0)
	turn.say(said + " was kept.")
	c.edits = append(c.edits, e)
	turn.fresh = append(turn.fresh, e)
	return false, nil
}

// refuse tells the developer why an edit was not kept, with the code as it is.
func (c *conversation) refuse(turn *results, a answer.Action, said string, err error) error {
	if errors.Is(err, ErrFatal) {
		return err
	}
	c.note(a, "refused", 0, 0)
	c.refused, turn.refused = err.Error(), true
	said = fmt.Sprintf("%s was refused: %s", said, line(err.Error()))
	if stale := (*Stale)(nil); errors.As(err, &stale) && stale.Code != "" {
		turn.show(said+"\nIt reads now:", stale.Code, c.limits.ResultBytes)
		return nil
	}
	turn.say(said)
	return nil
}

// sameTarget tells edits of which a later one replaces an earlier one.
func sameTarget(a, b task.Edit) bool {
	return path.Clean(a.Path) == path.Clean(b.Path) && a.Region == b.Region && exclusive(a.Kind) && exclusive(b.Kind)
}

// exclusive tells the edits of which a target can take only one.
func exclusive(k task.EditKind) bool {
	return k != task.EditInsert && k != task.EditImport && k != task.EditSearch
}

// times counts an action with the same arguments, this time included. An edit
// is the same with the same code.
func (c *conversation) times(a answer.Action) int {
	k := key(a)
	c.asked[k]++
	return c.asked[k]
}

func key(a answer.Action) string {
	sum := sha256.Sum256([]byte(a.Code))
	return strings.Join([]string{a.Action, path.Clean(a.Path), a.Region, strings.Join(strings.Fields(a.Query), " "), a.Check, string(sum[:])}, "\x00")
}

func (c *conversation) note(a answer.Action, result string, size, hidden int) {
	c.done = append(c.done, Done{Action: a.Action, Target: line(targetOf(a)), Result: result, Bytes: size, Hidden: hidden})
}

// entry is a turn as the prompt shows it.
type entry struct {
	text string
	head string   // stands for it when there is no room for the text
	keys []string // of the questions that it answers
}

// append puts a turn behind the prompt: what the developer asked for, in
// fettle's words, and the results. Where a model's window is small, the oldest
// results make room; they may be asked for again.
func (c *conversation) append(v answer.Actions, turn *results) {
	e := entry{head: fmt.Sprintf("\n\nYour answer %d asked for %d actions.", c.turns, len(v.Actions))}
	for _, a := range v.Actions {
		e.keys = append(e.keys, key(a))
	}
	e.text = e.head + " What came of them:\n" + turn.text.String()
	if v.Explanation != "" {
		e.text += "\nYour words: " + line(v.Explanation)
	}
	e.text += fmt.Sprintf("\nGo on in the same form. %d answers are left.", c.limits.Turns-c.turns)
	c.log = append(c.log, e)
	size := 0
	for i := len(c.log) - 1; i >= 0; i-- {
		old := &c.log[i]
		if size += len(old.text); size <= c.room() || i == len(c.log)-1 || old.keys == nil {
			continue
		}
		size -= len(old.text)
		old.text = old.head + " Its results were left out for lack of room."
		for _, k := range old.keys {
			delete(c.asked, k)
		}
		old.keys = nil
	}
}

// room is how many bytes all results together may take: half of what the
// brief may.
func (c *conversation) room() int { return window(c.brief.MaxBytes) / 2 }

func (c *conversation) answer(e Ending) Answer {
	p := task.Patch{Edits: c.edits}
	return Answer{Patch: p, Explanation: strings.TrimSpace(c.explanation), NewTests: newTests(p), Refused: c.refused, Ending: e, Turns: c.turns, Actions: c.done, Repairs: c.repairs}
}
