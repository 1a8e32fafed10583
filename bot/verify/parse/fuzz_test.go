package parse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzz feeds one reader with the recordings of its format and checks what every
// report must keep, whatever is read.
func fuzz(f *testing.F, format Format) {
	for _, rec := range recordings {
		if rec.format != format {
			continue
		}
		names, _ := filepath.Glob(filepath.Join("testdata", rec.glob))
		for _, name := range names[:min(2, len(names))] {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rep := Read(format, data, Place{Root: "/srv/shop", Suite: "s", Module: "example.com/shop"})
		seen := map[string]bool{}
		for _, test := range rep.Tests {
			if test.ID == "" || seen[test.ID] || worse[test.Status] == 0 && test.Status != Skipped {
				t.Errorf("test %+v", test)
			}
			seen[test.ID] = true
		}
		for _, fail := range rep.Failures() {
			if len(fail.Fingerprint) != 16 || fail.Kind == "" || fail.Line < 0 || len(fail.Message) > maxMessage || len(fail.Excerpt) > maxExcerpt ||
				len(fail.Trace) > maxFrames || !utf8.ValidString(fail.Message+fail.Excerpt+fail.File) || strings.HasPrefix(fail.File, "../") {
				t.Errorf("failure %+v", fail)
			}
		}
	})
}

func FuzzPytest(f *testing.F)    { fuzz(f, Pytest) }
func FuzzUnittest(f *testing.F)  { fuzz(f, Unittest) }
func FuzzGoJSON(f *testing.F)    { fuzz(f, GoJSON) }
func FuzzGoText(f *testing.F)    { fuzz(f, GoText) }
func FuzzTAP(f *testing.F)       { fuzz(f, TAP) }
func FuzzNodeSpec(f *testing.F)  { fuzz(f, NodeSpec) }
func FuzzJestJSON(f *testing.F)  { fuzz(f, JestJSON) }
func FuzzJest(f *testing.F)      { fuzz(f, Jest) }
func FuzzVitest(f *testing.F)    { fuzz(f, Vitest) }
func FuzzMocha(f *testing.F)     { fuzz(f, MochaOut) }
func FuzzMochaJSON(f *testing.F) { fuzz(f, MochaJS) }
func FuzzJUnit(f *testing.F)     { fuzz(f, JUnit) }
func FuzzCargo(f *testing.F)     { fuzz(f, Cargo) }
func FuzzSurefire(f *testing.F)  { fuzz(f, Surefire) }

func FuzzLines(f *testing.F) {
	f.Add([]byte("a.py:1:2: E501 line too long\na.ts(1,2): error TS1: x\n"))
	fuzz(f, Lines)
}

func FuzzTraces(f *testing.F) {
	f.Add([]byte("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x\n"))
	f.Add([]byte("panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/shop/a.go:3 +0x1\n"))
	f.Add([]byte("Error: x\n    at f (/srv/shop/a.js:1:2)\n"))
	f.Add([]byte("java.lang.Error: x\n\tat shop.Cart.mean(Cart.java:9)\n"))
	fuzz(f, Traces)
}
