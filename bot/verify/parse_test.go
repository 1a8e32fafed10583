package verify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

func signed(body string, key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(body))
	return []byte(body + hex.EncodeToString(mac.Sum(nil)) + "\n")
}

const results = `{"k":"begin","nonce":"n1"}
{"k":"collected","ids":["a.py::test_a"]}
{"k":"result","id":"a.py::test_a","status":"passed","file":"a.py"}
{"k":"end","records":2,"nonce":"n1"}
`

func TestC6ResultFilesAreTrustedOnlyWhenSignedAndWhole(t *testing.T) {
	t.Parallel()
	key := []byte("key of the run")
	recs, err := parseResults(signed(results, key), key, "n1")
	if err != nil || len(recs) != 2 || recs[1].ID != "a.py::test_a" {
		t.Fatalf("%v, %v", recs, err)
	}
	lines := strings.SplitAfter(results, "\n")
	for name, data := range map[string][]byte{
		"empty":         nil,
		"unsigned":      []byte(results),
		"another key":   signed(results, []byte("another")),
		"another nonce": signed(strings.ReplaceAll(results, "n1", "n2"), key),
		"cut":           signed(results, key)[:len(results)-20],
		"no end":        signed(lines[0]+lines[1]+lines[2], key),
		"a record less": signed(lines[0]+lines[2]+lines[3], key),
		"a record more": signed(lines[0]+lines[1]+lines[2]+lines[2]+lines[3], key),
		"one bit":       []byte(strings.Replace(string(signed(results, key)), "passed", "passeD", 1)),
		"not JSON":      signed("hello\n", key),
	} {
		if _, err := parseResults(data, key, "n1"); err == nil {
			t.Errorf("%s: trusted", name)
		}
	}
}

// Recorded from `go test -json` of Go 1.26, shortened.
const recordedGo = `{"Action":"start","Package":"example.org/a"}
{"Action":"run","Package":"example.org/a","Test":"TestX"}
{"Action":"output","Package":"example.org/a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"example.org/a","Test":"TestX","Output":"    a_test.go:7: got 1\n"}
{"Action":"output","Package":"example.org/a","Test":"TestX","Output":"        want 2\n"}
{"Action":"output","Package":"example.org/a","Test":"TestX","Output":"--- FAIL: TestX (0.01s)\n"}
{"Action":"fail","Package":"example.org/a","Test":"TestX","Elapsed":0.01}
{"Action":"run","Package":"example.org/a","Test":"TestExits"}
{"Action":"output","Package":"example.org/a","Test":"TestExits","Output":"=== RUN   TestExits\n"}
{"Action":"pass","Package":"example.org/a","Test":"TestExits","Elapsed":0}
{"Action":"run","Package":"example.org/a","Test":"TestTwice"}
{"Action":"output","Package":"example.org/a","Test":"TestTwice","Output":"--- PASS: TestTwice (0.00s)\n"}
{"Action":"pass","Package":"example.org/a","Test":"TestTwice","Elapsed":0}
{"Action":"pass","Package":"example.org/a","Test":"TestTwice","Elapsed":0}
go: a word of the go command
{"Action":"fail","Package":"example.org/a","Elapsed":0.02}
{"ImportPath":"example.org/b","Action":"build-output","Output":"# example.org/b\n"}
{"ImportPath":"example.org/b","Action":"build-output","Output":"b/b.go:3:24: undefined: x\n"}
{"ImportPath":"example.org/b","Action":"build-fail"}
{"Action":"start","Package":"example.org/b"}
{"Action":"output","Package":"example.org/b","Output":"FAIL\texample.org/b [build failed]\n"}
{"Action":"fail","Package":"example.org/b","Elapsed":0,"FailedBuild":"example.org/b"}
`

