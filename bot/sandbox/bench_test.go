package sandbox

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkStart reports what the whole profile costs over a plain exec of the
// same program, as difference (ms) and ratio, both measured in turns.
func BenchmarkStart(b *testing.B) {
	s := newBoxed(b, Config{})
	w := workspace(b, s, map[string]string{"a": "b"})
	var plain, confined time.Duration
	for b.Loop() {
		began := time.Now()
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
		plain += time.Since(began)
		began = time.Now()
		if r, err := w.Run(context.Background(), Command{Argv: []string{"/bin/true"}}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
		confined += time.Since(began)
	}
	b.ReportMetric(float64((confined-plain).Microseconds())/1000/float64(b.N), "ms-over-exec")
	b.ReportMetric(float64(confined)/float64(plain), "times-exec")
}

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
