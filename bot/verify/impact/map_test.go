package impact

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

const cart = `import os

RATE = 3


class Cart:
    size = 2

    def total(self, items, extra=0):
        if not items:
            return 0
        return sum(items) * RATE

    def empty(self):
        return not self.size
`

// recorded is a project whose tests ran as the record of a tracer says.
func recorded(t *testing.T, files map[string]string, lines ...string) (*detect.Tree, detect.Command, *Map) {
	t.Helper()
	tr, c := project(t, files)
	m, err := Record(tr, c, []byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return tr, c, m
}

var cartFiles = map[string]string{
	"pyproject.toml": "[tool.pytest.ini_options]\n", "cart.py": cart, "other.py": "def far():\n    return 1\n",
	"test_cart.py": "import cart\ndef test_total(): pass\ndef test_nothing(): pass\n", "test_more.py": "import cart\ndef test_empty(): pass\n", "test_far.py": "import other\ndef test_far(): pass\n",
}

var cartRun = []string{
	`{"k":"loaded","ran":{"cart.py":"1,3,6-7,9,14","other.py":"1"}}`,
	`{"k":"test","id":"test_cart.py::test_total[1]","file":"test_cart.py","seconds":1,"ran":{"cart.py":"10,12","test_cart.py":"2"}}`,
	`{"k":"test","id":"test_cart.py::test_total[2]","file":"test_cart.py","seconds":1,"ran":{"cart.py":"10,12"}}`,
	`{"k":"test","id":"test_cart.py::test_nothing","file":"test_cart.py","seconds":1,"ran":{"cart.py":"10-11"}}`,
	`{"k":"test","id":"test_more.py::test_empty","file":"test_more.py","seconds":2,"ran":{"cart.py":"15"}}`,
	`{"k":"test","id":"test_far.py::test_far","file":"test_far.py","seconds":5,"ran":{"other.py":"2"}}`,
	`{"k":"test","id":"../out.py::test_x","file":"../out.py","seconds":5,"ran":{"../x.py":"2"}}`, "not JSON",
}

func with(files map[string]string, name, old, now string) map[string]string {
	out := map[string]string{}
	for k, v := range files {
		out[k] = v
	}
	out[name] = strings.Replace(out[name], old, now, 1)
	return out
}

func tests(s Selection) []string {
	var out []string
	for _, p := range s.Picks {
		if len(p.Tests) == 0 {
			out = append(out, p.File)
		}
		out = append(out, p.Tests...)
	}
	return sorted(out)
}

func TestC4TheTestsThatRanTheChangedLinesAreChosen(t *testing.T) {
	t.Parallel()
	_, c, m := recorded(t, cartFiles, cartRun...)
	if len(m.Tests) != 4 || m.Seconds() != 10 {
		t.Fatalf("%+v", m)
	}
	total, nothing, empty := "test_cart.py::test_total", "test_cart.py::test_nothing", "test_more.py::test_empty"
	for name, x := range map[string]struct {
		old, now string
		want     []string
	}{
		"a line that one runs":                  {"return 0", "return 1", []string{nothing}},
		"a line that two run":                   {"if not items", "if items", []string{nothing, total}},
		"a parameter: all that run the method":  {"extra=0", "extra=1", []string{nothing, total}},
		"a constant: what uses it":              {"RATE = 3", "RATE = 4", []string{total}},
		"an attribute: what uses it":            {"size = 2", "size = 0", []string{empty}},
		"new lines: those beside them":          {"            return 0\n", "            return 0\n        items = 1\n", []string{nothing, total}},
		"an import that nothing uses: the file": {"import os", "import sys", []string{nothing, total, empty}},
	} {
		tr, _ := project(t, with(cartFiles, "cart.py", x.old, x.now))
		s := Select(tr, c, Change{Files: []string{"cart.py"}, Map: m})
		if s.All || !slices.Equal(tests(s), sorted(x.want)) {
			t.Errorf("%s: %+v", name, s)
		}
		for _, p := range s.Picks {
			if len(p.Reasons) == 0 || !strings.Contains(p.Reasons[0], "cart.py") {
				t.Errorf("%s: %s is chosen without a reason: %v", name, p.File, p.Reasons)
			}
		}
	}
}

func TestC4AnEntryOfATableBringsWhatUsesTheTable(t *testing.T) {
	t.Parallel()
	files := with(cartFiles, "other.py", "def far():\n    return 1\n", "KINDS = {\n    'near': 1,\n    'far': 2,\n}\n\n\ndef far(kind):\n    return KINDS[kind]\n\n\ndef name():\n    return 'far'\n")
	_, c, m := recorded(t, files, `{"k":"test","id":"test_far.py::test_far","file":"test_far.py","seconds":0,"ran":{"other.py":"8"}}`,
		`{"k":"test","id":"test_far.py::test_name","file":"test_far.py","seconds":0,"ran":{"other.py":"12"}}`, `{"k":"test","id":"test_more.py::test_x","file":"test_more.py","seconds":0,"ran":{"cart.py":"15"}}`)
	tr, _ := project(t, with(files, "other.py", "'far': 2", "'far': 3"))
	s := Select(tr, c, Change{Files: []string{"other.py"}, Map: m})
	if want := []string{"test_far.py::test_far", "test_far.py::test_name"}; !slices.Equal(tests(s), want) || !strings.Contains(s.Picks[0].Reasons[0], "far or KINDS") {
		t.Errorf("%+v", s)
	}
}

func TestC4ATestThatStartsAnotherProcessIsChosenLast(t *testing.T) {
	t.Parallel()
	files := with(cartFiles, "test_far.py", "def test_far(): pass", "import subprocess\ndef test_far():\n    subprocess.run(['x'])")
	_, c, m := recorded(t, files, append(slices.Clone(cartRun), `{"k":"test","id":"test_far.py::test_far","file":"test_far.py","seconds":0,"ran":{"test_far.py":"4"}}`)...)
	tr, _ := project(t, with(files, "cart.py", "return 0", "return 1"))
	s := Select(tr, c, Change{Files: []string{"cart.py"}, Map: m})
	if len(s.Picks) != 2 || s.Picks[1].File != "test_far.py" || !strings.Contains(s.Picks[1].Reasons[0], "another process") {
		t.Errorf("%+v", s)
	}
}

func TestC4AFileThatChangedAsAWholeBringsAllThatRanIt(t *testing.T) {
	t.Parallel()
	long := longer(cartFiles)
	_, c, m := recorded(t, long, cartRun...)
	tr, _ := project(t, with(long, "cart.py", long["cart.py"], cart+strings.Repeat("y = 2\n", 900)))
	s := Select(tr, c, Change{Files: []string{"cart.py"}, Map: m})
	if want := []string{"test_cart.py::test_nothing", "test_cart.py::test_total", "test_more.py::test_empty"}; !slices.Equal(tests(s), want) {
		t.Errorf("%+v", s)
	}
}

// longer is the project with a thousand lines more in cart.py.
func longer(files map[string]string) map[string]string {
	return with(files, "cart.py", cart, cart+strings.Repeat("x = 1\n", 1000))
}

func TestC4WhatTheMapDoesNotKnowIsChosenByImports(t *testing.T) {
	t.Parallel()
	_, c, m := recorded(t, cartFiles, cartRun...)
	files := with(cartFiles, "cart.py", "return 0", "return 1")
	files["test_new.py"] = "import cart\ndef test_new(): pass\n"                        // not in the map
	files["test_more.py"] = "import cart\ndef test_empty(): pass\ndef test_b(): pass\n" // not as it was
	tr, _ := project(t, files)
	c.Files = append(slices.Clone(c.Files), "test_new.py")
	s := Select(tr, c, Change{Files: []string{"cart.py"}, Map: m})
	if want := []string{"test_cart.py::test_nothing", "test_more.py", "test_new.py"}; !slices.Equal(tests(s), want) {
		t.Errorf("%+v", s)
	}
	// a test that ran lines which have changed since is not trusted to miss it
	tr, c = project(t, with(with(cartFiles, "cart.py", "return 0", "return 1"), "other.py", "return 1", "return 2"))
	m.Tests[slices.IndexFunc(m.Tests, func(x Test) bool { return x.ID == "test_more.py::test_empty" })].Ran = []Ran{{m.file("cart.py"), Lines{{15, 15}}}, {m.file("other.py"), Lines{{2, 2}}}}
	s = Select(tr, c, Change{Files: []string{"cart.py"}, Map: m})
	if want := []string{"test_cart.py::test_nothing", "test_more.py"}; !slices.Equal(tests(s), want) {
		t.Errorf("%+v", s)
	}
}

func TestC4ABudgetKeepsTheLikeliestAndSaysWhatItLeft(t *testing.T) {
	t.Parallel()
	var run []string
	for i := range 40 {
		run = append(run, fmt.Sprintf(`{"k":"test","id":"test_more.py::test_%d","file":"test_more.py","seconds":1,"ran":{"cart.py":"10,12"}}`, i))
	}
	run = append(run, `{"k":"test","id":"test_cart.py::test_total","file":"test_cart.py","seconds":1,"ran":{"cart.py":"10,12"}}`,
		`{"k":"test","id":"test_far.py::test_other_way","file":"test_far.py","seconds":1,"ran":{"cart.py":"10-12"}}`)
	_, c, m := recorded(t, cartFiles, run...)
	tr, _ := project(t, with(cartFiles, "cart.py", "if not items", "if items"))
	s := Select(tr, c, Change{Files: []string{"cart.py"}, Map: m, Budget: 0.25})
	if got := tests(s); s.Left != 32 || s.Seconds != 10 || len(got) != 10 || !slices.Contains(got, "test_cart.py::test_total") || !slices.Contains(got, "test_far.py::test_other_way") {
		t.Errorf("%+v", s)
	}
	if s := Select(tr, c, Change{Files: []string{"cart.py"}, Map: m}); s.Left != 0 || len(tests(s)) != 42 {
		t.Errorf("%+v", s)
	}
}

func TestC4SingleTestsInTheCommandsOfTheRunners(t *testing.T) {
	t.Parallel()
	one := Selection{Picks: []Pick{{File: "a/test_a.py", Tests: []string{"A.b (c)", "D"}}}}
	for tool, c := range map[string][2]string{
		"pytest":    {"python3 -m pytest -p no:cacheprovider tests", "python3|-m|pytest|-p|no:cacheprovider|A.b (c)|D"},
		"unittest":  {"python3 -m unittest discover -v", "python3|-m|unittest|-v|A.b (c)|D"},
		"mocha":     {"node_modules/.bin/mocha --require test/env test/ --reporter json", `node_modules/.bin/mocha|--require|test/env|--reporter|json|--grep|^(?:A\.b \(c\)|D)$|a/test_a.py`},
		"node:test": {"node --test --test-reporter=tap test/*.js", "node|--test|--test-reporter=tap|a/test_a.py"},
		"go test":   {"go test -json ./...", `go|test|-json|-run=^(A\.b \(c\)|D)$|./a/test_a.py`},
	} {
		if got := strings.Join(one.Narrow(detect.Command{Tool: tool, Dir: ".", Argv: strings.Fields(c[0])}).Argv, "|"); got != c[1] {
			t.Errorf("%s: %s", tool, got)
		}
	}
}

// maps draws maps that hold together.
func mapped() *rapid.Generator[*Map] {
	lines := rapid.Custom(func(t *rapid.T) Lines {
		var out Lines
		at := int32(0)
		for range rapid.IntRange(1, 5).Draw(t, "spans") {
			from := at + int32(rapid.IntRange(2, 9).Draw(t, "gap"))
			at = from + int32(rapid.IntRange(0, 5).Draw(t, "length"))
			out = append(out, Span{from, at})
		}
		return out
	})
	return rapid.Custom(func(t *rapid.T) *Map {
		m := &Map{Tool: "pytest", Dir: ".", Commit: "0123456789abcdef"}
		for i := range rapid.IntRange(1, 6).Draw(t, "files") {
			m.Files = append(m.Files, File{Path: fmt.Sprintf("f%d.py", i), Sums: rapid.SliceOfN(rapid.Uint32(), 0, 60).Draw(t, "sums")})
		}
		ran := func(t *rapid.T) []Ran {
			var out []Ran
			for i := range m.Files {
				if rapid.Bool().Draw(t, "runs") {
					out = append(out, Ran{i, lines.Draw(t, "lines")})
				}
			}
			return out
		}
		for i := range rapid.IntRange(1, 8).Draw(t, "tests") {
			m.Tests = append(m.Tests, Test{ID: fmt.Sprintf("test_%d.py::test_%d", i%3, i), File: fmt.Sprintf("test_%d.py", i%3), Seconds: float64(rapid.IntRange(0, 50).Draw(t, "ms")) / 1000, Ran: ran(t)})
		}
		return m
	})
}

func TestC4AMapIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := mapped().Draw(t, "map")
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := ReadMap(&b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Files { // none and nil read alike
			if len(m.Files[i].Sums) == 0 {
				m.Files[i].Sums, got.Files[i].Sums = nil, nil
			}
		}
		if !reflect.DeepEqual(got, m) {
			t.Fatalf("\n%+v\n%+v", got, m)
		}
	})
}

