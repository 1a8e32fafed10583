package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/redact"
)

// complaint is an error as it is told: what happened, why, and what to do. In JSON the
// message holds the first two.
type complaint struct {
	Code    string `json:"code"` // of the exit status, in a word
	Message string `json:"message"`
	Hint    string `json:"hint"`
	why     string
}

// codes names the exit statuses of SPEC S6.
var codes = map[int]string{exitRed: "error", exitUsage: "usage", exitWaits: "waits", exitRefused: "refused", exitCancelled: "cancelled"}

// statement begins what errors say after a semicolon that tells a state and nothing to do.
var statement = regexp.MustCompile(`^(a|an|the|this|that|it|its|there|nothing|everything|ids) `)

// complain takes an error apart. What our errors say after their last semicolon is what
// to do, and the text of the error that they wrap is why.
func complain(err error, status int, c *cobra.Command) complaint {
	text, out := err.Error(), complaint{Code: codes[status]}
	if i := strings.LastIndex(text, "; "); i > 0 && !statement.MatchString(text[i+2:]) && !strings.Contains(text[i:], "\n") {
		text, out.Hint = text[:i], text[i+2:]
	}
	out.Message = text
	for cause := errors.Unwrap(err); cause != nil && out.why == ""; cause = errors.Unwrap(cause) {
		why := strings.TrimSuffix(cause.Error(), "; "+out.Hint)
		if what, ok := strings.CutSuffix(text, ": "+why); ok && what != "" {
			text, out.why = what, why
		}
	}
	if out.Hint != "" {
		return out
	}
	switch status {
	case exitUsage:
		out.Hint = fmt.Sprintf("see '%s --help'", c.CommandPath())
	case exitRefused:
		out.Hint = "'fettle doctor' says what is missing on this machine"
	case exitCancelled:
		out.Hint = "give the command again; 'fettle runs' lists what was begun"
	default:
		out.Hint = "'fettle doctor' looks at this machine, --verbose logs what happens inside"
	}
	return out
}

// print tells it in up to three lines. Some of it was written by others.
func (c complaint) print(w io.Writer) error {
	funnel := redact.New()
	wide := widthOf(w)
	line := func(s string) string {
		if s = funnel.Log(s); wide > 0 {
			return hang(s, wide, len("fettle: "))
		}
		return strings.ReplaceAll(s, "\n", "\n        ")
	}
	text := fmt.Sprintf("fettle: %s\n", line(strings.TrimSuffix(c.Message, ": "+c.why)))
	if c.why != "" {
		text += fmt.Sprintf("  why   %s\n", line(c.why))
	}
	return printf(w, "%s  next  %s\n", text, line(c.Hint))
}

// tell prints the error that a command ended with, for a person on stderr and, where the
// command was to print JSON and has not, as JSON on stdout.
func tell(err error, status int, root *cobra.Command, args []string, out *output, errs io.Writer) {
	var end ending
	if errors.As(err, &end) || errors.Is(err, syscall.EPIPE) {
		return
	}
	at, _, findErr := root.Find(args)
	if findErr != nil {
		at = root
	}
	c := complain(err, status, at)
	if slices.Contains(args, "--json") && !out.written {
		_ = writeJSON(out, map[string]complaint{"error": c}) // whoever reads it is gone
	}
	_ = c.print(errs)
}

// unknownFlag says which flag, or which command, was meant.
func unknownFlag(c *cobra.Command, err error) error {
	if c.HasSubCommands() && c.Flags().NArg() > 0 { // the command itself is not known
		return c.RunE(c, c.Flags().Args())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usage("%w; see '%s --help'", err, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := command.NearestOf(unknown.GetSpecifiedName(), names); near != "" {
		return usage("%w, did you mean --%s?; see '%s --help'", err, near, c.CommandPath())
	}
	return usage("%w; see '%s --help'", err, c.CommandPath())
}

// output is stdout, and remembers whether anything was written. It says which file it
// is, so that colours are known to be wanted.
type output struct {
	io.Writer
	written bool
}

func (o *output) Write(p []byte) (int, error) {
	o.written = o.written || len(p) > 0
	return o.Writer.Write(p)
}

// Fd, Read and Close make it what a terminal is looked for in.
func (o *output) Fd() uintptr {
	if f, ok := o.Writer.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

func (o *output) Read([]byte) (int, error) { return 0, io.EOF }
func (o *output) Close() error             { return nil }
