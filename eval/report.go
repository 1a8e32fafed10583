package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// What a report is written to, in the folder of the run.
const reportFile = "report.json"

// Write writes the report into the folder of its run: as JSON, Markdown and HTML.
func Write(dir string, r Report) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	past, err := history(dir, r)
	if err != nil {
		return err
	}
	page, err := HTML(r, past)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{reportFile: append(raw, '\n'), "report.md": []byte(Markdown(r)), "report.html": page} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return nil
}

// history are the reports of the same cases in the folders beside this one, and r.
func history(dir string, r Report) ([]Report, error) {
	names, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", reportFile))
	if err != nil {
		return nil, err
	}
	out := []Report{r}
	for _, name := range names {
		p, err := Read(name)
		if err == nil && filepath.Dir(name) != dir && p.Plan.Suite == r.Plan.Suite && slices.Equal(p.Plan.Cases, r.Plan.Cases) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Report) int { return a.Started.Compare(b.Started) })
	return out, nil
}

// Markdown is the report for a page.
func Markdown(r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fettle eval: %s\n\n%d results, %s, seed %d.\n\n| figure | |\n| --- | --- |\n", r.Plan.Suite, len(r.Results), r.Plan.Made, r.Plan.Seed)
	for _, l := range r.All.lines() {
		fmt.Fprintf(&b, "| %s | %s |\n", l.Name, l.Value)
	}
	fmt.Fprint(&b, "\n| case | class | verdict | tier | seconds | cost |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, res := range r.Results {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.1f | %s |\n", res.Case, res.Class, res.Verdict, res.Tier, res.Seconds, res.Cost)
	}
	return b.String()
}

func (r Rate) String() string {
	if r.Of == 0 {
		return "none to measure"
	}
	return fmt.Sprintf("%d of %d, %.0f %% (%.0f to %.0f)", r.N, r.Of, 100*r.Rate, 100*r.Low, 100*r.High)
}

// line is a figure with its name.
type line struct{ Name, Value string }

// lines are the figures that were measured.
func (f Figures) lines() (out []line) {
	add := func(name string, r Rate) {
		if r.Of > 0 {
			out = append(out, line{name, r.String()})
		}
	}
	out = append(out, line{"called ready and right", f.ReadyOK.String()})
	add("right and called ready", f.SolvedOK)
	add("success", f.Success)
	add("valid patch", f.Valid)
	add("patch with tests", f.Tested)
	add("to be rolled back", f.Rollback)
	add("generic fixes", f.Generic)
	add("places named", f.Places)
	add("edits applied at once", f.FirstTime)
	add("answers not readable", f.Unread)
	out = append(out,
		line{"seconds of a case", fmt.Sprintf("mean %.1f, median %.1f, p90 %.1f, most %.1f", f.Seconds.Mean, f.Seconds.Median, f.Seconds.P90, f.Seconds.Max)},
		line{"cost", fmt.Sprintf("%s, %s a case, %s a success", f.Cost, f.PerCase, f.PerSuccess)})
	if f.Calls > 0 {
		out = append(out,
			line{"calls of models", fmt.Sprintf("%d, %d tokens in, %d out", f.Calls, f.TokensIn, f.TokensOut)},
			line{"tokens of such a case", fmt.Sprintf("in: median %.0f, most %.0f; out: median %.0f, most %.0f", f.CaseIn.Median, f.CaseIn.Max, f.CaseOut.Median, f.CaseOut.Max)})
	}
	if f.Waited.Max > 0 {
		out = append(out, line{"of it waiting for answers", fmt.Sprintf("median %.1f s, most %.1f s", f.Waited.Median, f.Waited.Max)})
	}
	if len(f.AnsweredBy) > 0 {
		out = append(out, line{"answered by", strings.Join(f.AnsweredBy, ", ")})
	}
	if f.FirstTime.Of > 0 {
		out = append(out, line{"saved by edits", fmt.Sprintf("%.0f %%", 100*f.Saving)})
	}
	for _, rung := range f.Ladder {
		out = append(out, line{"up to " + string(rung.Tier), fmt.Sprintf("%s, %s", rung.Solved, rung.Cost)})
	}
	return out
}

// Table is the report for a terminal.
func Table(r Report) string {
	var b strings.Builder
	if r.Skipped != "" {
		fmt.Fprintf(&b, "%s\n", r.Skipped)
	}
	for _, l := range r.All.lines() {
		fmt.Fprintf(&b, "%-24s %s\n", l.Name, l.Value)
	}
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	for _, by := range slices.Sorted(maps.Keys(r.By)) {
		fmt.Fprintf(w, "\n%s\tCASES\tRIGHT\tREADY AND RIGHT\tMEDIAN S\tCOST\n", strings.ToUpper(by))
		for _, name := range slices.Sorted(maps.Keys(r.By[by])) {
			f := r.By[by][name]
			fmt.Fprintf(w, "%s\t%d\t%d\t%d of %d\t%.1f\t%s\n", name, f.Cases, f.Success.N, f.ReadyOK.N, f.ReadyOK.Of, f.Seconds.Median, f.Cost)
		}
	}
	fmt.Fprint(w, "\nCASE\tVERDICT\tTIER\tSECONDS\tCOST\n")
	for _, res := range r.Results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.1f\t%s\n", res.Case, res.Verdict, res.Tier, res.Seconds, res.Cost)
	}
	_ = w.Flush() // into memory
	return b.String()
}