// A choice is made of tests that are there, each once, with reasons, and in the
// same order every time; what it does not choose, it does not choose silently.
func TestC4AChoiceIsASubsetInAFixedOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := mapped().Draw(t, "map")
		fsys := fstest.MapFS{}
		for _, f := range m.Files {
			fsys[f.Path] = &fstest.MapFile{Data: []byte(strings.Repeat("def f():\n    return 1\n", rapid.IntRange(0, 40).Draw(t, "size")))}
		}
		c := detect.Command{Tool: "pytest", Dir: ".", Argv: []string{"python3", "-m", "pytest"}}
		for i := range 4 {
			name := fmt.Sprintf("test_%d.py", i)
			fsys[name] = &fstest.MapFile{Data: []byte(rapid.SampledFrom([]string{"", "import f0\n", "import f1, f2\n"}).Draw(t, "text"))}
			c.Files = append(c.Files, name)
		}
		ch := Change{Map: m, Budget: float64(rapid.IntRange(0, 10).Draw(t, "budget")) / 10}
		ch.Files = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"f0.py", "f1.py", "f2.py", "test_0.py", "setup.cfg", "new.py", "README.md"}), 1, 4, rapid.ID[string]).Draw(t, "changed")
		choose := func() Selection {
			tr, err := detect.Scan(fsys)
			if err != nil {
				t.Fatal(err)
			}
			return Select(tr, c, ch)
		}
		s := choose()
		if again := choose(); !reflect.DeepEqual(s, again) {
			t.Fatalf("\n%+v\n%+v", s, again)
		}
		if s.All || s.None {
			if s.Why == "" || len(s.Picks) > 0 || !slices.Equal(s.Narrow(c).Argv, c.Argv) {
				t.Fatalf("%+v", s)
			}
			return
		}
		if len(s.Picks) == 0 {
			t.Fatalf("neither tests nor all: %+v", s)
		}
		known, seen := map[string]bool{}, map[string]bool{}
		for _, x := range m.Tests {
			known[x.ID] = true
		}
		for _, p := range s.Picks {
			if !slices.Contains(c.Files, p.File) || len(p.Reasons) == 0 || seen[p.File] {
				t.Fatalf("%+v", p)
			}
			seen[p.File] = true
			for _, id := range p.Tests {
				if !known[id] || seen[id] || !strings.HasPrefix(id, p.File) {
					t.Fatalf("%s of %+v", id, p)
				}
				seen[id] = true
			}
		}
	})
}

