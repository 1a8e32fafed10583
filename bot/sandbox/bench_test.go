package sandbox

import (
	"context"
	"os/exec"
	"testing"
)

func BenchmarkStartConfined(b *testing.B) {
	s := newBoxed(b, Config{})
	w := workspace(b, s, map[string]string{"a": "b"})
	for b.Loop() {
		if r, err := w.Run(context.Background(), Command{Argv: []string{"/bin/true"}}); err != nil || r.ExitCode != 0 {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkStartPlain(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
