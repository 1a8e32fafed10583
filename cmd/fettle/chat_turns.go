package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/task"
)

// order is a task as the flags and what was said in the chat have it.
func (t *chat) order(asked words, plan bool) (order, error) {
	f := t.flags.fix
	f.repo, f.scope, f.maxTier, f.tests = t.dir, t.kept.Scope, t.kept.MaxTier, t.kept.Tests
	o, _, err := f.order(t.p, t.costSaid)
	o.task = f.task(asked, t.dir)
	if plan {
		o.gates.Plan, o.gates.PlanFirst = true, true
	}
	o.over = t.kept.Over
	return o, err
}

// fixSaid is /fix: words, an issue on GitHub, or what is red.
func (t *chat) fixSaid(rest string) error {
	switch {
	case t.kept.Waiting != "":
		return usage("run %s waits for your answer; type y, n, or what is wrong with the plan", t.kept.Waiting)
	case rest == "":
		return t.green()
	case onGitHub(rest):
		asked, err := t.p.issue(t.c.Context(), rest, t.dir, strings.NewReader(""))
		if err != nil {
			return err
		}
		return t.begin(asked, t.plans())
	}
	return t.fix(rest)
}

func (t *chat) fix(text string) error { return t.words(text, t.plans()) }

func (t *chat) words(text string, plan bool) error {
	title, body, err := readIssue("-", strings.NewReader(text))
	if err != nil {
		return err
	}
	return t.begin(words{title: title, body: body}, plan)
}

// begin works on a task. What was asked before about the same matter is told with it.
func (t *chat) begin(asked words, plan bool) error {
	said := asked.body
	if len(t.kept.Matter) > 0 {
		asked.body += "\n\nAsked before, in this conversation:\n- " + strings.Join(t.kept.Matter, "\n- ")
	}
	o, err := t.order(asked, plan)
	if err != nil {
		return err
	}
	t.now.Kind = "fix"
	t.kept.Matter = append(t.kept.Matter[max(0, len(t.kept.Matter)-4):], cut(strings.Join(strings.Fields(asked.title+" "+said), " "), 400))
	return t.work(o, false, t.p.fix)
}

// green takes what is red for the task.
func (t *chat) green() error {
	o, err := t.order(words{}, false)
	if err != nil {
		return err
	}
	t.now.Kind = "fix"
	return t.work(o, true, t.p.untilGreen)
}

// work shows a run while it works, and says what came of it. all: its change is that of
// all runs that are not written, and not upon them.
func (t *chat) work(o order, all bool, do func(context.Context, *bot.Local, order) (string, error)) error {
	errs := t.c.ErrOrStderr()
	s := newShow(errs, t.g.quiet)
	o.watch = s.run
	pub := &bot.Local{Dir: t.dir, Show: s.progress}
	if screen, ok := liveOn(errs); ok && !t.g.quiet && t.person {
		s.live = startLive(t.c.Context(), screen, t.c.InOrStdin(), o.budget.Duration)
		t.p.log.SetOutput(s)
		defer t.p.log.SetOutput(errs)
	}
	ctx, cancel := stoppable(t.c.Context())
	defer cancel()
	id, err := do(ctx, pub, o)
	s.done()
	return t.came(ctx, id, pub.Summary, all, err)
}

// came says what came of a run, and keeps its change.
func (t *chat) came(ctx context.Context, id string, s bot.Summary, all bool, err error) error {
	t.now.Run, t.now.Outcome, t.now.Cost = id, s.Outcome, s.Cost
	switch put := asideOf(id, err); {
	case put != nil && put.until.IsZero():
		t.kept.Waiting = id
		return errors.Join(t.waits(), ending(exitWaits))
	case put != nil:
		return put.print(t.p, t.c.OutOrStdout(), t.c.ErrOrStderr(), false)
	case s.RunID == "" && err != nil:
		return err
	}
	if s.Outcome == task.Success && s.Diff != "" {
		if err := t.keep(ctx, s, all); err != nil {
			return err
		}
		s.NextAction = "/approve writes the change, /undo drops it; or say what should be different"
	}
	if s.Outcome == task.Rejected {
		s.NextAction = "say it again with what is missing: what was said before is known"
	}
	t.result = s
	s.Diff = someLines(s.Diff)
	if printed := printSummary(t.c.OutOrStdout(), s, false); printed != nil || err != nil {
		return errors.Join(printed, err)
	}
	return endingOf(s.Outcome, s.Draft)
}

// someLines is as much of a diff as a turn shows.
func someLines(diff string) string {
	const most = 120
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	if len(lines) <= most {
		return diff
	}
	return strings.Join(lines[:most], "\n") + fmt.Sprintf("\n… %d more lines; /diff shows all\n", len(lines)-most)
}

// keep adds a change to those that are not written, and records the whole of them as the
// folder's last run, which 'fettle apply' writes.
func (t *chat) keep(ctx context.Context, s bot.Summary, all bool) error {
	if all || len(t.kept.Over) == 0 {
		t.kept.Over, t.kept.Whole = []string{s.Diff}, &s
		return nil
	}
	return t.pile(ctx, append(slices.Clone(t.kept.Over), s.Diff), s.After(*t.kept.Whole))
}

// pile makes diffs that stand one upon the other what is not written.
func (t *chat) pile(ctx context.Context, over []string, s bot.Summary) error {
	tree, changes, before, err := t.p.seen(ctx, t.dir, over)
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := whole(changes, before, &s); err != nil {
		return err
	}
	t.kept.Over, t.kept.Whole = over, &s
	return (&bot.Local{Dir: t.dir, Base: before}).Finish(ctx, s, changes)
}