func TestC4ABrokenMapIsRefusedAndTakenAway(t *testing.T) {
	t.Parallel()
	_, _, m := recorded(t, cartFiles, cartRun...)
	var whole bytes.Buffer
	m.Commit = "0123456789abcdef"
	if err := m.Write(&whole); err != nil {
		t.Fatal(err)
	}
	pack := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return b.String()
	}
	for name, text := range map[string]string{
		"nothing": "", "half": whole.String()[:whole.Len()/2], "text": "hello", "no object": pack("[]"), "another version": pack(`{"version":9}`),
		"an unknown field": pack(`{"version":1,"x":1}`), "a tool that is not ours": pack(`{"version":1,"tool":"sh","dir":"."}`),
		"a folder outside":  pack(`{"version":1,"tool":"pytest","dir":"../x"}`),
		"a file outside":    pack(`{"version":1,"tool":"pytest","dir":".","paths":["../a.py"],"sums":[""]}`),
		"a flag for a file": pack(`{"version":1,"tool":"pytest","dir":".","tests":[{"id":"a","file":"--x","s":1,"ran":[]}]}`),
		"no such set":       pack(`{"version":1,"tool":"pytest","dir":".","paths":["a.py"],"sums":[""],"tests":[{"id":"a","file":"x","s":1,"ran":[0,7]}]}`),
		"a test twice":      pack(`{"version":1,"tool":"pytest","dir":".","tests":[{"id":"a","file":"x","s":1,"ran":[]},{"id":"a","file":"x","s":1,"ran":[]}]}`),
		"files in no order": pack(`{"version":1,"tool":"pytest","dir":".","paths":["b.py","a.py"],"sums":["",""]}`),
		"lines backwards":   pack(`{"version":1,"tool":"pytest","dir":".","sets":["9-3"]}`),
	} {
		if _, err := ReadMap(strings.NewReader(text)); !errors.Is(err, ErrMap) {
			t.Errorf("%s: %v", name, err)
		}
		f := Folder{Dir: t.TempDir()}
		if err := f.Save(m); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(f.Dir, f.name(m.Tool, m.Dir, m.Commit))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := f.Load(m.Tool, m.Dir, []string{m.Commit}); got != nil || err != nil {
			t.Errorf("%s: %v %v", name, got, err)
		}
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s: still there: %v", name, err)
		}
	}
}

