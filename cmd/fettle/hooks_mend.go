package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/hooks/prepush"
)

// mend tries to mend a red push where the person wants it, and offers what comes of
// it as a commit of its own. What is pushed cannot be changed any more: the push
// stays stopped.
func (h *pushed) mend(ctx context.Context, p prepush.Push, src source, r check.Result) error {
	switch h.set.Fix {
	case prepush.Off:
		return nil
	case prepush.Ask:
		yes, err := confirm(ctx, fmt.Sprintf("fettle: try to mend it, for at most %s?", h.set.FixTime))
		if errors.Is(err, errNoTerminal) {
			fmt.Fprintln(h.out, "fettle: fettle.fixOnPush is ask, and there is no terminal to ask at: nothing is mended")
			return nil
		}
		if err != nil || !yes {
			return err
		}
	}
	boxed := h.parts
	if h.set.Trusted { // one's own code is; what a model writes is not
		var err error
		if boxed, err = h.load(h.out); err != nil {
			return err
		}
		defer boxed.close()
	}
	title, body := issueOf(r)
	show := newShow(h.out, h.quiet)
	pub := &bot.Local{Dir: src.dir, Show: show.progress}
	budget := boxed.set.Budget
	budget.Duration = min(budget.Duration, h.set.FixTime)
	run, cancel := stoppable(ctx)
	defer cancel()
	_, err := boxed.fix(run, pub, task.Task{Title: title, Body: body, Origin: task.OriginCLI, Repo: task.Repo{Dir: src.dir}}, budget, patch.Guard{}, boxed.set.Gates)
	show.done()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s := pub.Summary
	switch {
	case s.Outcome != task.Success || s.Diff == "":
		why := s.Reason
		if why == "" && err != nil {
			why = err.Error()
		}
		fmt.Fprintf(h.out, "fettle: not mended: %s\n", h.funnel.Log(why))
		return nil
	case s.Draft:
		fmt.Fprintf(h.out, "fettle: a change makes it green, and is a draft: %s\n", h.funnel.Log(strings.Join(s.DraftReasons, "; ")))
	default:
		fmt.Fprintln(h.out, "fettle: mended")
	}
	if _, err := lipgloss.Fprintln(h.out, colourDiff(h.funnel.Log(s.Diff))); err != nil { // without colours where it is no terminal
		return err
	}
	return h.offer(ctx, p, s)
}

// offer makes a commit of the change, and puts it on the branch if the person says so.
func (h *pushed) offer(ctx context.Context, p prepush.Push, s bot.Summary) error {
	hash, err := h.repo.Commit(ctx, p.Tip, s.Diff, h.funnel.Message(offerMessage(s)))
	if err != nil {
		return err
	}
	branch := ""
	for _, u := range p.Updates {
		if strings.HasPrefix(u.Local, "refs/heads/") {
			branch = u.Local
		}
	}
	if h.set.Fix == prepush.Ask && branch != "" {
		yes, err := confirm(ctx, fmt.Sprintf("fettle: add it to %s, as a commit of its own (%.12s)?", branchOf(branch), hash))
		if err != nil {
			return err
		}
		if yes {
			if err := h.repo.Take(ctx, branch, p.Tip, hash); err != nil {
				fmt.Fprintf(h.out, "fettle: not added: %s\n", h.funnel.Log(err.Error()))
				return nil
			}
			fmt.Fprintf(h.out, "fettle: added to %s. This push is stopped, as Git has settled what it sends: push again\n", branchOf(branch))
			return nil
		}
	}
	fmt.Fprintf(h.out, "fettle: it waits as a commit of its own, %.12s. Look at it: git show %.12s. Take it: git merge --ff-only %.12s. Then push again\n", hash, hash, hash)
	return nil
}

// offerMessage is a conventional commit.
func offerMessage(s bot.Summary) string {
	what := s.Explanation
	if what == "" {
		what = "make the checks green again"
	}
	title, _, _ := strings.Cut(what, "\n")
	return fmt.Sprintf("fix: %s\n\nMade by fettle when a push was red.\n\nFettle-Tier: %s\nFettle-Attempts: %d\nFettle-Cost: %s\n", cut(clean(title), 68), s.Tier, s.Attempts, s.Cost)
}

// maxTold bounds the failures that the issue of a red push tells.
const maxTold = 5

// issueOf makes an issue of red checks: the failing tests by their names, with what
// they say.
func issueOf(r check.Result) (title, body string) {
	var b strings.Builder
	n := 0
	for _, f := range r.Failures() {
		if n++; n > maxTold {
			break
		}
		name := strings.TrimSpace(testOf(f))
		if name == "" {
			name = whereOf(f)
		}
		if title == "" {
			title = cut("The check is red: "+name, 120)
		}
		fmt.Fprintf(&b, "%s fails: %s%s\n", name, check.Title(f), rest(f))
		if where := whereOf(f); where != "" {
			fmt.Fprintf(&b, "at %s\n", where)
		}
	}
	return title, b.String()
}

var errNoTerminal = errors.New("there is no terminal to ask at")

// confirm asks at the terminal: standard input holds Git's lines.
func confirm(ctx context.Context, question string) (bool, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false, errNoTerminal
	}
	defer tty.Close()
	fmt.Fprintf(tty, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(tty).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer: // the end of what is typed is no yes
		return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y"), nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
