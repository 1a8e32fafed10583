package judge

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// meaning is what a judgement says, in a sentence.
var meaning = map[Judgement]string{
	Proven:    "tests show what the change mends, and hold on to each changed line",
	Plausible: "nothing speaks against the change, and a part of it is unverified",
	Unproven:  "the evidence does not show that the change does what it is for",
	Refuted:   "the evidence speaks against the change",
	Dangerous: "the change can do harm that no test sees: a person has to look",
}

// shown bounds what is listed of one kind.
const shown = 20

// Clean sends every text of a report that the change or the repository may have
// written through the funnel. A patch stays as it is but for secrets: it has to apply.
func (r *Report) Clean(f *redact.Funnel) {
	texts := []*string{}
	for i := range r.Reasons {
		texts = append(texts, &r.Reasons[i])
	}
	for i := range r.Risk.Reasons {
		texts = append(texts, &r.Risk.Reasons[i])
	}
	for _, list := range [][]Test{r.Tests.Fixed, r.Tests.Broken, r.Tests.New, r.Tests.Altered, r.Tests.Flaky} {
		for i := range list {
			texts = append(texts, &list[i].ID, &list[i].Why, &list[i].Command)
		}
	}
	for i := range r.Survivors {
		s := &r.Survivors[i]
		texts = append(texts, &s.Path, &s.Fault, &s.Command)
		s.Patch = f.Secrets(s.Patch)
	}
	for i := range r.Findings {
		texts = append(texts, &r.Findings[i].Path, &r.Findings[i].Message)
	}
	for i := range r.Behaviour {
		b := &r.Behaviour[i]
		texts = append(texts, &b.Input, &b.Before, &b.After)
	}
	for i := range r.Files {
		texts = append(texts, &r.Files[i].Path)
	}
	for i := range r.Checks {
		texts = append(texts, &r.Checks[i].Name, &r.Checks[i].Detail)
	}
	if r.Offer != nil {
		r.Offer.clean(f)
		for i := range r.Offer.Left {
			texts = append(texts, &r.Offer.Left[i])
		}
		for i := range r.Offer.Files {
			o := &r.Offer.Files[i]
			texts = append(texts, &o.Of, &o.By, &o.Command)
			for k := range o.New {
				texts = append(texts, &o.New[k])
			}
		}
	}
	if r.Opinion != nil {
		texts = append(texts, &r.Opinion.Reason, &r.Opinion.Model)
	}
	for _, t := range texts {
		*t = f.Log(*t)
	}
}

// Lines lists what a person has to look at, by file and line: the findings, and the
// planted faults that no test noticed.
func (r Report) Lines() []Finding {
	out := append([]Finding{}, r.Findings...)
	for _, s := range r.Survivors {
		f := Finding{"unnoticed", s.Path, s.Line, fmt.Sprintf("no test would notice: %s (%s stays green)", s.Fault, s.Command)}
		if s.Unrun {
			f = Finding{"unrun", s.Path, s.Line, "no test runs this line; add one that does"}
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) })
	return out
}

// section is one part of a report for people.
type section struct {
	title string
	rows  []string
}

