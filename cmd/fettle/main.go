// Command fettle turns an issue into a tested pull request. This package reads
// flags and settings, wires the parts together, and owns signals and exit
// codes; it decides nothing. There is one file per command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/task"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process, for tests.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := signals()
	defer stop()
	said := &output{Writer: out}
	root := newRoot(in, said, errs)
	root.SetArgs(args)
	var own error
	keepErrors(root, &own)
	err := fang.Execute(ctx, root, fang.WithVersion(versionWords()), fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}), fang.WithoutManpage())
	if err == nil {
		err = own
	}
	status := exitCode(ctx, err)
	if err != nil {
		tell(err, status, root, args, said, errs)
	}
	return status
}

// keepErrors takes the errors of commands past fang. For one it would ask the terminal for
// its colours, and wait for an answer that a question still open reads.
func keepErrors(c *cobra.Command, into *error) {
	for _, sub := range c.Commands() {
		keepErrors(sub, into)
	}
	if do := c.RunE; do != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			if err := do(c, args); err != nil {
				*into = err
			}
			return nil
		}
	}
}

// signals gives a context that ends softly at the first SIGINT or SIGTERM; the
// second one ends the process at once (TRUST F14).
func signals() (context.Context, func()) {
	keys := &interrupts{}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), interruptsKey{}, keys))
	unread := make(chan os.Signal, 1) // a reader that leaves makes writes fail, and does not kill a run half-way
	signal.Notify(unread, syscall.SIGPIPE)
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		for n := 0; ; n++ {
			s, ok := <-caught
			if !ok {
				return
			}
			if s == os.Interrupt && keys.taken() {
				n--
				continue
			}
			if n > 0 {
				os.Exit(exitCancelled)
			}
			cancel(&signalled{s})
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		signal.Stop(unread)
		close(caught)
		cancel(nil)
	}
}

// interrupts is who is told of ctrl-c in the place of the end of the whole command.
type interrupts struct {
	mu  sync.Mutex
	own func()
}

type interruptsKey struct{}

// take gives ctrl-c to a dialogue, which goes on after it.
func (i *interrupts) take(own func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.own = own
}

func (i *interrupts) taken() bool {
	i.mu.Lock()
	own := i.own
	i.mu.Unlock()
	if own == nil {
		return false
	}
	own()
	return true
}

type signalled struct{ os.Signal }

func (s *signalled) Error() string { return "stopped by " + s.String() }

// Exit statuses of SPEC S6.
const (
	exitRed       = 1
	exitUsage     = 2
	exitWaits     = 4
	exitRefused   = 5
	exitCancelled = 130
	exitUnread    = 141 // as of a program that SIGPIPE ended
)

// exitError is an error with its exit status.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// Lasts tells the service that trying again changes nothing.
func (e *exitError) Lasts() bool { return e.code == exitUsage || e.code == exitRefused }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// wrongly makes errors of what was given wrong use, and leaves others as they are.
func wrongly(err error, given ...error) error {
	if slices.ContainsFunc(given, func(e error) bool { return errors.Is(err, e) }) {
		return &exitError{exitUsage, err}
	}
	return err
}

func refused(err error) error { return &exitError{exitRefused, err} }

// ending is the "error" by which a command returns a run's exit status after
// it has printed all there is to say.
type ending int

func (e ending) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// endingOf is the exit status of a result: a draft waits for a human.
func endingOf(outcome task.Outcome, draft bool) error {
	code := outcome.ExitCode()
	if outcome == task.Success && draft {
		code = exitWaits
	}
	if code == 0 {
		return nil
	}
	return ending(code)
}

func exitCode(ctx context.Context, err error) int {
	var e *exitError
	var end ending
	var caught *signalled
	switch {
	case err == nil:
		return 0
	case errors.As(err, &end):
		return int(end)
	case errors.Is(err, syscall.EPIPE):
		return exitUnread
	case errors.As(context.Cause(ctx), &caught):
		return exitCancelled
	case errors.As(err, &e):
		return e.code
	}
	return exitRed
}

func newRoot(in io.Reader, out, errs io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "fettle",
		Short: "Turn an issue into a tested pull request",
		Long: `fettle takes an issue, finds the code that matters, changes only the functions
that have to change, proves the change with the repository's tests, and opens a
pull request with a checklist, or hands back what it tried with an honest report.

It starts with mechanical repair, which costs nothing and needs no model, and
climbs to the models that you configured, never above the budget.

'fettle help topics' lists what else can be read: sandbox, tiers, exit, privacy.`,
		Example: `  fettle demo                                  # see it work, no key, no network
  fettle fix --repo . --issue bug.md           # mend your own working copy, show the diff
  fettle fix --repo . --issue bug.md --apply   # and write it
  fettle doctor                                # what is missing on this machine`,
		SilenceUsage: true, SilenceErrors: true,
	}
	holdsCommands(root)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	root.SetFlagErrorFunc(unknownFlag)
	g := &global{}
	root.PersistentFlags().Var((*pathFlag)(&g.config), "config", "the operator's `FILE` (default $XDG_CONFIG_HOME/fettle/config.yml)")
	root.PersistentFlags().BoolVar(&g.quiet, "quiet", false, "no progress on stderr")
	root.PersistentFlags().BoolVarP(&g.verbose, "verbose", "v", false, "log what happens inside, to stderr")
	root.AddCommand(newFix(g), newChat(g), newApply(g), newUndo(), newReview(g), newReady(g), newExplain(g), newCheck(g), newInit(g), newRisk(g), newJudge(g), newReproduce(g), newMCP(g), newRegions(), newRules(g), newSearch(g), newAsk(g), newIndex(g), newDemo(g), newServe(g), newWorker(g), newStore(g), newAction(g), newSimulate(g), newRuns(g), newMemory(g), newHooks(g), newHealth(g), newHeal(g), newDoctor(g), newEval(g), newProgress(), newLSP(g), newEditorTasks(), newVersion())
	root.AddCommand(topics()...)
	return root
}

// holdsCommands makes a command that only holds others show its help when it
// is called alone, and refuse what it does not know.
func holdsCommands(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		hint, names := "", []string{}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		if near := command.NearestOf(args[0], names); near != "" {
			hint = fmt.Sprintf(", did you mean %s?", near)
		}
		return usage("%s has no command %q%s; see '%s --help'", c.CommandPath(), args[0], hint, c.CommandPath())
	}
}
