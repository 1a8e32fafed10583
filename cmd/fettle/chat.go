package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/task"
)

// chatFlags are those of the command; the rest is said in the chat.
type chatFlags struct {
	fix  fixFlags // what all turns share
	anew bool
	json bool
}

func newChat(g *global) *cobra.Command {
	f := &chatFlags{}
	c := &cobra.Command{
		Use:   "chat",
		Short: "Mend a folder turn by turn: say it, look, take it or leave it",
		Long: `chat is 'fettle fix' in turns. What you type is a task in words, as for 'fettle fix';
a question (where is …? why does …?) is answered as by 'fettle ask'. The change of a task
is shown and kept aside: /approve writes it, /undo drops it, and what you say next goes on
from there. Where a model makes plans you see the plan first: type y, n, or what is wrong
with it.

Every change goes through the same checks as that of 'fettle fix', in the sandbox, and no
model gets a shell. /help lists what else can be typed. A line that ends with \ goes on in
the next, and lines that are pasted together are one.

What was said, and a change that is not written, are kept for the folder in the state
folder, readable by you alone, and the next chat goes on with them; --new begins anew.

Ctrl-c stops a task with what it has reached, a second one ends at once; ctrl-d ends.
Where no terminal types, each line is a turn, and the exit status is that of the last.
--json prints for each turn one line of JSON, with what came of it.

Without a model mechanical repair works, which needs a test that fails or an example with
a value, and questions are answered with places in the code.

Exit status: that of the last line: 0 done; 1 red or error; 2 usage, or another chat is
open in the folder; 3 everything allowed was tried; 4 something waits for your yes; 5
refused; 130 stopped.`,
		Example: `  fettle chat
  fettle chat --repo ../shop --max-cost 0.10
  printf '/fix\n/approve\n' | fettle chat
  echo 'where is the discount computed?' | fettle chat --json | jq -r .text`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, g) },
	}
	fl := c.Flags()
	pathVar(c, &f.fix.repo, "repo", ".", "the `DIR` to work on: a working copy or a plain folder")
	fl.StringVar(&f.fix.profile, "profile", "standard", "limits and gates of each task: safe, standard or aggressive (`PROFILE`)")
	fl.Float64Var(&f.fix.maxCost, "max-cost", 0, "spend at most `USD` on each task (default from the configuration, $1)")
	fl.IntVar(&f.fix.maxSeconds, "max-seconds", 0, "work at most `N` seconds on each task (default from the configuration, 30 minutes)")
	fl.BoolVar(&f.anew, "new", false, "forget what was said in this folder, and changes that were not written")
	fl.BoolVar(&f.json, "json", false, "print one line of JSON for each turn on stdout and nothing else there")
	return c
}

// chat is a dialogue that is going on.
type chat struct {
	c        *cobra.Command
	g        *global
	p        *parts
	flags    *chatFlags
	costSaid bool
	dir      string
	kept     *talk
	keeper   *keeper
	typed    *typist
	person   bool // somebody types at a terminal and sees what is said
	now      turn // the turn that is being taken
	result   any  // of this turn, for --json

	mu    sync.Mutex
	stop  context.CancelCauseFunc // ends what ctrl-c ends
	works bool                    // that is a turn, and not a prompt
	ended bool                    // it was ended by ctrl-c
}

// errLeave ends the dialogue.
var errLeave = errors.New("leave")

// errPressed is why a wait for a line ends at ctrl-c.
var errPressed = errors.New("stopped by interrupt")

func (f *chatFlags) run(c *cobra.Command, g *global) (err error) {
	if err := f.fix.valid(); err != nil {
		return err
	}
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	t := &chat{c: c, g: g, p: p, flags: f, costSaid: c.Flags().Changed("max-cost"), typed: newTypist(c.InOrStdin()), person: talks(c) && !f.json}
	if _, t.dir, err = f.fix.order(p, t.costSaid); err != nil {
		return err
	}
	if t.keeper, t.kept, err = p.keepTalk(t.dir, f.anew); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.keeper.close()) }()
	if f.anew {
		if err := t.keeper.save(t.kept, p.funnel); err != nil {
			return err
		}
	}
	if keys, ok := c.Context().Value(interruptsKey{}).(*interrupts); ok {
		keys.take(t.pressed)
		defer keys.take(nil)
	}
	if !g.quiet {
		t.greet()
	}
	return t.talk(c.Context())
}