func (r Report) sections(code func(string) string) []section {
	var out []section
	add := func(title string, rows []string) {
		if n := len(rows) - shown; n > 0 {
			rows = append(rows[:shown:shown], fmt.Sprintf("and %d more", n))
		}
		if len(rows) > 0 {
			out = append(out, section{title, rows})
		}
	}
	tests := func(list []Test) (rows []string) {
		for _, t := range list {
			row := code(t.ID)
			if t.Worth != "" {
				row += ", " + strings.ReplaceAll(t.Worth, "_", " ")
			}
			if t.Why != "" {
				row += ": " + line(t.Why)
			}
			if t.Command != "" {
				row += " (" + code(t.Command) + ")"
			}
			rows = append(rows, row)
		}
		return rows
	}
	add("From red to green", tests(r.Tests.Fixed))
	add("Fails with the change", tests(r.Tests.Broken))
	add("Altered tests that would fail", tests(r.Tests.Altered))
	add("New tests", tests(r.Tests.New))
	add("Not always the same", tests(r.Tests.Flaky))
	var rows []string
	for _, s := range r.Survivors {
		words := fmt.Sprintf("%s:%d: %s", s.Path, s.Line, line(s.Fault))
		if s.Unrun {
			words += "; no test runs the line"
		}
		rows = append(rows, words+" ("+code(s.Command)+" stays green)")
	}
	add(fmt.Sprintf("Faults that no test noticed (%d of %d planted)", len(r.Survivors), r.Planted), rows)
	rows = nil
	for _, b := range r.Behaviour {
		rows = append(rows, fmt.Sprintf("%s: %s before, %s now", code(b.Input), code(b.Before), code(b.After)))
	}
	add("Behaves otherwise than before", rows)
	rows = nil
	for _, f := range r.Findings {
		rows = append(rows, fmt.Sprintf("%s:%d: %s [%s]", f.Path, f.Line, line(f.Message), f.Rule))
	}
	add("To look at", rows)
	if r.Offer != nil {
		add("Tests that the change lacks", r.Offer.rows(code))
	}
	add(fmt.Sprintf("Risk %d of 100", r.Risk.Score), r.Risk.Reasons)
	return out
}

func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Write prints a report for a terminal.
func Write(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Judgement, meaning[r.Judgement])
	for _, words := range r.Reasons {
		fmt.Fprintf(&b, "  %s\n", line(words))
	}
	for _, s := range r.sections(func(s string) string { return line(s) }) {
		fmt.Fprintf(&b, "%s\n", s.title)
		for _, row := range s.rows {
			fmt.Fprintf(&b, "  %s\n", row)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown prints a report as a comment or a summary shows it. What others wrote goes
// through the funnel, the patches into a fence of its own.
func Markdown(w io.Writer, r Report, f *redact.Funnel) error {
	var b strings.Builder
	foreign := func(s string) string { return f.Markdown(line(s)) }
	fmt.Fprintf(&b, "## fettle judge: %s\n\n%s.\n\n", r.Judgement, strings.ToUpper(meaning[r.Judgement][:1])+meaning[r.Judgement][1:])
	for _, words := range r.Reasons {
		fmt.Fprintf(&b, "- %s\n", foreign(words))
	}
	for _, s := range r.sections(inCode) {
		fmt.Fprintf(&b, "\n### %s\n\n", s.title)
		for _, row := range s.rows {
			fmt.Fprintf(&b, "- %s\n", foreign(row))
		}
	}
	if len(r.Survivors) > 0 {
		b.WriteString("\n<details><summary>The faults, as patches</summary>\n")
		for _, s := range r.Survivors[:min(len(r.Survivors), shown)] {
			fmt.Fprintf(&b, "\n%s\n", f.Fence(s.Patch, "diff"))
		}
		b.WriteString("\n</details>\n")
	}
	fmt.Fprintf(&b, "\n%s changed; judged in %.1f s, one run of the tests takes %.1f s. A judgement is no approval.\n", task.Count(len(r.Files), "file"), r.Seconds, r.Suite)
	_, err := io.WriteString(w, b.String())
	return err
}

// inCode is a text that Markdown shows as it is.
func inCode(s string) string {
	s, fence := line(s), "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// Annotations prints the findings as workflow commands of GitHub.
func Annotations(w io.Writer, r Report) error {
	level := redact.Warning
	if ranks[r.Judgement] >= ranks[Refuted] {
		level = redact.Error
	}
	for _, f := range r.Findings {
		if err := redact.Annotate(w, redact.Annotation{Level: level, File: f.Path, Line: f.Line, Title: "fettle judge: " + f.Rule, Message: f.Message}); err != nil {
			return err
		}
	}
	return redact.Annotate(w, redact.Annotation{Level: redact.Notice, Title: "fettle judge", Message: string(r.Judgement) + ": " + strings.Join(r.Reasons, "; ")})
}
