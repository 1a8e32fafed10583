package agent

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// Developer writes the edits of one step.
type Developer struct {
	role
	limits Limits
}

// Develop asks the tier for edits, over as many turns as its questions need
// and the limits allow. Tier 1 sees the task, the failures and its own last
// attempt, tier 2 the failed attempts, tier 3 all of them and the decisions of
// the ladder. The error is a *Malformed when three answers could not be read,
// else what Ask or a tool said; edits that were kept before it are in the
// answer all the same.
func (d *Developer) Develop(ctx context.Context, ask Ask, b Brief) (Answer, error) {
	req, err := d.prompt(promptOf(b), b)
	if err != nil {
		return Answer{}, err
	}
	return converse(ctx, ask, req, b, d.limits, d.count)
}

// Order is the brief in one text, for an agent that has hands of its own and looks at the
// files itself.
func (d *Developer) Order(b Brief) (model.Request, error) {
	b.Shown = Shown{Facts: b.Shown.Facts}
	req, err := d.prompt("developer-command", b)
	req.System, req.User = "", req.System+"\n\n"+req.User
	return req, err
}

// converse goes on from a prompt until the conversation ends. Of the brief, its
// tools, its Permit and its size count.
func converse(ctx context.Context, ask Ask, req model.Request, b Brief, limits Limits, count func(model.Kind)) (Answer, error) {
	c := &conversation{brief: b, limits: limits, asked: map[string]int{}}
	for {
		v, err := c.next(ctx, ask, req, count)
		if err != nil {
			return c.answer(""), err
		}
		over, err := c.take(ctx, v)
		if err != nil {
			return c.answer(""), err
		}
		if over != "" {
			return c.answer(over), nil
		}
	}
}

// shortestBody is what of a long issue is always shown, in bytes.
const shortestBody = 2000

// prompt renders the brief, leaving out the oldest attempts but one, then what is
// the least likely of the code, then the last attempt, then the middle of the
// issue, until it fits the tier's window.
func (d *Developer) prompt(name string, b Brief) (model.Request, error) {
	b.Attempts = shown(b)
	data := func() any { return viewOf(b, d.limits.Turns) }
	less := func(over int) bool {
		switch {
		case len(b.Attempts) > 1:
			b.Attempts = b.Attempts[1:]
		case b.Shown.less():
		case len(b.History)+len(b.Precedents)+len(b.Warnings)+len(b.Advice) > 0:
			b.History, b.Precedents, b.Warnings, b.Advice = nil, nil, nil, nil
		case len(b.Attempts) > 0:
			b.Attempts = nil
		default:
			return cut(&b.Task.Body, over, shortestBody)
		}
		return true
	}
	req, err := d.request(name, window(b.MaxBytes), data, less)
	req.Tier, req.Agent = b.Tier, "developer"
	return req, err
}

// promptOf is the prompt of a tier; one that is not on the ladder gets the
// first, and a small window a form of its own.
func promptOf(b Brief) string {
	switch {
	case b.Small:
		return "developer-small"
	case b.Tier == task.Tier2, b.Tier == task.Tier3:
		return "developer-" + string(b.Tier)
	}
	return "developer-tier1"
}

func viewOf(b Brief, turns int) *view {
	v := newView()
	v.Task, v.Feedback = taskOf(b.Task), foreign(b.Feedback)
	if !b.Plan.Whole() {
		v.Plan, v.Step = planOf(b.Plan), stepOf(b.Step)
		for i := range v.Plan.Steps {
			v.Plan.Steps[i].Done, v.Plan.Steps[i].Now = i < len(b.Done), i == len(b.Done)
		}
	}
	v.Done, v.Shown = doneOf(b.Done), shownOf(b.Shown)
	v.Failures, v.Strategies = beside(b.Failures, 5, b.Shown.Tests, b.Red), strategiesFor(b.Failures, wantedStatus(b.Task))
	v.Attempts = attemptsOf(b.Attempts, 5)
	for i, a := range b.Attempts {
		if said := strings.TrimRight(b.Feedback, ". \n"); said != "" && v.Attempts[i].Why != "" && strings.Contains(a.Why, said) {
			v.Attempts[i].Why, v.Attempts[i].Below = "", true
		}
	}
	v.Regenerate, v.NeedsTest, v.MayTest, v.TestDirs = b.Regenerate, b.NeedsTest, b.MayTest, dirsOf(b.TestDirs)
	v.Tools, v.Checks, v.Turns = b.Tools != nil, foreigns(b.Checks), turns
	v.Warnings, v.Said = foreigns(b.Warnings), foreigns(b.Advice)
	v.Precedents = precedentsOf(b.Precedents)
	switch b.Tier {
	case task.Tier3:
		v.History = foreigns(b.History)
	case task.Tier2:
	default:
		v.Precedents = v.Precedents[:min(1, len(v.Precedents))]
	}
	return v
}

// shown are the attempts that a tier sees.
func shown(b Brief) []task.Attempt {
	var models []task.Attempt
	for i, a := range b.Attempts {
		// What a search found is shown where the feedback speaks of it, or where it is the
		// change that first comes to mind: it made a test green.
		if a.Tier != task.TierMechanical || a.Diff != "" && (len(a.Fixed) > 0 || b.Feedback != "" && i == len(b.Attempts)-1) {
			models = append(models, a)
		}
	}
	keep := map[task.Tier]int{task.Tier1: 1, task.Tier2: 5, task.Tier3: len(models)}[b.Tier]
	return models[max(0, len(models)-keep):]
}

// editKinds are the actions that change something.
var editKinds = map[string]task.EditKind{
	answer.ReplaceRegion: task.EditReplace, answer.InsertAfter: task.EditInsert, answer.DeleteRegion: task.EditDelete, answer.CreateFile: task.EditCreate,
	answer.AddImport: task.EditImport, answer.SearchReplace: task.EditSearch, answer.WholeFile: task.EditFile,
}

func editOf(a answer.Action) (task.Edit, bool) {
	kind, ok := editKinds[a.Action]
	return task.Edit{Kind: kind, Path: a.Path, Region: a.Region, Code: a.Code, Signature: a.Signature}, ok
}

func newTests(p task.Patch) []string {
	var out []string
	for _, e := range p.Edits {
		if e.Kind == task.EditCreate && code.IsTest(path.Clean(e.Path)) {
			out = append(out, path.Clean(e.Path))
		}
	}
	return out
}

// targetOf names what an action is about, for the record and for telling
// repetitions.
func targetOf(a answer.Action) string {
	switch {
	case a.Region != "":
		return a.Path + "::" + a.Region
	case a.Query != "" && a.Path != "":
		return fmt.Sprintf("%s in %s", a.Query, a.Path)
	}
	return a.Path + a.Query + a.Check
}
