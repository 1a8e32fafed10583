package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// Bulk is code of about n bytes that resembles no other of these.
func Bulk(n, seed int) string {
	var b strings.Builder
	b.WriteString("def interleave(first, second):\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "    value_%d_%d = first[%d:] + second[%d:] + [%d]\n", seed, i, i%7, (i+seed)%5, i*seed)
	}
	return b.String() + "    return first\n"
}

// MostMiB is what a run may hold.
const MostMiB = 64

// Live is the heap that is reachable.
func Live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Forgetful is a journal that keeps nothing but the sums and the last state,
// as a process does whose journal is a database: what is measured then is the
// run's own.
type Forgetful struct {
	*Memory
	Look func() // at each effect
}

func (f Forgetful) Record(context.Context, task.Message) error { return nil }

func (f Forgetful) Decide(context.Context, task.Decision) error { return nil }

func (f Forgetful) Effect(_ context.Context, e task.Effect) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Look()
	f.Effects = append(f.Effects, task.Effect{})
	return len(f.Effects), nil
}

// Settle keeps no reply.
func (f Forgetful) Settle(ctx context.Context, id string, actual task.USD, _ json.RawMessage) error {
	return f.Memory.Settle(ctx, id, actual, nil)
}

func (f Forgetful) Save(context.Context, task.RunState) error { return nil }

// BenchmarkL1MemoryOfARun is a run of ten attempts whose answers have up to a
// mebibyte, the most that is read, and whose diffs have as much. It reports the
// most that was reachable at once beyond what was there before, sampled at
// everything that came from outside; the server's copies of the prompts are in it.
func BenchmarkL1MemoryOfARun(b *testing.B) {
	for _, size := range []int{1 << 10, 128 << 10, 1<<20 - 4<<10} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			var most, left float64
			for b.Loop() {
				peak, rest := heapOf(b, size)
				most, left = max(most, peak), max(left, rest)
			}
			if most > MostMiB {
				b.Errorf("%.1f MiB were reachable, %d are allowed", most, MostMiB)
			}
			b.ReportMetric(most, "MiB-peak-live")
			b.ReportMetric(left, "MiB-after")
		})
	}
}

func heapOf(tb testing.TB, size int) (most, left float64) {
	tb.Helper()
	n := 0
	s := newStage(tb, func(scripted.Call, int) scripted.Answer {
		n++
		a := says(Bulk(size, n))
		a.TokensIn, a.TokensOut = 1000, 100
		return a
	}, task.Tier1, task.Tier2, task.Tier3)
	ends := map[task.Tier]model.Endpoint{}
	for _, tier := range []task.Tier{task.Tier1, task.Tier2, task.Tier3} { // that takes answers of any length
		ends[tier] = model.Endpoint{Tier: tier, BaseURL: s.server.URL(), Model: "model-" + string(tier), MaxTokens: 1 << 20}
	}
	s.cfg.Models = model.New(model.Config{Endpoints: ends, Log: s.cfg.Log})
	s.cfg.Point = func(string) {}
	var peak, before uint64
	s.in.Journal = Forgetful{s.journal, func() { peak = max(peak, Live()) }}
	before = Live()
	res, err := s.run(context.Background())
	if err != nil || len(res.Attempts) != 10 {
		tb.Fatalf("%d attempts, %s (%s), %v", len(res.Attempts), res.Outcome, res.Reason, err)
	}
	whole := 0
	for _, a := range res.Attempts {
		if len(a.Diff) >= size {
			whole++
		}
	}
	if whole < 9 {
		tb.Fatalf("only %d attempts have a diff of %d bytes: %s", whole, size, res.Attempts[1].Refused)
	}
	mib := func(v uint64) float64 { return max(0, float64(v)-float64(before)) / (1 << 20) }
	rest := Live()
	runtime.KeepAlive(res)
	return mib(peak), mib(rest)
}
