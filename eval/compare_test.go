package eval

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// outcomes are results of which those named are not right.
func outcomes(n int, verdict Verdict, not ...int) Report {
	var out []Result
	for i := range n {
		out = append(out, Result{Kind: Edit, Case: fmt.Sprint(i), Verdict: Right, Changed: []string{"a"}, Cost: task.Dollars(.01)})
	}
	for _, i := range not {
		out[i].Verdict = verdict
	}
	return Score(Plan{Version: planVersion}, out)
}

func TestK4TheGateFailsOnARegressionAndPassesOnNoise(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after Report
		want          string
	}{
		"the same":                     {outcomes(42, NoChange, 1, 2), outcomes(42, NoChange, 1, 2), ""},
		"noise both ways":              {outcomes(42, NoChange, 1, 2, 3), outcomes(42, NoChange, 4, 5, 6, 7), ""},
		"four fell, which may be luck": {outcomes(42, NoChange), outcomes(42, NoChange, 1, 2, 3, 4), ""},
		"six fell":                     {outcomes(42, NoChange), outcomes(42, NoChange, 1, 2, 3, 4, 5, 6), "6 cases fell and 0 rose (p = 0.016)"},
		"wrongly called ready":         {outcomes(42, NoChange, 1, 2, 3, 4, 5), outcomes(42, WrongReady, 1, 2, 3, 4, 5), "5 changes more wrongly called ready (p = 0.031)"},
		"better":                       {outcomes(42, NoChange, 1, 2, 3, 4, 5, 6), outcomes(42, NoChange), ""},
	} {
		got := strings.Join(Compare(c.before, c.after).Regressions(), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	dear := outcomes(42, NoChange)
	for i := range dear.Results {
		dear.Results[i].Cost *= 2
	}
	if got := Compare(outcomes(42, NoChange), dear).Regressions(); len(got) != 1 || !strings.Contains(got[0], "$0.42 to $0.84") {
		t.Errorf("twice the cost: %q", got)
	}
	if p := chance(5, 0); math.Abs(p-1./32) > 1e-9 {
		t.Errorf("five heads of five: %g", p)
	}
}

func TestK4AReportOfAnotherVersionIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(dir, outcomes(3, NoChange, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err != nil {
		t.Error(err)
	}
	name := filepath.Join(dir, reportFile)
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(raw), `"version": 1`, `"version": 9`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("version 9: %v", err)
	}
}

func TestK2ThePageNeedsNothingFromTheNetworkAndShowsNoWordsAsMarkup(t *testing.T) {
	t.Parallel()
	r := outcomes(9, WrongReady, 1)
	r.Results[0].Case = "<script>alert(1)</script>"
	page, err := HTML(r, []Report{r, r})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "http://", "https://", "url(", "@import"} {
		if strings.Contains(string(page), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(string(page), "8 of 9, 89 % (57 to 98)") {
		t.Error("the first figure is not there")
	}
}

// K2: what went wrong is counted by how runs ended, and what was right is not.
func TestK2ThePageSaysWhatWentWithCasesThatAreNotRight(t *testing.T) {
	t.Parallel()
	r := outcomes(9, NoChange, 1, 2, 3)
	r.Results[1].Outcome, r.Results[2].Outcome = task.Outcome("budget_exceeded"), task.Success
	r.Results[0].Unread, r.Results[3].Unread = map[string]int{"developer malformed": 3}, map[string]int{"developer malformed": 2}
	got := map[string]string{}
	for _, b := range r.failures().Bars {
		got[b.Name] = b.Value
	}
	if want := map[string]string{"no change": "2", "budget exceeded": "1", "unreadable: developer malformed": "1"}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// The suites stand in the checkout, and each case can be read.
func TestK1TheSuitesHaveTheirCases(t *testing.T) {
	t.Parallel()
	suites, err := Suites("cases")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, s := range suites {
		got[s.Name] = len(s.Cases)
		seen := map[string]bool{}
		for _, c := range s.Cases {
			text, err := c.Issue()
			if err != nil || strings.TrimSpace(text) == "" || seen[c.Name] {
				t.Errorf("%s/%s: no issue, or twice (%v)", s.Name, c.Name, err)
			}
			seen[c.Name] = true
			dir := t.TempDir()
			if err := c.Lay(dir); err != nil {
				t.Errorf("%s/%s: %v", s.Name, c.Name, err)
			}
			if why := c.placed(dir); c.Kind == Ask && why != "" {
				t.Errorf("%s/%s: %s", s.Name, c.Name, why)
			}
		}
	}
	if got["mechanical"] != 42 || got["code_edit"] != 30 || got["mixed"] != 50 || got["prod"] != 10 {
		t.Errorf("cases: %v", got)
	}
}