func TestC3GoEventsAreRead(t *testing.T) {
	t.Parallel()
	pkgs, builds, noise := parse.GoEvents(recordedGo)
	if len(pkgs) != 2 || !strings.Contains(noise, "a word of the go command") {
		t.Fatalf("%d packages, noise %q", len(pkgs), noise)
	}
	for name, want := range map[string]string{"TestX": StatusFailed, "TestExits": StatusError, "TestTwice": StatusError} {
		if got := pkgs[0].Tests[name].Status(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	f := parse.GoFailure(pkgs[0].Tests["TestX"].Output.String(), parse.Place{Dir: "a"})
	if f.File != "a/a_test.go" || f.Line != 7 || !strings.Contains(f.Message, "got 1") || !strings.Contains(f.Message, "want 2") || f.Kind != task.FailAssertion {
		t.Errorf("failure %+v", f)
	}
	f = parse.GoFailure("=== RUN   TestX\n    a_test.go:7: differs:\n        --- want\n        +++ got\n    --- FAIL: TestX/sub (0.00s)\n", parse.Place{Dir: "a"})
	if f.Message != "differs:\n        --- want\n        +++ got" {
		t.Errorf("a test's own words: %q", f.Message)
	}
	f = parse.GoBuildFailure(builds[pkgs[1].Build], parse.Place{})
	if f.File != "b/b.go" || f.Line != 3 || f.Message != "undefined: x" || f.Kind != task.FailBuild {
		t.Errorf("build failure %+v", f)
	}
}

func TestC3GoTimeoutsNameTheTest(t *testing.T) {
	t.Parallel()
	out := "=== RUN   TestHang\npanic: test timed out after 2s\n\trunning tests:\n\t\tTestHang (2s)\n\ngoroutine 17 [running]:\ntesting.(*M).startAlarm.func1()\n\t/usr/local/go/src/testing/testing.go:2484 +0x394\n\ngoroutine 7 [runnable]:\nexample.org/a.Loop(...)\n\t/work/a/a.go:9\nexample.org/a.TestHang(0xc000)\n\t/work/a/a_test.go:12 +0x1\n"
	f := parse.GoFailure(out, parse.Place{Dir: "a"})
	if f.Kind != task.FailTimeout || len(f.Trace) != 2 || f.Trace[1] != (task.Frame{File: "a/a.go", Line: 9, Function: "example.org/a.Loop"}) {
		t.Errorf("%+v", f)
	}
	if m, ok := parse.GoTimedOut(out); !ok || len(m) != 1 || m[0][1] != "TestHang" || m[0][2] != "2s" {
		t.Errorf("running: %q", m)
	}
}

func TestC3NodeStacksAreRead(t *testing.T) {
	t.Parallel()
	got := parse.NodeTrace("TypeError: x\n    at first (file:///work/web/lib/cart.js:12:18)\n    at Object.<anonymous> (/work/web/test/a.js:3:1)\n    at async Test.run (node:internal/test:1:2)\n    at /work/web/test/b.js:4:5\n", parse.Place{Dir: "web"})
	want := []task.Frame{{File: "web/test/b.js", Line: 4}, {File: "web/test/a.js", Line: 3, Function: "Object.<anonymous>"}, {File: "web/lib/cart.js", Line: 12, Function: "first"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestC3FingerprintsAreStable(t *testing.T) {
	t.Parallel()
	f := func(message string, line int) string {
		return parse.Finish(task.Failure{Suite: "pytest", Test: "t", Kind: task.FailException, Exception: "E", Message: message, File: "a.py", Line: line}).Fingerprint
	}
	a := f("object at 0x7f12ab34 in /work/a/b.py took 1.25s at 2024-01-02T03:04:05Z", 3)
	b := f("object at 0x55aa1122 in /tmp/x/b.py took 7s at 2025-11-12T13:14:15Z", 99)
	if a != b {
		t.Error("numbers, addresses, paths or times change the fingerprint")
	}
	if a == f("another thing", 3) {
		t.Error("another message has the same fingerprint")
	}
}

func TestC3TextsAreCapped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.Byte(), 0, 9000).Draw(t, "text"))
		f := parse.Finish(task.Failure{Message: text, Excerpt: text})
		if len(f.Message) > (2<<10)+8 || len(f.Excerpt) > 4<<10 || !utf8.ValidString(f.Message) || !utf8.ValidString(f.Excerpt) {
			t.Fatalf("%d, %d", len(f.Message), len(f.Excerpt))
		}
	})
}

func FuzzResults(f *testing.F) {
	f.Add([]byte(results))
	f.Add([]byte(`{"k":"collect_error","unit":"a","exc":{"class":"E","frames":[["a.py",1,"f"],[null,"x",{}]]}}`))
	f.Add([]byte(`{"k":"died","id":"a::b","code":-9,"why":"wall"}`))
	f.Add([]byte(`{"k":"file","file":"a.js","status":"failed","lost":"x","exc":{"type":"testTimeoutFailure"}}`))
	s := Suite{Name: suitePytest, Kind: "python", Dir: "a"}
	f.Fuzz(func(t *testing.T, body []byte) {
		recs, err := parseLines(body)
		if err != nil {
			return
		}
		for _, out := range []outcome{pythonOutcome(s, recs), nodeOutcome(s, recs)} {
			for _, r := range out.tests {
				if _, known := rank[r.Status]; !known || r.Red() != (r.Failure != nil) || !strings.HasPrefix(r.ID, "pytest:a:") {
					t.Fatalf("result %+v", r)
				}
			}
			for _, b := range out.broken {
				if b.Kind == "" || b.Fingerprint == "" || !utf8.ValidString(b.Message) {
					t.Fatalf("broken %+v", b)
				}
			}
		}
	})
}

func FuzzGoTestJSON(f *testing.F) {
	f.Add([]byte(recordedGo))
	f.Add([]byte("{\"Action\":\"output\",\"Package\":\"example.org/a\",\"Test\":\"T\",\"Output\":\"panic: x\\n\\ngoroutine 1 [running]:\\nf()\\n\\t/work/a.go:1\\n\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		pkgs, builds, noise := goEvents(data)
		r := &goRun{suite: Suite{Name: suiteGo, Kind: "go", Dir: "."}, module: "example.org", sentinel: "TestZZ", sel: selection{all: true},
			packages: map[string]*goDir{}}
		for _, p := range pkgs {
			dir := r.folder(p.Path)
			r.packages[dir] = &goDir{}
			r.crash(p)
			r.take(p, dir)
			parse.GoBuildFailure(buildText(p, builds, noise), parse.Place{})
		}
		for _, x := range r.out.tests {
			if _, known := rank[x.Status]; !known || x.Red() != (x.Failure != nil) {
				t.Fatalf("result %+v", x)
			}
		}
		// Without the sentinel nothing may be all green.
		if len(pkgs) > 0 && len(r.out.broken) == 0 && len(pkgs[0].Tests) > 0 && pkgs[0].Tests[r.sentinel] == nil {
			red := false
			for _, x := range r.out.tests {
				red = red || x.Red()
			}
			if !red && len(pkgs) == 1 {
				t.Fatalf("green without evidence: %s", data)
			}
		}
	})
}
