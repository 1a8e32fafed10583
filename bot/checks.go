package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// mostCheckRuns is how many follow-ups a pull request gets for red checks.
const mostCheckRuns = 2

// Bounds of what a check says that is passed on.
const (
	mostNotes   = 20
	mostSummary = 4000
)

// checked follows a red check on a commit of fettle's up, when all checks of the
// commit have ended: not where the base is red by the same name, not for a commit
// of somebody else, at most twice on a pull request. Whether the failure is there by
// chance is seen in the sandbox, where the tests are repeated before anything is
// changed.
func (a *App) checked(ctx context.Context, ev task.Event) (string, error) {
	p, err := a.pullOfCheck(ctx, ev)
	switch {
	case err != nil:
		return "", err
	case p == nil:
		return "ignored: no open pull request of fettle's has this commit", nil
	case p.Head != ev.Check.HeadSHA:
		return "ignored: the commit is not the last that fettle put on the branch", nil
	}
	all, err := a.app.Forge.Checks(ctx, ev.Repo, ev.Check.HeadSHA)
	if err != nil {
		return "", err
	}
	var red []task.CheckEnd
	for _, c := range all {
		switch {
		case c.Conclusion == "" && c.AppID != 0: // another of its events comes when it has ended
			return "waits for the check " + c.Name, nil
		case c.Red():
			red = append(red, c)
		}
	}
	if len(red) == 0 {
		return "nothing is red", a.ciEnded(ctx, *p, ev.Check.HeadSHA, "")
	}
	if err := a.later(ctx, ev, *p); err != nil {
		return "", err
	}
	runs, err := a.earlier(ctx, *p)
	if err != nil {
		return "", err
	}
	n := 0
	for _, r := range runs {
		if r.Task.Follow.Kind != task.FollowCheck {
			continue
		}
		if r.Task.Follow.Check.HeadSHA == ev.Check.HeadSHA {
			return "this commit's checks were followed up", nil
		}
		n++
	}
	base, err := a.app.Forge.Checks(ctx, ev.Repo, p.Base)
	if err != nil {
		return "", err
	}
	mine := slices.DeleteFunc(slices.Clone(red), func(c task.CheckEnd) bool {
		return slices.ContainsFunc(base, func(b task.CheckEnd) bool { return b.Name == c.Name && b.Red() })
	})
	if len(mine) > 0 {
		if err := a.ciEnded(ctx, *p, ev.Check.HeadSHA, names(mine)); err != nil {
			return "", err
		}
	}
	key := "check-" + ev.Check.HeadSHA
	switch {
	case len(mine) == 0:
		_, err := a.app.Forge.Comment(ctx, ev.Repo, p.Number, key, fmt.Sprintf("%s is red here, and on `%s` too: that is not of this change, so nothing is done about it.", names(red), codeSpan(p.Base)))
		return "red on the base too", err
	case n >= mostCheckRuns:
		_, err := a.app.Forge.Comment(ctx, ev.Repo, p.Number, key, fmt.Sprintf("%s is still red after %s. Look at it, and say `/fettle fix` with what to do, or push to the branch.", names(mine), task.Count(n, "follow-up")))
		if err == nil {
			err = a.app.Forge.StateLabel(ctx, ev.Repo, p.Issue, labelHuman)
		}
		return "red, and followed up often enough", err
	}
	notes, err := a.app.Forge.Annotations(ctx, ev.Repo, mine[0].ID)
	if err != nil {
		return "", err
	}
	first := mine[0]
	return a.follow(ctx, ev, *p, asks{
		title: fmt.Sprintf("make the check %s pass", oneLine(first.Name, 40)), body: checkBody(mine, notes), origin: task.OriginCheck,
		follow: task.Follow{Kind: task.FollowCheck, Check: &first, Comments: []int64{}},
	})
}

// pullOfCheck is the open pull request of fettle's that a check is on.
func (a *App) pullOfCheck(ctx context.Context, ev task.Event) (*store.Pull, error) {
	if ev.Check.Branch != "" {
		if p, err := a.firstPull(ctx, ev.Repo, store.PullFilter{Branch: ev.Check.Branch, Open: true}); err != nil || p != nil {
			return p, err
		}
	}
	for _, n := range ev.Check.Pulls {
		if p, err := a.firstPull(ctx, ev.Repo, store.PullFilter{Number: n, Open: true}); err != nil || p != nil {
			return p, err
		}
	}
	return nil, nil
}

func names(checks []task.CheckEnd) string {
	var out []string
	for _, c := range checks {
		out = append(out, "`"+codeSpan(c.Name)+"`")
	}
	return strings.Join(out, ", ")
}

// checkBody is what red checks say of a commit.
func checkBody(red []task.CheckEnd, notes []task.Annotation) string {
	var b strings.Builder
	for _, c := range red {
		fmt.Fprintf(&b, "The check %s is red%s.\n\n", c.Name, prefixed(": ", c.Title))
		if c.Summary != "" {
			fmt.Fprintf(&b, "%s\n\n", cut(c.Summary, mostSummary))
		}
	}
	for i, n := range notes {
		if i == mostNotes {
			fmt.Fprintf(&b, "- %d more\n", len(notes)-i)
			break
		}
		fmt.Fprintf(&b, "- %s:%d: %s\n", n.Path, n.Line, oneLine(strings.TrimSpace(n.Title+" "+n.Message), 300))
	}
	return b.String()
}
