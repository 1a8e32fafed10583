package settings

import (
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Limits of a budget: wide enough for anyone, narrow enough to catch a slip.
const (
	maxUSD      = 10_000
	maxCapUSD   = 1_000_000
	maxMinutes  = 24 * 60
	maxAttempts = 200
	maxReplans  = 20
	maxSteps    = 50
)

var (
	budgetKeys = []string{"usd", "minutes", "attempts_per_tier", "attempts", "max_tier", "replans", "steps", "explore"}
	capKeys    = []string{"issue_usd", "installation_day_usd", "server_month_usd"}
)

// capAdvice answers a repository that tries to set what is spent on others too.
var capAdvice = advice("belongs to the operator's own file and cannot be set by a repository; budget.usd limits one task", capKeys...)

// money reads the operator's budget of a task, and the caps beside it.
func (s *Settings) money(v value) (task.Budget, error) {
	if err := v.only(nil, slices.Concat(budgetKeys, capKeys)...); err != nil {
		return s.Budget, err
	}
	dollars := func(v value) (task.USD, error) {
		usd, err := v.number(0.01, maxCapUSD) // 0 would be no cap at all
		return task.Dollars(usd), err
	}
	said, err := budget(v, task.Budget{})
	if err != nil {
		return s.Budget, err
	}
	s.BudgetSaid = said
	b, err := budget(v, s.Budget)
	return b, first(err,
		set(v, "issue_usd", &s.Caps.Issue, dollars),
		set(v, "installation_day_usd", &s.Caps.InstallationDay, dollars),
		set(v, "server_month_usd", &s.Caps.ServerMonth, dollars),
	)
}

// repoBudget reads a repository's wish.
func repoBudget(v value) (task.Budget, error) {
	if err := v.only(capAdvice, slices.Clone(budgetKeys)...); err != nil {
		return task.Budget{}, err
	}
	return budget(v, task.Budget{})
}

func budget(v value, from task.Budget) (task.Budget, error) {
	b, usd, minutes := from, -1.0, -1.0
	replans, explore := -1, !b.NoExplore
	err := first(
		set(v, "usd", &usd, func(v value) (float64, error) { return v.number(0, maxUSD) }),
		set(v, "minutes", &minutes, func(v value) (float64, error) { return v.number(0.1, maxMinutes) }),
		set(v, "attempts_per_tier", &b.AttemptsPerTier, whole(1, maxAttempts)),
		set(v, "attempts", &b.Attempts, whole(1, maxAttempts)),
		set(v, "replans", &replans, whole(0, maxReplans)),
		set(v, "steps", &b.Steps, whole(1, maxSteps)),
		set(v, "max_tier", &b.MaxTier, tierName),
		set(v, "explore", &explore, value.boolean),
	)
	b.NoExplore = !explore
	switch {
	case replans > 0:
		b.Replans = replans
	case replans == 0: // a zero field would mean the default
		b.Replans = -1
	}
	if minutes > 0 {
		b.Duration = time.Duration(minutes * float64(time.Minute))
	}
	if usd >= 0 {
		b.USD = task.Dollars(usd)
	}
	if usd >= 0 && b.USD == 0 { // a zero field would mean the default
		b.USD, b.MaxTier = 1, task.TierMechanical
	}
	return b, err
}

func tierName(v value) (task.Tier, error) {
	s, err := v.oneOf(string(task.TierMechanical), string(task.Tier1), string(task.Tier2), string(task.Tier3))
	return task.Tier(s), err
}

// replans is how many revisions a budget allows.
func replans(b task.Budget) int {
	switch {
	case b.Replans == 0:
		return task.DefaultReplans
	case b.Replans < 0:
		return 0
	}
	return b.Replans
}

// narrowReplans is narrow for a field whose zero means the default and whose
// negative means none.
func narrowReplans(b *task.Budget, ask task.Budget, note func(key string, asked, holds any)) {
	if ask.Replans == 0 {
		return
	}
	if replans(ask) > replans(*b) {
		note("replans", replans(ask), replans(*b))
		return
	}
	b.Replans = ask.Replans
}
