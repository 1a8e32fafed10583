package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// show prints progress as plain lines on stderr, one per step.
type show struct {
	mu    sync.Mutex
	w     io.Writer
	quiet bool
	last  string
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
	fmt.Fprintf(s.w, "%7s  %s", p.Elapsed.Round(100*time.Millisecond), where)
	if p.Note != "" {
		fmt.Fprintf(s.w, ": %s", redact.New().Log(p.Note))
	}
	if p.Cost > 0 {
		fmt.Fprintf(s.w, " (%s of %s)", p.Cost, p.Budget)
	}
	fmt.Fprintln(s.w)
}

func (s *show) done() {
	if !s.quiet {
		fmt.Fprintln(s.w)
	}
}

// printSummary ends every run: status, diff, checks, risk, next action.
func printSummary(w io.Writer, s bot.Summary, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(s)
	}
	funnel := redact.New()
	bold := lipgloss.NewStyle().Bold(true)
	out := &strings.Builder{}
	if s.Diff != "" {
		fmt.Fprintf(out, "%s\n", colourDiff(funnel.Log(s.Diff)))
	}
	fmt.Fprintf(out, "%s\n", bold.Render(strings.ToUpper(s.Status()[:1])+s.Status()[1:]))
	for _, line := range []struct{ name, text string }{
		{"why", s.Reason}, {"change", s.Explanation}, {"tests mended", strings.Join(s.Reproduction, ", ")},
	} {
		if line.text != "" {
			fmt.Fprintf(out, "  %-13s %s\n", line.name, funnel.Log(line.text))
		}
	}
	for _, line := range s.Tried {
		fmt.Fprintf(out, "  %-13s %s\n", "tried", funnel.Log(line))
	}
	for _, c := range s.Checks {
		fmt.Fprintf(out, "  %-13s %s\n", "check", funnel.Log(c.String()))
	}
	for _, d := range append(append([]string(nil), s.DraftReasons...), s.Alternatives...) {
		fmt.Fprintf(out, "  %-13s %s\n", "open", funnel.Log(d))
	}
	for _, n := range s.Notes {
		fmt.Fprintf(out, "  %-13s %s\n", "note", funnel.Log(n))
	}
	fmt.Fprintf(out, "  %-13s %d of 100%s\n", "risk", s.Risk.Score, bracket(funnel.Log(strings.Join(s.Risk.Reasons, "; "))))
	fmt.Fprintf(out, "  %-13s %s, %s%s, %.1f s\n", "cost", s.Cost, task.Count(s.Attempts, "attempt"), bracket(string(s.Tier)), s.Elapsed)
	if s.Sandbox != "" {
		fmt.Fprintf(out, "  %-13s %s\n", "sandbox", s.Sandbox)
	}
	if s.PullRequest != nil {
		fmt.Fprintf(out, "  %-13s #%d %s\n", "pull request", s.PullRequest.Number, s.PullRequest.URL)
	}
	fmt.Fprintf(out, "  %-13s %s\n", "next", funnel.Log(s.NextAction))
	_, err := lipgloss.Fprint(w, out.String())
	return err
}

// printSearch tells how mechanical repair came to its change.
func printSearch(w io.Writer, s *task.Search) error {
	funnel := redact.New()
	for _, line := range s.Lines() {
		if _, err := fmt.Fprintf(w, "  %-13s %s\n", line.Name, funnel.Log(line.Text)); err != nil {
			return err
		}
	}
	return nil
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
	add, del, at := plain.Foreground(lipgloss.Green), plain.Foreground(lipgloss.Red), plain.Foreground(lipgloss.Cyan)
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
