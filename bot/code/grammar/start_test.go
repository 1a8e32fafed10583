package grammar

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// BenchmarkStart measures what the first parse of a language costs a process:
// with the module compiled anew, and loaded compiled from the user's cache folder.
func BenchmarkStart(b *testing.B) {
	for _, m := range modules {
		for _, cached := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/cached=%v", m.name, cached), func(b *testing.B) {
				b.Setenv("XDG_CACHE_HOME", b.TempDir())
				before := resident()
				for b.Loop() {
					if !cached {
						b.Setenv("XDG_CACHE_HOME", b.TempDir())
					}
					e, err := m.start()
					if err != nil {
						b.Fatal(err)
					}
					in, err := e.take(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(in.module.Memory().Size())/(1<<20), "MB/instance")
					b.ReportMetric(float64(resident()-before)/(1<<20), "MB/resident")
					e.give(in, false)
					if err := e.runtime.Close(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// resident is the process's memory in bytes, 0 where the system does not tell.
func resident() int {
	statm, _ := os.ReadFile("/proc/self/statm")
	if f := bytes.Fields(statm); len(f) > 1 {
		pages, _ := strconv.Atoi(string(f[1]))
		return pages * os.Getpagesize()
	}
	return 0
}