// waits shows what the run that waits has to ask.
func (t *chat) waits() error {
	db, err := t.p.openRuns(t.c.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := db.Run(t.c.Context(), t.kept.Waiting)
	if err != nil {
		return err
	}
	out := t.c.OutOrStdout()
	if r.Waiting == nil {
		t.kept.Waiting = ""
		return usage("run %s does not wait any more; 'fettle runs show %s' says how it stands", r.ID, r.ID)
	}
	if n := r.Waiting.Attempt; n > 0 {
		_, _ = lipgloss.Fprintln(out, colourDiff(t.p.funnel.Log(someLines(r.Saved.Change(n)))))
	}
	return printf(out, "%s\n\nYes to the %s? y, n, or say what is wrong with it\n", t.p.funnel.Log(r.Waiting.Words), r.Waiting.Kind)
}

// said is an answer to what a run waits with.
func (t *chat) said(text string) error {
	switch {
	case isYes(text):
		return t.reply(task.Answer{Approved: true})
	case yesOrNo(text):
		return t.undo("")
	}
	return t.reply(task.Answer{Feedback: text})
}

// reply gives an answer to the run that waits, which goes on with it.
func (t *chat) reply(a task.Answer) error {
	o, err := t.order(words{}, t.plans())
	if err != nil {
		return err
	}
	db, err := t.p.openRuns(t.c.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	a.By = whoami("the terminal")
	id := t.kept.Waiting
	if _, err := t.p.bot(db).Answer(t.c.Context(), id, a); err != nil {
		t.kept.Waiting = ""
		return usage("%w", err)
	}
	t.now.Kind, t.kept.Waiting = "fix", ""
	return t.work(o, false, func(ctx context.Context, pub *bot.Local, o order) (string, error) {
		return id, t.p.carry(ctx, db, pub, id, o)
	})
}

// plan shows the plan that waits, makes one of words, or says whether plans are shown first.
func (t *chat) plan(rest string) error {
	on, said := onOff(rest)
	switch {
	case said:
		t.kept.Plan = &on
	case rest != "" && t.kept.Waiting != "":
		return t.said(rest)
	case rest != "":
		return t.words(rest, true)
	case t.kept.Waiting != "":
		return t.waits()
	}
	words := "no plan waits; tasks begin at once"
	if t.plans() {
		words = "no plan waits; the next task shows its plan first"
	}
	return printLine(t.c.OutOrStdout(), words)
}

// approve is a yes: to a plan, or to a change, which is written then.
func (t *chat) approve(string) error {
	if t.kept.Waiting != "" {
		return t.reply(task.Answer{Approved: true})
	}
	all := t.kept.Whole
	if all == nil {
		return usage("nothing waits for your yes; say what is wrong")
	}
	paths, err := t.p.apply(t.c.Context(), t.dir, all.RunID, all.Diff)
	if err != nil {
		return err
	}
	t.kept.Matter, t.kept.Over, t.kept.Whole = nil, nil, nil
	words := "wrote " + clean(strings.Join(paths, ", ")) + "; /undo takes it back"
	if len(paths) == 0 {
		words = "the change is there already"
	}
	return printLine(t.c.OutOrStdout(), words)
}

// undo drops the plan that waits, or the last change that is not written, or takes back
// what was written last.
func (t *chat) undo(string) error {
	out := t.c.OutOrStdout()
	if t.kept.Waiting != "" {
		if err := t.stopWaiting(); err != nil {
			return err
		}
		return printLine(out, "dropped; say it otherwise, or something else")
	}
	n := len(t.kept.Over)
	if n == 0 {
		return undo(t.c.Context(), t.dir, out)
	}
	paths := t.kept.Whole.FilesChanged
	if n == 1 {
		t.kept.Over, t.kept.Whole, t.kept.Matter = nil, nil, nil
		return printf(out, "dropped the change of %s, which was not written\n", clean(strings.Join(paths, ", ")))
	}
	if err := t.pile(t.c.Context(), t.kept.Over[:n-1], *t.kept.Whole); err != nil {
		return err
	}
	return printf(out, "dropped the last change; %s before it %s not written\n", task.Count(n-1, "change"), map[bool]string{true: "is", false: "are"}[n == 2])
}

// stopWaiting ends the run that waits.
func (t *chat) stopWaiting() error {
	ctx := t.c.Context()
	db, err := t.p.openRuns(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	id := t.kept.Waiting
	t.kept.Waiting = ""
	if err := db.AskCancel(ctx, id, "dropped in the chat"); err != nil {
		return err
	}
	r, err := db.Run(ctx, id)
	if err != nil {
		return err
	}
	if t.now.Cost = r.Cost; r.State != task.StateDone { // nobody works on it: it ends itself here
		return t.p.work(ctx, db, &bot.Local{Dir: t.dir}, id, order{over: t.kept.Over})
	}
	return nil
}

// diff shows what is not written.
func (t *chat) diff(string) error {
	if t.kept.Whole == nil {
		return printLine(t.c.OutOrStdout(), "no change is waiting to be written; 'git diff' shows what is in the files")
	}
	return coloured(t.c.OutOrStdout(), colourDiff(t.p.funnel.Log(t.kept.Whole.Diff)))
}
