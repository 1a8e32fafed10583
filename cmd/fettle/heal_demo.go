package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// healDemoWithin is when the demo gives up: it promises to end by itself.
const healDemoWithin = 8 * time.Minute

func healDemo(g *global) *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Walk through degraded, quarantined, recovering and a rollback, with real runs", Args: noArgs,
		Long: `demo starts a GitHub simulator and a server, as 'fettle demo' does, and lets it mend
issues. Failures are injected until the repository is degraded and then quarantined; a
maintainer releases it, it recovers by mending issues, and what was learned is taken
back when runs end worse with it. Each state is named as it is entered, with what the
issue, the pull request, 'fettle health' and /readyz show. It ends by itself.`,
		RunE: g.with(func(c *cobra.Command, p *parts, _ []string) (err error) {
			state, err := os.MkdirTemp("", "fettle-heal-demo-")
			if err != nil {
				return fmt.Errorf("making a folder for the demo: %w", err)
			}
			defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
			dir, title, body, err := (&demoFlags{sample: "beds"}).source(nil, state)
			if err != nil {
				return err
			}
			set := *p.set
			set.Tiers, set.File = nil, filepath.Join(state, "config.yml") // mechanical repair alone; the policy is the default
			p.set = &set
			ctx, done := context.WithTimeoutCause(c.Context(), healDemoWithin, fmt.Errorf("the demo did not end within %s", healDemoWithin))
			defer done()
			d := &demo{parts: p, dir: dir, title: title, body: body, state: state, show: newShow(io.Discard, true)}
			return (&healWalk{demo: d, out: c.OutOrStdout()}).walk(ctx)
		}),
	}
}

// healWalk is the walk through the states.
type healWalk struct {
	*demo
	out   io.Writer
	w     *demoWorld
	db    *store.Store
	heal  *heal.Heal
	repo  task.Repo
	asked int
}

func (h *healWalk) say(format string, args ...any) { fmt.Fprintf(h.out, format+"\n", args...) }

func (h *healWalk) walk(ctx context.Context) (err error) {
	if h.w, err = h.start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.w.end()) }()
	if h.db, err = h.openStore(ctx); err != nil {
		return err
	}
	defer h.db.Close()
	if h.heal, err = h.parts.heal(h.db); err != nil {
		return err
	}
	h.repo = task.Repo{Installation: h.w.sim.Snapshot(demoOwner, h.w.name).Installation, Owner: demoOwner, Name: h.w.name}
	for _, step := range []func() error{h.healthy, h.degraded, h.quarantined, h.released, h.recovered, h.rolledBack} {
		if err := step(); err != nil {
			return err
		}
	}
	h.say("\nThe demo is over: degraded, quarantined, recovering, healthy and a rollback were seen.")
	return nil
}

// state waits until the repository's workflow stands in a state, and says so.
func (h *healWalk) state(want heal.State) error {
	for {
		s, err := h.heal.Status(h.w.ctx)
		if err != nil {
			return err
		}
		now := heal.Standing{State: heal.Healthy, Repo: h.repo.Slug(), Class: heal.ClassFix, Limit: s.Policy.Workflow.Failures}
		for _, w := range s.Workflows {
			if w.Class == heal.ClassFix {
				now = w
			}
		}
		if now.State == want {
			h.say("\n== %s", want)
			if len(s.Moves) > 0 {
				h.say("log            %s", s.Moves[0].Report())
			}
			h.say("fettle health  %s %s, %d of %d failures in the window", now.State, now.Place(), now.Failures, now.Limit)
			return h.readyz()
		}
		if err := h.pause(); err != nil {
			return fmt.Errorf("waiting for the state %s, it is %s: %w", want, now.State, err)
		}
	}
}

func (h *healWalk) pause() error {
	select {
	case <-h.w.ctx.Done():
		return context.Cause(h.w.ctx)
	case err := <-h.w.served:
		h.w.served <- err
		return errors.Join(errors.New("the server ended"), err)
	case <-time.After(50 * time.Millisecond):
		return nil
	}
}

