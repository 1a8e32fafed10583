package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// show prints progress on stderr: a line for each step, and on a terminal a picture below
// them.
type show struct {
	mu    sync.Mutex
	w     io.Writer
	quiet bool
	last  string
	live  *live // nil: lines alone
	tried int   // attempts that were shown
}

func newShow(w io.Writer, quiet bool) *show { return &show{w: w, quiet: quiet} }

func (s *show) progress(p task.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	where := p.Phase
	if p.Tier != "" {
		where += fmt.Sprintf(" · %s, attempt %d", p.Tier, p.Attempt)
	}
	line := where + " · " + p.Note
	if s.quiet || line == s.last {
		return
	}
	s.last = line
	said := fmt.Sprintf("%7s  %s", p.Elapsed.Round(100*time.Millisecond), where)
	if note, _, _ := strings.Cut(p.Note, "\n"); note != "" {
		said += ": " + redact.New().Log(note)
	}
	if p.Cost > 0 {
		said += fmt.Sprintf(" (%s of %s)", p.Cost, p.Budget)
	}
	if s.live != nil {
		s.live.send(p)
	}
	s.line(hang(said, widthOf(s.w), 9))
}

// line prints a line, above the picture where there is one.
func (s *show) line(text string) {
	if s.live == nil || !s.live.line(text) {
		fmt.Fprintln(s.w, text)
	}
}

// Write prints what is logged meanwhile.
func (s *show) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line(strings.TrimRight(string(b), "\n"))
	return len(b), nil
}

// run shows the attempts of a run that were judged since it was shown last.
func (s *show) run(r task.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(r.Saved.Attempts); s.live != nil && n > 0 && n != s.tried {
		s.tried = n
		s.live.send(r.Saved.Attempts[n-1])
	}
}

// aside does what needs the terminal for itself.
func (s *show) aside(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil {
		s.live.aside(do)
		return
	}
	do()
}

func (s *show) done() {
	if s.live != nil {
		s.live.end()
	}
	if !s.quiet {
		fmt.Fprintln(s.w)
	}
}

// printSummary ends every run: status, diff, checks, risk, next action.
func printSummary(w io.Writer, s bot.Summary, asJSON bool) error {
	if asJSON {
		return writeJSON(w, s)
	}
	funnel := redact.New()
	bold := lipgloss.NewStyle().Bold(true)
	out := &strings.Builder{}
	if s.Diff != "" {
		fmt.Fprintf(out, "%s\n", colourDiff(funnel.Log(s.Diff)))
	}
	fmt.Fprintf(out, "%s\n", bold.Render(strings.ToUpper(s.Status()[:1])+s.Status()[1:]))
	wide := widthOf(w)
	line := func(name, text string) { fmt.Fprintf(out, "  %-13s %s\n", name, hang(text, wide, labelled)) }
	for _, l := range []struct{ name, text string }{
		{"why", s.Reason}, {"change", s.Explanation}, {"tests mended", strings.Join(s.Reproduction, ", ")},
	} {
		if l.text != "" {
			line(l.name, funnel.Log(l.text))
		}
	}
	for _, l := range s.Tried {
		line("tried", funnel.Log(l))
	}
	for _, c := range s.Checks {
		line("check", funnel.Log(c.String()))
	}
	for _, d := range append(append([]string(nil), s.DraftReasons...), s.Alternatives...) {
		line("open", funnel.Log(d))
	}
	for _, n := range s.Notes {
		line("note", funnel.Log(n))
	}
	line("risk", fmt.Sprintf("%d of 100%s", s.Risk.Score, bracket(funnel.Log(strings.Join(s.Risk.Reasons, "; ")))))
	line("cost", fmt.Sprintf("%s, %s%s, %.1f s", s.Cost, task.Count(s.Attempts, "attempt"), bracket(string(s.Tier)), s.Elapsed))
	if s.Sandbox != "" {
		line("sandbox", shortWalls(s.Sandbox))
	}
	if s.PullRequest != nil {
		line("pull request", fmt.Sprintf("#%d %s", s.PullRequest.Number, s.PullRequest.URL))
	}
	line("next", funnel.Log(s.NextAction))
	return coloured(w, out.String())
}

// labelled is how wide the names before a summary's lines are.
const labelled = 16

// shortWalls names the sandbox; its walls are in the record, and 'fettle doctor' has them.
// That there is none is told at length.
func shortWalls(s string) string {
	if strings.HasPrefix(s, "NONE") {
		return s
	}
	name, _, _ := strings.Cut(s, ":")
	return name
}

// widthOf is how wide a terminal is, and 0 of what is none.
func widthOf(w io.Writer) int {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	wide, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return wide
}

// hang breaks a text between words so that it fits into a terminal beside a name, and
// indents what follows the first line. Where there is little room beside the name it
// stands below.
func hang(text string, wide, indent int) string {
	const below = 4
	switch {
	case wide <= below+1:
		return text
	case wide-indent < 20 && indent > below:
		return "\n" + strings.Repeat(" ", below) + strings.ReplaceAll(ansi.Wrap(text, wide-below, ""), "\n", "\n"+strings.Repeat(" ", below))
	}
	return strings.ReplaceAll(ansi.Wrap(text, wide-indent, ""), "\n", "\n"+strings.Repeat(" ", indent))
}

// printSearch tells how mechanical repair came to its change.
func printSearch(w io.Writer, s *task.Search) error {
	funnel := redact.New()
	for _, line := range s.Lines() {
		if err := printf(w, "  %-13s %s\n", line.Name, funnel.Log(line.Text)); err != nil {
			return err
		}
	}
	return nil
}

// printf is fmt.Fprintf for what ends a command: whether it was written is all that counts.
func printf(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}

func printLine(w io.Writer, text string) error { return printf(w, "%s\n", text) }

// coloured prints a text without its colours where w is no terminal.
func coloured(w io.Writer, text string) error {
	_, err := lipgloss.Fprint(w, text)
	return err
}

func bracket(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// colourDiff colours lines; lipgloss drops the colours when the output is not
// a terminal.
func colourDiff(diff string) string {
	plain := lipgloss.NewStyle().TabWidth(lipgloss.NoTabConversion) // a diff is copied from the screen
	add, del := plain.Foreground(lipgloss.Green), plain.Foreground(lipgloss.Red)
	at := plain.Faint(true) // cyan can hardly be read on white
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
		case strings.HasPrefix(l, "+"):
			lines[i] = add.Render(l)
		case strings.HasPrefix(l, "-"):
			lines[i] = del.Render(l)
		case strings.HasPrefix(l, "@@"):
			lines[i] = at.Render(l)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
