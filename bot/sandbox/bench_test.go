package sandbox

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkStart reports what the whole profile costs over a plain exec of the
// same program, measured in turns: the medians of both, their difference, and
// the difference of the tenth percentiles, which other work on the machine
// falsifies less.
func BenchmarkStart(b *testing.B) {
	s := newBoxed(b, Config{})
	w := workspace(b, s, map[string]string{"a": "b"})
	var plain, confined []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
		plain = append(plain, time.Since(began))
		began = time.Now()
		if r, err := w.Run(context.Background(), Command{Argv: []string{"/bin/true"}}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
		confined = append(confined, time.Since(began))
	}
	b.ReportMetric(milliseconds(median(plain)), "ms-plain")
	b.ReportMetric(milliseconds(median(confined)), "ms-confined")
	b.ReportMetric(milliseconds(median(confined)-median(plain)), "ms-over-exec")
	b.ReportMetric(milliseconds(quantile(confined, .1)-quantile(plain, .1)), "ms-over-exec-p10")
}

func median(d []time.Duration) time.Duration { return quantile(d, .5) }

func quantile(d []time.Duration, q float64) time.Duration {
	slices.Sort(d)
	return d[int(q*float64(len(d)-1))]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// BenchmarkWorkspace is a copy of a small repository, made and removed.
func BenchmarkWorkspace(b *testing.B) {
	s := newBoxed(b, Config{})
	files := map[string]string{}
	for _, dir := range []string{"a", "b", "c/d", "tests"} {
		for i := range 10 {
			files[dir+"/f"+string(rune('a'+i))+".py"] = "print('hello')\n"
		}
	}
	dir := tree(b, files)
	for b.Loop() {
		w, err := s.Workspace(context.Background(), dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
