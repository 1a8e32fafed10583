package bot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop/triage"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// Story tells how a run went, for somebody who was not there: what was asked,
// where it stands, what each attempt tried and what came of it, why it climbed,
// the last decision, and what to do next. Foreign words in it are as they came:
// print it through the funnel.
func Story(r task.Run, decisions [][]byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", oneLine(r.Task.Title, 100))
	fmt.Fprintf(&b, "  %s, asked %s%s\n", r.Task.Repo.Slug(), r.CreatedAt.Local().Format("2006-01-02 15:04"), prefixed(" by ", r.Task.Actor))
	fmt.Fprintf(&b, "  %s\n", standing(r))
	var triaged triage.Verdict
	if json.Unmarshal(r.Saved.Triage, &triaged) == nil && triaged.Action != triage.Start {
		fmt.Fprintf(&b, "  triage: %s, %s\n", triaged.Action, oneLine(strings.Join(triaged.Reasons, "; "), 160))
	}
	var claims belong.Sorted
	if json.Unmarshal(r.Saved.Claim, &claims) == nil && claims.Words != "" {
		fmt.Fprintf(&b, "  red tests: %s\n", oneLine(claims.Words, 160))
		for _, d := range claims.Decisions[:min(len(claims.Decisions), 3)] {
			fmt.Fprintf(&b, "    %s: %s\n", d.Verdict, oneLine(d.Words(), 200))
		}
	}
	var found example.Found
	if json.Unmarshal(r.Saved.Example, &found) == nil && found.Path != "" {
		who := "made from the issue's example"
		if found.By != "" {
			who = fmt.Sprintf("written by %s before any fix, fails on the base with %s", found.By, found.Fails)
		}
		fmt.Fprintf(&b, "  reproduction: %s, %s\n", found.Path, oneLine(who, 160))
	}
	var plan agent.Plan
	if json.Unmarshal(r.Saved.Plan, &plan) == nil && len(plan.Steps) > 1 {
		fmt.Fprintf(&b, "\nPlan %d (%s)\n", r.Saved.PlanNo, plan.Origin)
		for i, s := range plan.Steps {
			mark := " "
			if i < len(r.Saved.Done) {
				mark = "x"
			}
			fmt.Fprintf(&b, "  [%s] %d. %s\n", mark, i+1, oneLine(s.Goal, 100))
		}
	}
	attempts := r.Saved.Attempts
	if r.Result != nil && len(attempts) == 0 {
		attempts = r.Result.Attempts
	}
	if len(attempts) > 0 {
		b.WriteString("\nWhat was tried\n")
	}
	for i, a := range attempts {
		if i > 0 && attempts[i-1].Tier != a.Tier {
			fmt.Fprintf(&b, "     ↑ to %s: %s\n", a.Tier, oneLine(attempts[i-1].Why, 110))
		}
		fmt.Fprintf(&b, "  %2d %-10s %7s %6s  %s\n", a.Number, a.Tier, a.Cost, a.Elapsed.Round(100*time.Millisecond), oneLine(tried(a), 110))
		fmt.Fprintf(&b, "     → %s\n", oneLine(came(a), 110))
	}
	saw := sawOf(decisions)
	if words := helped(r, attempts); words != "" {
		saw = append(saw, words)
	}
	if len(saw) > 0 {
		fmt.Fprintf(&b, "\nWhat models saw\n  %s\n", strings.Join(saw, "\n  "))
	}
	last := lastDecision(decisions)
	if last != "" {
		fmt.Fprintf(&b, "\nLast decision  %s\n", oneLine(last, 160))
	}
	next := "It goes on by itself."
	switch {
	case r.Result != nil:
		next = afterwards(*r.Result, r.Result.Published)
	case r.Waiting != nil:
		next = fmt.Sprintf("Say 'fettle runs approve %s' or 'fettle runs reject %s --feedback WORDS'.", r.ID, r.ID)
	}
	fmt.Fprintf(&b, "\nNext           %s\n", next)
	return b.String()
}

