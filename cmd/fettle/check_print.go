package main

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
)

// maxShown bounds the failures of one check that a terminal shows.
const maxShown = 15

// printChecks prints a result for a person: a line for each check, below it what
// was found, and at the end what to do.
func printChecks(w io.Writer, r check.Result) error {
	out := &strings.Builder{}
	wide := 6
	for _, c := range r.Checks {
		wide = max(wide, min(30, len([]rune(c.Name))))
	}
	for _, c := range r.Checks {
		mark, style := markOf(c.Status)
		line := fmt.Sprintf("%s %-*s  %s", style.Render(mark), wide, c.Name, c.Detail)
		if c.Status == check.NotRun {
			line = fmt.Sprintf("%s %-*s  not run: %s", style.Render(mark), wide, c.Name, c.Detail)
		}
		if c.Seconds >= 0.05 {
			line += lipgloss.NewStyle().Faint(true).Render(fmt.Sprintf("  %.1f s", c.Seconds))
		}
		fmt.Fprintln(out, line)
		printFound(out, c)
		if c.Do != "" {
			fmt.Fprintf(out, "    → %s\n", c.Do)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(out, "note: %s\n", n)
	}
	mark, style := markOf(r.Status)
	fmt.Fprintf(out, "\n%s %s in %.1f s\n", style.Render(mark), style.Bold(true).Render(verdictOf(r)), r.Seconds)
	if strings.HasPrefix(r.Sandbox, "NONE") {
		fmt.Fprintf(out, "sandbox: %s\n", r.Sandbox)
	}
	return coloured(w, out.String())
}

func markOf(s check.Status) (string, lipgloss.Style) {
	plain := lipgloss.NewStyle()
	switch s {
	case check.Passed:
		return "✔", plain.Foreground(lipgloss.Green)
	case check.Failed:
		return "✘", plain.Foreground(lipgloss.Red)
	case check.NotRun:
		return "?", plain.Foreground(lipgloss.Magenta) // yellow can hardly be read on white
	}
	return "-", plain.Faint(true)
}

func printFound(out *strings.Builder, c check.Check) {
	for i, p := range c.Selected {
		if i == maxShown {
			fmt.Fprintf(out, "    … and %d more chosen\n", len(c.Selected)-i)
			break
		}
		more := ""
		if n := len(p.Reasons); n > 1 {
			more = fmt.Sprintf(" (and %d more)", n-1)
		}
		fmt.Fprintf(out, "    chosen: %s, because %s%s\n", p.File, p.Reasons[0], more)
	}
	for i, f := range c.Failures {
		if i == maxShown {
			fmt.Fprintf(out, "    … and %d more; --json shows all\n", len(c.Failures)-i)
			return
		}
		fmt.Fprintf(out, "    %s%s\n", whereOf(f), testOf(f))
		for _, l := range strings.SplitN(check.Title(f)+rest(f), "\n", 4)[:min(3, 1+strings.Count(rest(f), "\n"))] {
			fmt.Fprintf(out, "        %s\n", cut(l, 160))
		}
	}
}

// rest is the message of a failure after its first line.
func rest(f task.Failure) string {
	_, more, ok := strings.Cut(f.Message, "\n")
	if !ok {
		return ""
	}
	return "\n" + more
}

func whereOf(f task.Failure) string {
	switch {
	case f.File == "":
		return ""
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.File
}

// testOf is the test's own id, without suite and folder.
func testOf(f task.Failure) string {
	parts := strings.SplitN(f.Test, ":", 3)
	if len(parts) < 3 {
		return ""
	}
	if f.File == "" {
		return parts[2]
	}
	return "  " + parts[2]
}

func cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

func verdictOf(r check.Result) string {
	red, missing := 0, 0
	for _, c := range r.Checks {
		switch c.Status {
		case check.Failed:
			red++
		case check.NotRun:
			missing++
		}
	}
	switch {
	case r.Status == check.Failed:
		return fmt.Sprintf("Red: %d of %d checks", red, len(r.Checks))
	case r.Status == check.NotRun && missing > 0:
		return fmt.Sprintf("Not all could be checked: %d of %d checks were not run", missing, len(r.Checks))
	case r.Status == check.NotRun:
		return "Nothing red, and no test was run"
	case missing > 0:
		return fmt.Sprintf("Green, %d not run", missing)
	}
	return "Green"
}
