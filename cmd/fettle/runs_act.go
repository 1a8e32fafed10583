package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func runsApprove(g *global) *cobra.Command {
	var step int
	c := &cobra.Command{
		Use: "approve ID", Short: "Say yes to what a run waits for", Args: oneRun,
		Long: "approve says yes to the plan or the step that the run waits with. A run of a\nserver is taken up by the server; one of this command line goes on here and now.",
		RunE: func(c *cobra.Command, args []string) error {
			return g.answer(c, args[0], task.Answer{Approved: true, Step: step})
		},
	}
	c.Flags().IntVar(&step, "step", 0, "the step `N` that is meant; refused when the run waits for another")
	return c
}

func runsReject(g *global) *cobra.Command {
	var step int
	var feedback string
	c := &cobra.Command{
		Use: "reject ID --feedback WORDS", Short: "Say no to what a run waits for, and why", Args: oneRun,
		Long: "reject sends a plan back for a revision, or a step for another attempt, with\nyour words. They are shown to the model.",
		RunE: func(c *cobra.Command, args []string) error {
			if feedback == "" {
				return usage("say what is wrong with --feedback, so that the next try can be better")
			}
			return g.answer(c, args[0], task.Answer{Step: step, Feedback: feedback})
		},
	}
	c.Flags().IntVar(&step, "step", 0, "the step `N` that is meant; refused when the run waits for another")
	c.Flags().StringVar(&feedback, "feedback", "", "what is wrong, in `WORDS`")
	return c
}

func (g *global) answer(c *cobra.Command, prefix string, a task.Answer) error {
	if done, err := runOnServer(c, prefix, func(s *runsServer, got servedRun) error { return s.answer(c, got, a) }); done {
		return err
	}
	a.By = whoami("")
	return g.onRun(c, prefix, func(p *parts, db *store.Store, r task.Run) error {
		said, err := p.bot(db).Answer(c.Context(), r.ID, a)
		if errors.Is(err, store.ErrNotWaiting) || errors.Is(err, store.ErrDone) {
			return usage("%w", err)
		}
		if err != nil {
			return err
		}
		word := map[bool]string{true: "approved", false: "rejected"}[said.Approved]
		fmt.Fprintf(c.ErrOrStderr(), "fettle: the %s of %s was %s\n", said.Gate, r.ID, word)
		return g.goOn(c, p, db, r.ID)
	})
}

func runsResume(g *global) *cobra.Command {
	from := -1
	c := &cobra.Command{
		Use: "resume ID", Short: "Let a run go on", Args: oneRun,
		Long: "resume lets a run go on where it stands, or at a step of its plan with --from.\nOne that has ended goes on as a new run, on the steps that were accepted.",
		RunE: func(c *cobra.Command, args []string) error {
			if done, err := runOnServer(c, args[0], func(s *runsServer, got servedRun) error { return s.resume(c, got, from) }); done {
				return err
			}
			return g.onRun(c, args[0], func(p *parts, db *store.Store, r task.Run) error {
				id, err := p.bot(db).Resume(c.Context(), r.ID, newID(), from)
				switch {
				case errors.Is(err, store.ErrHeld):
					return usage("run %s is being worked on; stop it first with 'fettle runs stop %s'", r.ID, r.ID)
				case err != nil:
					return usage("%w", err)
				}
				fmt.Fprintf(c.ErrOrStderr(), "fettle: run %s goes on\n", id)
				return g.goOn(c, p, db, id)
			})
		},
	}
	c.Flags().IntVar(&from, "from", -1, "at step `N` of the plan; 0 is the start")
	return c
}

func runsStop(g *global) *cobra.Command {
	return &cobra.Command{
		Use: "stop ID", Short: "Stop a run", Args: oneRun,
		Long: "stop ends a run as cancelled. One that is worked on learns of it within a\nsecond, also in the middle of a model's answer or a test run.",
		RunE: func(c *cobra.Command, args []string) error {
			if done, err := runOnServer(c, args[0], func(s *runsServer, got servedRun) error { return s.stop(c, got) }); done {
				return err
			}
			return g.onRun(c, args[0], func(p *parts, db *store.Store, r task.Run) error {
				if r.State == task.StateDone {
					return usage("run %s has ended already: %s", r.ID, r.Outcome)
				}
				if err := db.AskCancel(c.Context(), r.ID, "fettle runs stop"); err != nil {
					return err
				}
				fmt.Fprintf(c.ErrOrStderr(), "fettle: run %s was asked to stop\n", r.ID)
				now, err := db.Run(c.Context(), r.ID)
				if err != nil || now.State != task.StateQueued || r.Task.Repo.Dir == "" {
					return err
				}
				err = g.goOn(c, p, db, r.ID) // nobody works on it: it ends itself here
				if errors.Is(err, ending(exitCancelled)) {
					return nil
				}
				return err
			})
		},
	}
}

// goOn works on a run of a local folder here; those of a server are the
// server's.
func (g *global) goOn(c *cobra.Command, p *parts, db *store.Store, id string) error {
	r, err := db.Run(c.Context(), id)
	if err != nil || r.Task.Repo.Dir == "" {
		return err
	}
	show := newShow(c.ErrOrStderr(), g.quiet)
	pub := &bot.Local{Dir: r.Task.Repo.Dir, Show: show.progress}
	ctx, cancel := stoppable(c.Context())
	defer cancel()
	err = p.work(ctx, db, pub, id, order{gates: p.set.Gates})
	show.done()
	if put := asideOf(id, err); put != nil {
		return put.print(p, c.OutOrStdout(), c.ErrOrStderr(), false)
	}
	if pub.Summary.RunID == "" {
		return err
	}
	if printed := printSummary(c.OutOrStdout(), pub.Summary, false); printed != nil || err != nil {
		return errors.Join(printed, err)
	}
	return endingOf(pub.Summary.Outcome, pub.Summary.Draft)
}

// work claims a run of a folder and works on it.
func (p *parts) work(ctx context.Context, db *store.Store, pub *bot.Local, id string, o order) error {
	lease, r, err := db.ClaimRun(ctx, id)
	if err != nil {
		return fmt.Errorf("starting the run: %w", err)
	}
	_, _, err = p.bot(db).Run(ctx, lease, r, bot.Job{
		Open: func(ctx context.Context) (*checkout.Tree, error) {
			tree, _, _, err := p.seen(ctx, r.Task.Repo.Dir, o.over)
			if err != nil {
				return nil, err
			}
			if was := r.Saved.BaseCommit; was != "" && was != tree.BaseCommit() {
				return nil, errors.Join(fmt.Errorf("%s is not any more what the run began with (%.12s, now %.12s); ask again with 'fettle fix'", r.Task.Repo.Dir, was, tree.BaseCommit()), tree.Close())
			}
			pub.Base = tree.BaseFS()
			return tree, nil
		},
		Publisher: pub, Guard: o.guard, Gates: o.gates,
	})
	return err
}
