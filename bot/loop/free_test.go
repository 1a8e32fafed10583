package loop

import (
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// TestR1TheFreeSearchHasTheTimeOfTheRun: all that is left where nothing comes
// after it, and a share of it before models.
func TestR1TheFreeSearchHasTheTimeOfTheRun(t *testing.T) {
	t.Parallel()
	const before = time.Second // the baseline of the double
	for _, tc := range []struct {
		limit, want time.Duration
		tiers       []task.Tier
	}{
		{3 * time.Minute, 3*time.Minute - before, nil},
		{0, task.DefaultBudget().Duration - before, nil},
		{3 * time.Minute, leastFree, []task.Tier{task.Tier1}},
		{time.Minute, (time.Minute - before) / 2, []task.Tier{task.Tier1}},
		{20*time.Minute + before, 2 * time.Minute, []task.Tier{task.Tier1, task.Tier2}},
	} {
		s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("right") }, tc.tiers...)
		s.in.Budget.Duration = tc.limit
		if _, err := s.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.world.until != tc.want {
			t.Errorf("a run of %s with the tiers %v: the search has %s, want %s", tc.limit, tc.tiers, s.world.until, tc.want)
		}
	}
}
