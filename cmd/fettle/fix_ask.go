package main

import (
	"fmt"
	"os/user"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// asker asks at the terminal what a run waits with; nil where nobody is to be asked. An
// answer by nobody is none: the end of what is typed leaves the question open.
func (f *fixFlags) asker(c *cobra.Command) func(task.Gate, string) task.Answer {
	if !f.interactive {
		return nil
	}
	f.typed = newTypist(c.InOrStdin())
	ask := func(gate task.Gate, diff string) task.Answer {
		out := c.ErrOrStderr()
		if diff != "" {
			_, _ = lipgloss.Fprintln(out, colourDiff(redact.New().Log(diff)))
		}
		fmt.Fprintf(out, "\n%s\n", redact.New().Log(gate.Words))
		fmt.Fprintf(out, "fettle: yes to the %s? [y, n, or what is wrong] ", gate.Kind)
		line, err := f.typed.line(c.Context())
		said := task.Answer{Step: gate.Step, By: whoami("the terminal")}
		switch {
		case line == "" && err != nil:
			return task.Answer{}
		case isYes(line):
			said.Approved = true
		case strings.EqualFold(line, "n") || strings.EqualFold(line, "no") || line == "":
			said.Feedback = "no"
		default:
			said.Feedback = line
		}
		return said
	}
	return func(gate task.Gate, diff string) (said task.Answer) {
		f.alone(func() { said = ask(gate, diff) })
		return said
	}
}

// alone does what needs the terminal for itself.
func (f *fixFlags) alone(do func()) {
	if f.aside == nil {
		do()
		return
	}
	f.aside(do)
}

// whoami is the name of whoever uses the terminal, or another word where it is not known.
func whoami(otherwise string) string {
	if me, err := user.Current(); err == nil {
		return me.Username
	}
	return otherwise
}

func isYes(line string) bool { return strings.EqualFold(line, "y") || strings.EqualFold(line, "yes") }

// may tells whether a change is written: --interactive asks, and the profile safe does
// not write without having asked.
func (f *fixFlags) may(c *cobra.Command, p *parts) func(bot.Summary) bool {
	if !f.interactive {
		return func(bot.Summary) bool { return f.profile != "safe" }
	}
	return func(s bot.Summary) (yes bool) {
		f.alone(func() {
			out := c.ErrOrStderr()
			_, _ = lipgloss.Fprintln(out, colourDiff(p.funnel.Log(s.Diff)))
			fmt.Fprintf(out, "fettle: write this change, risk %d of 100? [y/N] ", s.Risk.Score)
			line, _ := f.typed.line(c.Context()) // the end of what is typed is no yes
			yes = isYes(line)
		})
		return yes
	}
}
