package settings

import (
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// AskedRisk is the risk score over which a change needs a yes, where critical
// steps do.
const AskedRisk = 50

func defaultGates() task.Gates { return task.Gates{Outsider: task.OutsiderSkipCI} }

// gates reads where runs wait for a human.
func gates(v value, from task.Gates) (task.Gates, error) {
	g, critical, outsider := from, false, string(from.Outsider)
	err := first(
		v.only(nil, "plan", "critical", "outsider"),
		set(v, "plan", &g.Plan, value.boolean),
		set(v, "critical", &critical, value.boolean),
		set(v, "outsider", &outsider, func(v value) (string, error) {
			return v.oneOf(string(task.OutsiderSkipCI), string(task.OutsiderApprove), string(task.OutsiderOff))
		}),
	)
	g.Outsider = task.OutsiderGate(outsider)
	if critical {
		g.Critical, g.RiskOver = true, AskedRisk
	}
	return g, err
}

// readGates reads a repository's gates: a mapping as the operator's, or a list
// of reasons to leave each pull request a draft.
func (r *Repo) readGates(root value) (err error) {
	v, ok := root.has("gates")
	switch {
	case !ok:
	case v.kind == mapping:
		r.Ask, err = gates(v, task.Gates{})
	default:
		r.Gates, err = v.strings(plainWord)
	}
	return err
}

// Stricter is where a run waits that has to wait at the gates of both. What is
// not said in b does not count.
func Stricter(a, b task.Gates) task.Gates {
	a.PlanLarge = (a.PlanLarge || !a.Plan) && (b.PlanLarge || !b.Plan) && (a.Plan || b.Plan)
	a.Plan, a.PlanFirst, a.Critical = a.Plan || b.Plan, a.PlanFirst || b.PlanFirst, a.Critical || b.Critical
	if a.RiskOver == 0 || b.RiskOver > 0 && b.RiskOver < a.RiskOver {
		a.RiskOver = b.RiskOver
	}
	if b.Outsider != "" && strictness(b.Outsider) > strictness(a.Outsider) {
		a.Outsider = b.Outsider
	}
	return a
}

func strictness(g task.OutsiderGate) int {
	return map[task.OutsiderGate]int{task.OutsiderOff: 0, task.OutsiderApprove: 2, task.OutsiderSkipCI: 1, "": 1}[g]
}

// NarrowGates adds a repository's gates to the operator's. The notes say which
// of its wishes does not hold. r may be nil.
func NarrowGates(allowed task.Gates, r *Repo) (task.Gates, []string) {
	if r == nil {
		return allowed, nil
	}
	var notes []string
	if ask := r.Ask.Outsider; ask != "" && strictness(ask) < strictness(allowed.Outsider) {
		notes = append(notes, fmt.Sprintf("%s: gates.outsider %s is less than the operator demands; %s holds", RepoFile, ask, allowed.Outsider))
	}
	return Stricter(allowed, r.Ask), notes
}
