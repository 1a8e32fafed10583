package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/task"
)

// aside is a run of this command line that was put aside: until a human has
// answered, or until a cap on what runs spend together lets go. It holds
// nothing, and nobody but its owner takes it up.
type aside struct {
	id    string
	until time.Time // zero: a human answers
	why   string
}

// asideOf tells whether a run ended with being put aside.
func asideOf(id string, err error) *aside {
	var parked *bot.Parked
	switch {
	case errors.As(err, &parked):
		return &aside{id, parked.Until, parked.Why}
	case errors.Is(err, bot.ErrWaits):
		return &aside{id: id, why: err.Error()}
	}
	return nil
}

func (a *aside) next() string {
	if a.until.IsZero() {
		return fmt.Sprintf("'fettle runs show %s', then 'fettle runs approve %s' or 'fettle runs reject %s --feedback WORDS'", a.id, a.id, a.id)
	}
	return fmt.Sprintf("raise budget.server_month_usd or budget.installation_day_usd in the operator's file, or wait; then 'fettle runs resume %s'", a.id)
}

// print says why and what to do, and ends with the status of a run that waits,
// or of one that has spent what it may.
func (a *aside) print(p *parts, out, errs io.Writer, asJSON bool) error {
	end := ending(exitWaits)
	head := fmt.Sprintf("run %s waits for you", a.id)
	if !a.until.IsZero() {
		end, head = ending(task.BudgetExhausted.ExitCode()), fmt.Sprintf("run %s was put aside until %s", a.id, a.until.Local().Format("2006-01-02 15:04"))
	}
	if asJSON {
		if err := printSummary(out, bot.Summary{RunID: a.id, Reason: p.funnel.Log(a.why), NextAction: a.next()}, true); err != nil {
			return err
		}
	}
	fmt.Fprintf(errs, "fettle: %s\n  why   %s\n  next  %s\n", head, p.funnel.Log(a.why), a.next())
	return end
}