// talk takes turns until nothing more is typed. The last one says how it ended.
func (t *chat) talk(ctx context.Context) error {
	var last error
	for presses := 0; ; {
		text, err := t.message(ctx)
		switch {
		case errors.Is(err, errPressed) && presses > 0:
			return ending(exitCancelled)
		case errors.Is(err, errPressed):
			presses++
			t.tell("\nctrl-c again ends the chat, as ctrl-d does; /help lists what can be typed")
			continue
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case text == "" && err != nil:
			if t.person {
				fmt.Fprintln(t.c.OutOrStdout())
			}
			return last
		case text == "":
			continue
		}
		presses = 0
		if last = t.take(ctx, text); errors.Is(last, errLeave) {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// message is a line that was typed, with those that belong to it.
func (t *chat) message(ctx context.Context) (string, error) {
	ctx, done := t.untilPressed(ctx, false)
	defer done()
	prompt := "fettle> "
	if t.kept.Waiting != "" {
		prompt = "plan? "
	}
	t.prompt(prompt)
	text, err := t.typed.line(ctx)
	for err == nil && strings.HasSuffix(text, `\`) {
		t.prompt("   ... ")
		var more string
		more, err = t.typed.line(ctx)
		text = strings.TrimSuffix(text, `\`) + "\n" + more
	}
	for t.person && err == nil && text != "" && !strings.HasPrefix(text, "/") && !yesOrNo(text) {
		soon, over := context.WithTimeout(ctx, pasted)
		more, pasteErr := t.typed.line(soon)
		over()
		if pasteErr != nil {
			break
		}
		text += "\n" + more
	}
	return strings.TrimSpace(text), err
}

// pasted is how soon one line of a text that is pasted follows the other.
const pasted = 40 * time.Millisecond

func (t *chat) prompt(words string) {
	if t.person {
		fmt.Fprint(t.c.OutOrStdout(), words)
	}
}

// untilPressed is a context that ctrl-c ends.
func (t *chat) untilPressed(parent context.Context, works bool) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop, t.works, t.ended = cancel, works, false
	return ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stop, t.works = nil, false
		cancel(nil)
	}
}

// pressed is called at ctrl-c: the first stops what is going on, the second the program.
func (t *chat) pressed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.works && t.ended {
		os.Exit(exitCancelled)
	}
	if t.works {
		if _, live := liveOn(t.c.ErrOrStderr()); !live { // which says so itself
			fmt.Fprintln(t.c.ErrOrStderr(), "fettle: stopping, with the best attempt so far; ctrl-c again ends at once")
		}
	}
	if t.ended = true; t.stop != nil {
		t.stop(errPressed)
	}
}

// take is one turn. Its error was told already.
func (t *chat) take(outer context.Context, text string) error {
	ctx, done := t.untilPressed(outer, true)
	defer done()
	t.c.SetContext(ctx)
	defer t.c.SetContext(outer)
	said := t.c.OutOrStdout()
	var buffer bytes.Buffer
	if t.flags.json {
		t.c.SetOut(&buffer)
		defer t.c.SetOut(said)
	}
	t.now, t.result = turn{At: t.p.now().UTC(), Typed: text}, nil
	err := t.answer(text)
	if errors.Is(err, errLeave) {
		return err
	}
	var end ending
	var wrong *complaint
	if err != nil && !errors.As(err, &end) {
		cp := complain(err, exitCode(ctx, err), t.c)
		if wrong = &cp; ctx.Err() != nil {
			wrong.Message, wrong.Hint, wrong.why = "stopped", "say what to do next", ""
		}
		if strings.HasPrefix(wrong.Hint, "see 'fettle chat") {
			wrong.Hint = "/help lists what can be typed"
		}
		_ = wrong.print(t.c.ErrOrStderr())
	}
	if t.now.Kind != "" {
		t.kept.Turns = append(t.kept.Turns, t.now)
	}
	if saved := t.keeper.save(t.kept, t.p.funnel); saved != nil {
		fmt.Fprintf(t.c.ErrOrStderr(), "fettle: %s\n", t.p.funnel.Log(saved.Error()))
	}
	if err != nil && wrong != nil {
		err = ending(exitCode(ctx, err))
	}
	if t.flags.json {
		_ = t.print(said, buffer.String(), err, wrong) // whoever reads it is gone
	}
	return err
}

// print tells a turn in a line of JSON.
func (t *chat) print(out io.Writer, text string, end error, wrong *complaint) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Typed  string     `json:"typed"`
		Kind   string     `json:"kind,omitempty"`
		Status int        `json:"exit_status"`
		Text   string     `json:"text"`
		Result any        `json:"result,omitempty"`
		Error  *complaint `json:"error,omitempty"`
	}{t.p.funnel.Secrets(t.now.Typed), t.now.Kind, exitCode(context.Background(), end), text, t.result, wrong})
}

// tell says something beside what was asked for.
func (t *chat) tell(text string) {
	fmt.Fprintln(t.c.ErrOrStderr(), hang(text, widthOf(t.c.ErrOrStderr()), 0))
}

// greet says where the chat stands.
func (t *chat) greet() {
	with := "no model is configured: mechanical repair alone, and questions are answered with places in the code"
	if names := t.tiers(); len(names) > 0 {
		with = "mechanical repair, then " + strings.Join(names, ", ")
	}
	t.tell(fmt.Sprintf("fettle chat in %s: %s.", clean(t.dir), clean(with)))
	if n := len(t.kept.Turns); n > 0 {
		last := t.kept.Turns[n-1]
		t.tell(fmt.Sprintf("It goes on after %s, the last on %s: %s", task.Count(n, "turn"), last.At.Local().Format("2 Jan 15:04"), clean(short(last.Typed))))
	}
	switch {
	case t.kept.Waiting != "":
		t.tell(fmt.Sprintf("Run %s waits for your answer: y, n, or what is wrong; /plan shows it.", t.kept.Waiting))
	case t.kept.Whole != nil:
		t.tell(fmt.Sprintf("A change of %s is not written: /diff shows it, /approve writes it, /undo drops it.", clean(strings.Join(t.kept.Whole.FilesChanged, ", "))))
	}
	t.tell("Say what is wrong, or ask; /help lists the commands, ctrl-d ends.")
}
