package loop

import (
	"context"
	"runtime"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// BenchmarkL1OwnTimePerAttempt is a run of ten attempts played from its record:
// everything that the loop does itself, prompts and detection included, without
// models, checks and the tree.
func BenchmarkL1OwnTimePerAttempt(b *testing.B) {
	s := newStage(b, each{"developer": wrong}.script(), task.Tier1, task.Tier2, task.Tier3)
	s.cfg.Point = func(string) {}
	res, err := s.run(context.Background())
	if err != nil || len(res.Attempts) != 10 {
		b.Fatalf("%d attempts, %v", len(res.Attempts), err)
	}
	engine, rec := New(s.offline()), s.recorded()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if _, err := engine.Replay(context.Background(), rec); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(res.Attempts))/1000, "ms/attempt")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MiB/run")
}
