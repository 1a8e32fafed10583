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

// Write writes the report into the folder of its run.
func Write(dir string, r Report) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{reportFile: append(raw, '\n')} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return nil
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
		out = append(out, line{"calls of models", fmt.Sprintf("%d, %d tokens in, %d out", f.Calls, f.TokensIn, f.TokensOut)})
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
