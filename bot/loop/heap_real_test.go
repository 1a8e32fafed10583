package loop_test

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// BenchmarkL1MemoryOfARunInTheSandbox is a run of ten attempts on a real tree
// with real tests, whose changes have 64 KiB each. It reports the most of the
// heap that was reachable beyond what was there before; parsers and caches that
// a process keeps for all runs are in it at the first run.
func BenchmarkL1MemoryOfARunInTheSandbox(b *testing.B) {
	var most, left float64
	for b.Loop() {
		n := 0
		w := newBenchWith(b, weave, func(scripted.Call, int) scripted.Answer {
			n++
			return scripted.Answer{Text: scripted.Edit("weave.py", "interleave", loop.Bulk(64<<10, n), "no better"), TokensIn: 1000, TokensOut: 100}
		}, func(e *model.Endpoint) { e.MaxTokens, e.PriceIn, e.PriceOut = 1<<20, 0, 0 }, task.Tier1, task.Tier2, task.Tier3)
		var peak uint64
		before := loop.Live()
		journal := loop.Forgetful{Memory: w.journal, Look: func() { peak = max(peak, loop.Live()) }}
		res, err := w.engine.Run(b.Context(), loop.Input{RunID: "r1", Task: w.task, Tree: w.tree, Journal: journal})
		if err != nil || len(res.Attempts) != 10 || strings.Count(res.Attempts[9].Diff, "\n") < 500 {
			b.Fatalf("%d attempts, %s (%s), %v", len(res.Attempts), res.Outcome, res.Reason, err)
		}
		mib := func(v uint64) float64 { return max(0, float64(v)-float64(before)) / (1 << 20) }
		most, left = max(most, mib(peak)), max(left, mib(loop.Live()))
	}
	if most > loop.MostMiB {
		b.Errorf("%.1f MiB were reachable, %d are allowed", most, loop.MostMiB)
	}
	b.ReportMetric(most, "MiB-peak-live")
	b.ReportMetric(left, "MiB-after")
}