func (h *healWalk) readyz() error {
	req, err := http.NewRequestWithContext(h.w.ctx, http.MethodGet, h.w.url+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	h.say("GET /readyz    %s %s", res.Status, strings.TrimSpace(string(body)))
	return err
}

// mend files an issue, and waits until its run has ended.
func (h *healWalk) mend(title, body string) (task.Run, error) {
	h.asked++
	n, err := h.w.file(fmt.Sprintf("%s (%d)", title, h.asked), body)
	if err != nil {
		return task.Run{}, err
	}
	for {
		runs, err := h.db.Runs(h.w.ctx, store.Filter{Issue: n, Limit: 1})
		if err != nil {
			return task.Run{}, err
		}
		if len(runs) > 0 && runs[0].State == task.StateDone {
			h.seen(runs[0])
			return runs[0], nil
		}
		if err := h.pause(); err != nil {
			return task.Run{}, fmt.Errorf("waiting for the run on issue #%d: %w", n, err)
		}
	}
}

// seen says what stands on GitHub after a run.
func (h *healWalk) seen(r task.Run) {
	h.say("run            %s on issue #%d: %s%s", r.ID, r.Task.Issue, r.Outcome, map[bool]string{true: ", a draft"}[r.Result != nil && r.Result.Draft])
	if r.Result == nil || r.Result.Published.PullRequest == nil {
		return
	}
	for _, pr := range h.w.sim.Snapshot(demoOwner, h.w.name).Pulls {
		if pr.Number == r.Result.Published.PullRequest.Number {
			h.say("pull request   #%d draft=%v", pr.Number, pr.Draft)
		}
	}
	if r.Result.Care != "" {
		h.say("               %s", r.Result.Care)
	}
}

// marker is hidden on GitHub.
var marker = regexp.MustCompile(`<!--.*?-->`)

// comment waits for a comment of fettle's on an issue that holds some words.
func (h *healWalk) comment(issue int, words string) error {
	for {
		for _, i := range h.w.sim.Snapshot(demoOwner, h.w.name).Issues {
			for _, c := range i.Comments {
				if i.Number == issue && c.Author != demoUser && strings.Contains(c.Body, words) {
					first, _, _ := strings.Cut(strings.TrimSpace(marker.ReplaceAllString(c.Body, "")), "\n\n")
					h.say("issue #%d       %s", issue, strings.Join(strings.Fields(first), " "))
					return nil
				}
			}
		}
		if err := h.pause(); err != nil {
			return fmt.Errorf("waiting for a comment on issue #%d that says %q: %w", issue, words, err)
		}
	}
}

func (h *healWalk) healthy() error {
	if err := h.state(heal.Healthy); err != nil {
		return err
	}
	r, err := h.mend(h.title, h.body)
	if err == nil && (r.Outcome != task.Success || r.Result.Draft) {
		err = fmt.Errorf("the first run ended with %s: %s", r.Outcome, r.Reason)
	}
	return err
}

func (h *healWalk) degraded() error {
	n := settings.DefaultHeal().Step.InARow
	h.say("\n%d edits in a row whose target is not found (injected)", n)
	if _, err := inject(h.w.ctx, h.heal, h.repo, task.TargetNotFound, "apply", n); err != nil {
		return err
	}
	if err := h.state(heal.Degraded); err != nil {
		return err
	}
	r, err := h.mend(h.title, h.body)
	if err == nil && (r.Outcome != task.Success || !r.Result.Draft || r.Result.Care == "") {
		err = fmt.Errorf("in degraded mode the run ended with %s, a draft: %v", r.Outcome, r.Result.Draft)
	}
	return err
}

func (h *healWalk) quarantined() error {
	p := settings.DefaultHeal()
	h.say("\n%d failures more within the window (injected)", p.Workflow.Failures-p.Step.InARow)
	moves, err := inject(h.w.ctx, h.heal, h.repo, task.Postcondition, "ci", p.Workflow.Failures-p.Step.InARow)
	if err != nil {
		return err
	}
	if err := h.state(heal.Quarantined); err != nil {
		return err
	}
	h.say("case           fettle heal case %s", moves[len(moves)-1].ID)
	n, err := h.w.file(h.title+" (refused)", h.body)
	if err == nil {
		err = h.comment(n, "does not start here")
	}
	return err
}

func (h *healWalk) released() error {
	const stranger = "passer-by"
	h.say("\nA stranger, then a maintainer, say /fettle release on issue #1")
	if _, err := h.w.sim.Comment(demoOwner, h.w.name, 1, "/fettle release", stranger); err != nil {
		return err
	}
	if err := h.comment(1, "Only people who may write"); err != nil {
		return err
	}
	if _, err := h.w.sim.Comment(demoOwner, h.w.name, 1, "/fettle release", demoUser); err != nil {
		return err
	}
	if err := h.comment(1, "The quarantine is lifted"); err != nil {
		return err
	}
	return h.state(heal.Recovering)
}

func (h *healWalk) recovered() error {
	for range settings.DefaultHeal().Recovering.Successes {
		if _, err := h.mend(h.title, h.body); err != nil {
			return err
		}
	}
	return h.state(heal.Healthy)
}

// The house gets coffee, and nothing that mechanical repair tries makes its price right.
var coffee = map[string]string{
	"coffee.py":      "\"\"\"What coffee costs.\"\"\"\n\n\ndef coffee(nights):\n    return nights\n",
	"test_coffee.py": "import unittest\n\nfrom coffee import coffee\n\n\nclass Coffee(unittest.TestCase):\n    def test_coffee(self):\n        self.assertEqual([coffee(n) for n in (1, 2, 5, 9)], [310, 47, 1000003, 6])\n",
}

// rolledBack: what a merged pull request taught is in use when runs end worse, and is
// taken back.
func (h *healWalk) rolledBack() error {
	h.say("\nMore issues, which end well: what comes after is held against them")
	for range 3 { // only runs that may use what was learned count, and with few no fall is sure
		if _, err := h.mend(h.title, h.body); err != nil {
			return err
		}
	}
	h.say("\nA maintainer merges #2, which teaches its fix; then issues come that end badly")
	if err := h.w.sim.MergePull(demoOwner, h.w.name, 2, demoUser); err != nil {
		return err
	}
	for versions := bot.NewLessons(h.db, h.repo); ; {
		all, err := versions.Versions(h.w.ctx)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			h.say("fettle memory  v%02d: %s", all[0].Number, all[0].Why)
			break
		}
		if err := h.pause(); err != nil {
			return fmt.Errorf("waiting for what the merge teaches: %w", err)
		}
	}
	for name, text := range coffee {
		if _, err := h.w.sim.CommitFile(demoOwner, h.w.name, h.w.sim.Snapshot(demoOwner, h.w.name).DefaultBranch, name, []byte(text), "feat: coffee", demoUser); err != nil {
			return err
		}
	}
	for range 3 {
		r, err := h.mend("coffee() is wrong", "test_coffee.Coffee.test_coffee fails: coffee(2) gives 2, expected 47.")
		if err != nil {
			return err
		}
		if r.Outcome == task.Success {
			return errors.New("the coffee was mended: nothing ends badly")
		}
		s, err := h.heal.Status(h.w.ctx)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(s.Moves, func(m heal.Move) bool { return m.Cause == heal.RolledBack }); i >= 0 {
			h.say("\n== rolled back")
			h.say("log            %s: %s", s.Moves[i].Report(), s.Moves[i].Words)
			return nil
		}
	}
	return errors.New("three runs failed, and what was learned before them was not taken back")
}