func TestC4TheNewestMapOfTheHistoryIsLoaded(t *testing.T) {
	t.Parallel()
	_, _, m := recorded(t, cartFiles, cartRun...)
	f := Folder{Dir: filepath.Join(t.TempDir(), "maps"), Keep: 3}
	if got, err := f.Load(m.Tool, m.Dir, []string{"0123456"}); got != nil || err != nil {
		t.Fatalf("%v %v", got, err)
	}
	m.Commit = "../evil"
	if err := f.Save(m); err == nil {
		t.Error("a map was saved under what is no commit")
	}
	m.Dir = strings.Repeat("deep/", 100) + "end"
	for i := range 5 {
		m.Commit = fmt.Sprintf("%d123456789", i)
		if err := f.Save(m); err != nil {
			t.Fatal(err)
		}
		old := time.Unix(int64(1e9+i), 0)
		if err := os.Chtimes(filepath.Join(f.Dir, f.name(m.Tool, m.Dir, m.Commit)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	got, err := f.Load(m.Tool, m.Dir, []string{"ffffffffff", "3123456789", "4123456789"})
	if err != nil || got == nil || got.Commit != "3123456789" {
		t.Errorf("%+v %v", got, err)
	}
	if entries, err := os.ReadDir(f.Dir); err != nil || len(entries) != 3 {
		t.Errorf("%v %v", entries, err)
	}
}

func TestC4TwentyThousandTestsAreChosenFrom(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"pyproject.toml": {Data: []byte("[tool.pytest.ini_options]\n")}}
	m := &Map{Tool: "pytest", Dir: "."}
	c := detect.Command{Tool: "pytest", Dir: ".", Argv: []string{"python3", "-m", "pytest"}}
	for i := range 200 {
		name := fmt.Sprintf("pkg/m%03d.py", i)
		text := strings.Repeat("def f():\n    return 1\n\n", 100)
		m.Files = append(m.Files, File{Path: name, Sums: sums(text)})
		if i == 7 {
			text = strings.Replace(text, "return 1", "return 2", 60)
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
		test := fmt.Sprintf("tests/test_m%03d.py", i)
		fsys[test] = &fstest.MapFile{Data: []byte(fmt.Sprintf("from pkg import m%03d\n", i))}
		c.Files = append(c.Files, test)
	}
	for i := range 20_000 {
		test := Test{ID: fmt.Sprintf("tests/test_m%03d.py::test_%d", i%200, i), File: fmt.Sprintf("tests/test_m%03d.py", i%200), Seconds: 0.01}
		for f := i % 10; f < 200; f += 10 {
			test.Ran = append(test.Ran, Ran{f, Lines{{1, int32(1 + i%50)}, {100, 150}}})
		}
		m.Tests = append(m.Tests, test)
	}
	tr, err := detect.Scan(fsys)
	if err != nil {
		t.Fatal(err)
	}
	s := Select(tr, c, Change{Files: []string{"pkg/m007.py"}, Map: m, Budget: 0.05})
	if s.All || s.Seconds > 0.05*s.Of || s.Left == 0 {
		t.Errorf("all %v, %.1f s of %.1f s, %d left", s.All, s.Seconds, s.Of, s.Left)
	}
}

func FuzzReadMap(f *testing.F) {
	f.Add([]byte(`{"version":1,"tool":"pytest","dir":".","paths":["a.py"],"sums":["AAAAAA=="],"sets":["1-3,7"],"tests":[{"id":"t","file":"test_a.py","s":1,"ran":[0,0]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := ReadMap(bytes.NewReader(text)); err != nil && !errors.Is(err, ErrMap) {
			t.Fatal(err)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(text)
		_ = z.Close()
		m, err := ReadMap(&b)
		if err != nil {
			if !errors.Is(err, ErrMap) {
				t.Fatal(err)
			}
			return
		}
		tr, err := detect.Scan(fstest.MapFS{"a.py": {Data: []byte("def f():\n    pass\n")}, "test_a.py": {Data: []byte("import a\n")}})
		if err != nil {
			t.Fatal(err)
		}
		s := Select(tr, detect.Command{Tool: "pytest", Dir: ".", Argv: []string{"python3", "-m", "pytest"}, Files: []string{"test_a.py"}}, Change{Files: []string{"a.py"}, Map: m, Budget: 0.5})
		if !s.All && !s.None && len(s.Picks) == 0 {
			t.Errorf("%+v", s)
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add(strings.Join(cartRun, "\n"))
	f.Add("== example.com/m/a TestX 0 1200000\nexample.com/m/a/a.go:3.2,5.4 1 1\n== end")
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := detect.Scan(fstest.MapFS{"cart.py": {Data: []byte(cart)}, "test_cart.py": {Data: []byte("import cart\n")}, "a/a.go": {Data: []byte("package a\n")}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []detect.Command{{Tool: "pytest", Dir: "."}, {Tool: "go test", Dir: ".", Module: "example.com/m"}} {
			m, err := Record(tr, c, []byte(text))
			if err != nil {
				continue
			}
			var b bytes.Buffer
			if err := m.Write(&b); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadMap(&b); err != nil {
				t.Fatalf("what was recorded cannot be read: %v", err)
			}
		}
	})
}