// standing is the run's state in a line.
func standing(r task.Run) string {
	switch {
	case r.State == task.StateDone:
		draft := ""
		if r.Result != nil && r.Result.Draft {
			draft = " (a draft)"
		}
		return fmt.Sprintf("ended: %s%s%s; %s in %s", strings.ReplaceAll(string(r.Outcome), "_", " "), draft, prefixed(", ", oneLine(r.Reason, 160)), r.Cost, task.Count(r.Attempts, "attempt"))
	case r.Waiting != nil:
		return fmt.Sprintf("waits for a human since %s: %s", r.Waiting.Asked.Local().Format("2006-01-02 15:04"), oneLine(r.Waiting.Words, 160))
	case r.State == task.StateParked && !r.NotBefore.IsZero():
		return fmt.Sprintf("put aside until %s: %s", r.NotBefore.Local().Format("2006-01-02 15:04"), oneLine(r.Reason, 160))
	}
	return fmt.Sprintf("%s%s; %s of %s, %s", r.State, prefixed(" at ", string(r.Tier)), r.Cost, r.Budget.USD, task.Count(r.Attempts, "attempt"))
}

func tried(a task.Attempt) string {
	if len(a.Patch.Edits) == 0 {
		if a.Tier == task.TierMechanical {
			return "searched for a mechanical repair"
		}
		return "no change" + prefixed(" by ", a.Model)
	}
	var places []string
	for _, g := range a.Regions {
		places = append(places, fmt.Sprintf("%s in %s", g.Name, g.Path))
	}
	if len(places) == 0 {
		places = a.Patch.Paths()
	}
	return "changed " + strings.Join(places, ", ") + prefixed(": ", a.Explanation)
}

func came(a task.Attempt) string {
	why := a.Why
	if why == "" {
		why = a.Refused
	}
	if !a.Green && len(a.Fixed) > 0 {
		why += fmt.Sprintf("; %s mended", task.Count(len(a.Fixed), "test"))
	}
	if !a.Green && len(a.Failures) > 0 {
		f := a.Failures[0]
		why += fmt.Sprintf(" (%s: %s)", f.Test, strings.TrimSpace(f.Exception+" "+f.Message))
	}
	return why
}

// helped says whether the lessons of earlier runs helped.
func helped(r task.Run, attempts []task.Attempt) string {
	got := r.Saved.Recalled
	if got == nil || len(got.Lessons) == 0 {
		return ""
	}
	var used []string
	for _, a := range attempts {
		if len(a.Lessons) == 0 {
			continue
		}
		ids := strings.Join(a.Lessons, ", ")
		applied := a.Search != nil && len(task.LessonsOf(a.Search.Template)) > 0
		kept := r.Outcome == task.Success && r.Result != nil && r.Result.Best != nil && r.Result.Best.Number == a.Number
		switch {
		case applied && kept:
			used = append(used, fmt.Sprintf("attempt %d is the edit of lesson %s, and it helped: the run ended with it", a.Number, ids))
		case applied:
			used = append(used, fmt.Sprintf("attempt %d is the edit of lesson %s, and it did not help", a.Number, ids))
		case kept:
			used = append(used, fmt.Sprintf("attempt %d was made with lessons %s, and the run ended with it", a.Number, ids))
		default:
			used = append(used, fmt.Sprintf("attempt %d was made with lessons %s, and it did not help", a.Number, ids))
		}
	}
	if len(used) == 0 {
		return "lessons of earlier runs were known, and none was used"
	}
	return strings.Join(used, "; ")
}

const mostSaw = 40 // lines

// sawOf tells what was put before models, why, and what they asked for.
func sawOf(decisions [][]byte) []string {
	var out []string
	for _, line := range decisions {
		var d task.Decision
		if json.Unmarshal(bytes.TrimSpace(line), &d) != nil {
			continue
		}
		switch d.Kind {
		case "model.shown", "traced", "plan.skipped", "memory.recalled", "memory.shown", "memory.corrected":
			out = append(out, oneLine(d.Reason, 400))
		case "model.looked":
			out = append(out, fmt.Sprintf("  the %v asks: %s", d.Data["as"], oneLine(d.Reason, 160)))
		}
	}
	if n := len(out) - mostSaw; n > 0 {
		out = append(out[:mostSaw], fmt.Sprintf("… and %s more; see 'fettle runs log'", task.Count(n, "line")))
	}
	return out
}

func lastDecision(decisions [][]byte) string {
	for i := len(decisions) - 1; i >= 0; i-- {
		var d task.Decision
		if json.Unmarshal(bytes.TrimSpace(decisions[i]), &d) == nil && d.Kind != "ended" && d.Kind != "model.looked" && d.Kind != "model.shown" {
			return fmt.Sprintf("%s: %s", d.Kind, d.Reason)
		}
	}
	return ""
}

func oneLine(s string, n int) string { return cut(strings.Join(strings.Fields(s), " "), n) }
