package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/task"
)

// reasons say what the attempts at a step that failed have in common: why most
// of them were refused, the green test that each of them breaks, and that there
// was no plan.
func (r *run) reasons() []string {
	var out []string
	if r.plan.Origin == agent.Fallback {
		out = append(out, r.plan.Problems...)
	}
	times, most, all := map[string]int{}, "", 0
	for _, a := range r.here() {
		if a.Tier == task.TierMechanical {
			continue
		}
		all++
		if times[a.Refused]++; a.Refused != "" && times[a.Refused] > times[most] {
			most = a.Refused
		}
	}
	if n := times[most]; most != "" && (n > 1 || n == all) {
		out = append(out, fmt.Sprintf("%d of %d attempts were refused: %s", n, all, most))
	}
	if test, said, n := r.pinned(); test != "" {
		out = append(out, fmt.Sprintf("each of the %d changes that were tried turns the green test %s red%s: it may pin what the issue calls wrong", n, test, said))
	}
	return out
}

// pinned is a test that is green on the base and that each of several changes
// breaks, with what it says and the number of changes; "" when there is none.
func (r *run) pinned() (test, said string, n int) {
	var common []string
	var last task.Attempt
	for _, a := range r.here() {
		if a.Diff == "" || len(a.Checks) == 0 {
			continue
		}
		if n++; n == 1 {
			common = r.baseline.Report.Green()
		}
		common = slices.DeleteFunc(slices.Clone(common), func(id string) bool { return !slices.Contains(a.Broken, id) })
		last = a
	}
	if n < 2 || len(common) == 0 {
		return "", "", 0
	}
	for _, f := range last.Failures {
		if f.Test == common[0] {
			said = " (" + strings.Join(strings.Fields(cmp.Or(f.Exception, string(f.Kind))+" "+f.Message), " ") + ")"
		}
	}
	if len(said) > 200 {
		said = strings.ToValidUTF8(said[:200], "") + "…)"
	}
	return common[0], said, n
}

// advice is what to do about what only a human can decide, or "".
func (r *run) advice(res task.Result) string {
	if res.Outcome == task.Success {
		return ""
	}
	if way := r.wayOut(); way != "" && res.Outcome == task.Rejected && len(res.Attempts) == 0 {
		return way
	}
	if files := r.protectedTargets(); res.Outcome == task.Rejected && len(files) > 0 && !r.asks() {
		return fmt.Sprintf("Change %s yourself, or set gates.critical, so that a run asks for approval; then ask again.", strings.Join(first(files, 5), ", "))
	}
	if held := r.held(res); held != "" {
		return "Decide which is right: " + held + ". Change that test, or say in the issue what it should give; then ask again."
	}
	if len(r.holding) > 0 && len(r.red()) == 0 {
		return "See whether it is mended already, or say in the issue which call still gives something else than it should; then ask again."
	}
	if test, _, _ := r.pinned(); test != "" {
		return fmt.Sprintf("Decide whether the issue or the test %s is right: change that test, or say in the issue what it should be; then ask again.", test)
	}
	return ""
}

// held says, of a run without a change to take, which green test holds what the
// issue calls wrong, or seems to: a change that mends a failing test broke it.
func (r *run) held(res task.Result) string {
	if res.Outcome == task.Success {
		return ""
	}
	if r.example != nil && len(r.example.Pinned) > 0 {
		return r.example.Pinned[0]
	}
	for i := len(res.Attempts) - 1; i >= 0; i-- {
		if a := res.Attempts[i]; len(a.Fixed) > 0 && len(a.Broken) > 0 {
			return fmt.Sprintf("attempt %d mends %s and turns %s red, which may hold what the issue calls wrong", a.Number, names(a.Fixed), names(a.Broken))
		}
	}
	return ""
}
