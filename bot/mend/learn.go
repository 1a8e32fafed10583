package mend

import (
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// What was accepted in a repository makes the same template, and the same file,
// likelier there, and what was not makes them less likely (SPEC R4): by a step
// for each earlier change, bounded, since a few changes tell little.
const (
	templateStep, fileStep = 0.25, 0.1
	mostLearnt, leastLearn = 2.0, 0.5
)

// experience is what came of earlier mechanical changes of a repository.
type experience struct {
	template, file map[string]tally
}

type tally struct{ taken, all int }

func (t tally) with(accepted bool) tally {
	t.all++
	if accepted {
		t.taken++
	}
	return t
}

func newExperience(past []task.Mended) experience {
	e := experience{template: map[string]tally{}, file: map[string]tally{}}
	for _, m := range past {
		e.template[m.Template] = e.template[m.Template].with(m.Accepted)
		e.file[m.Path] = e.file[m.Path].with(m.Accepted)
	}
	return e
}

// weight is how much likelier a change became by what worked before.
func (e experience) weight(template, file string) float64 {
	step := func(t tally, by float64) float64 { return by * float64(2*t.taken-t.all) }
	return min(max(1+step(e.template[template], templateStep)+step(e.file[file], fileStep), leastLearn), mostLearnt)
}

// words say that a template worked here before; "" where it was never used.
func (e experience) words(template string) string {
	t := e.template[template]
	if t.all == 0 {
		return ""
	}
	return fmt.Sprintf("the template worked in this repository before: %d of %d", t.taken, t.all)
}
