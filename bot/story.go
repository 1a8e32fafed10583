package bot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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
	fmt.Fprintf(&b, "  %s\n", Standing(r))
	o := OutlineOf(r)
	if o.Triage != "" {
		fmt.Fprintf(&b, "  triage: %s\n", oneLine(o.Triage, 160))
	}
	if o.RedTests != "" {
		fmt.Fprintf(&b, "  red tests: %s\n", oneLine(o.RedTests, 160))
		for _, d := range o.Claims[:min(len(o.Claims), 3)] {
			fmt.Fprintf(&b, "    %s\n", oneLine(d, 200))
		}
	}
	if o.Reproduction != "" {
		fmt.Fprintf(&b, "  reproduction: %s\n", oneLine(o.Reproduction, 260))
	}
	if len(o.Plan.Steps) > 1 {
		fmt.Fprintf(&b, "\nPlan %d (%s)\n", r.Saved.PlanNo, o.Plan.Origin)
		for i, s := range o.Plan.Steps {
			mark := " "
			if i < len(r.Saved.Done) {
				mark = "x"
			}
			fmt.Fprintf(&b, "  [%s] %d. %s\n", mark, i+1, oneLine(s.Goal, 100))
		}
	}
	attempts := AttemptsOf(r)
	if len(attempts) > 0 {
		b.WriteString("\nWhat was tried\n")
	}
	for i, a := range attempts {
		if i > 0 && attempts[i-1].Tier != a.Tier {
			fmt.Fprintf(&b, "     ↑ to %s: %s\n", a.Tier, oneLine(attempts[i-1].Why, 110))
		}
		fmt.Fprintf(&b, "  %2d %-10s %7s %6s  %s\n", a.Number, a.Tier, a.Cost, a.Elapsed.Round(100*time.Millisecond), oneLine(Tried(a), 110))
		fmt.Fprintf(&b, "     → %s\n", oneLine(Came(a), 110))
	}
	saw := Saw(r, decisions)
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

// Outline is what a run settled before it tried anything.
type Outline struct {
	Triage       string
	RedTests     string
	Claims       []string // what is said of single red tests
	Reproduction string
	Plan         agent.Plan
}

// OutlineOf reads it out of what the run saved; what is not there is empty.
func OutlineOf(r task.Run) (o Outline) {
	var triaged triage.Verdict
	if json.Unmarshal(r.Saved.Triage, &triaged) == nil && triaged.Action != triage.Start {
		o.Triage = fmt.Sprintf("%s, %s", triaged.Action, strings.Join(triaged.Reasons, "; "))
	}
	var claims belong.Sorted
	if json.Unmarshal(r.Saved.Claim, &claims) == nil {
		o.RedTests = claims.Words
		for _, d := range claims.Decisions {
			o.Claims = append(o.Claims, fmt.Sprintf("%s: %s", d.Verdict, d.Words()))
		}
	}
	var found example.Found
	if json.Unmarshal(r.Saved.Example, &found) == nil && found.Path != "" {
		who := "made from the issue's example"
		if found.By != "" {
			who = fmt.Sprintf("written by %s before any fix, fails on the base with %s", found.By, found.Fails)
		}
		o.Reproduction = found.Path + ", " + who
	}
	_ = json.Unmarshal(r.Saved.Plan, &o.Plan) // without one it is empty
	return o
}

// AttemptsOf are the run's attempts, in their order.
func AttemptsOf(r task.Run) []task.Attempt {
	if r.Result != nil && len(r.Saved.Attempts) == 0 {
		return r.Result.Attempts
	}
	return r.Saved.Attempts
}

// Standing is the run's state in a line.
func Standing(r task.Run) string {
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

// Tried says what an attempt did.
func Tried(a task.Attempt) string {
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

// Came says what came of an attempt.
func Came(a task.Attempt) string {
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
		if n := len(a.Failures) - 1 + a.Unkept; n > 0 {
			why += fmt.Sprintf(" and %d more like this", n)
		}
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

// Saw tells what was put before models, why, and what they asked for.
func Saw(r task.Run, decisions [][]byte) []string {
	var out []string
	for _, line := range decisions {
		var d task.Decision
		if json.Unmarshal(bytes.TrimSpace(line), &d) != nil {
			continue
		}
		switch d.Kind {
		case "model.shown", "traced", "plan.skipped", "memory.recalled", "memory.shown", "memory.corrected":
			if words := oneLine(d.Reason, 400); words != "" {
				out = append(out, words)
			}
		case "model.looked":
			out = append(out, fmt.Sprintf("  the %v asks: %s", d.Data["as"], oneLine(d.Reason, 160)))
		}
	}
	if n := len(out) - mostSaw; n > 0 {
		out = append(out[:mostSaw], fmt.Sprintf("… and %s more; see 'fettle runs log'", task.Count(n, "line")))
	}
	if words := helped(r, AttemptsOf(r)); words != "" {
		out = append(out, words)
	}
	return out
}

// turns are the decisions that say why a run went the way it went.
var turns = strings.Fields(`claimed reproduction.made reproduction.asked reproduction.turned_down reproduction.accepted reproduction.none reproduction.given_up conform.read conform.turned_down conform.given_up
	plan plan.skipped tier.chosen tier.skipped attempt.judged step.done budget.refused gate.asked gate.spared gate.approved gate.rejected heal.degraded heal.healthy ended`)

// Turns are those of the decisions that say why the run began at its tier, why it
// climbed, and what was asked of humans.
func Turns(decisions [][]byte) (out []task.Decision, err error) {
	for _, line := range decisions {
		var d task.Decision
		if err := json.Unmarshal(line, &d); err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		if slices.Contains(turns, d.Kind) {
			out = append(out, d)
		}
	}
	return out, nil
}

// About names what a decision is about and what followed.
func About(d task.Decision) string {
	var parts []string
	for _, k := range []string{"tier", "strategy", "attempt", "step", "next", "by", "loop", "outcome"} {
		if v, ok := d.Data[k]; ok && fmt.Sprint(v) != "" {
			parts = append(parts, fmt.Sprintf("%s %v", k, v))
		}
	}
	if why, ok := d.Data["why"].([]any); ok && len(why) > 0 { // which red tests are the issue's
		for _, w := range why[:min(len(why), 3)] {
			parts = append(parts, fmt.Sprint(w))
		}
	}
	return strings.Join(parts, ", ")
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
