package inject

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/sandbox"
)

func TestTheCommittedListOfSubjectsCanBeRead(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../subjects.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := ReadSubjects(data)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for _, s := range list {
		of[s.Language]++
	}
	for _, lang := range []string{"python", "javascript", "go"} {
		if of[lang] < 5 {
			t.Errorf("%d subjects in %s", of[lang], lang)
		}
	}
	for _, bad := range []string{`[`, `[{"name": "../x"}]`, `[{"name": "x", "repo": "a/b", "commit": "1", "language": "go", "sources": ["."]}]`} {
		if _, err := ReadSubjects([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestADrawIsTheSameForASeedAndSpreadsOverRulesAndFunctions(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	for _, name := range strings.Fields("one two three four five six") {
		src.WriteString("def " + name + "(a, b=True):\n    if not a and b:\n        return 60 + len(a)\n    a.sort()\n    return a[1:]\n\n\n")
	}
	faults, err := Faults(t.Context(), "a.py", []byte(src.String()))
	if err != nil {
		t.Fatal(err)
	}
	all := func(seed uint64) (keys []string, of, in map[string]int) {
		d := newDraw(seed, 0, slices.Clone(faults))
		of, in = map[string]int{}, map[string]int{}
		for range 12 {
			f, ok := d.next(func(Fault) bool { return true })
			if !ok {
				break
			}
			d.take(f, false)
			keys = append(keys, f.Key())
			of[f.Rule]++
			in[f.Function]++
		}
		return keys, of, in
	}
	first, of, in := all(1)
	again, _, _ := all(1)
	other, _, _ := all(2)
	if !slices.Equal(first, again) || slices.Equal(first, other) || len(first) == 0 {
		t.Errorf("seed 1: %v, again %v; seed 2: %v", first, again, other)
	}
	if len(of) < 6 {
		t.Errorf("only these rules had a turn: %v", of)
	}
	for name, n := range in {
		if n > perFunction {
			t.Errorf("%d bugs in %s", n, name)
		}
	}
}

const project = `def total(items, start=0):
    if not items:
        return None
    n = start
    for x in items:
        n += x
    return n


def label(name):
    name = name.strip().lower()
    return "<" + name + ">"
`

const projectTests = `import unittest
from sums import label, total


class Total(unittest.TestCase):
` + "    def test_none(self): self.assertIsNone(total([]))\n    def test_one(self): self.assertEqual(total([1]), 1)\n" +
	"    def test_two(self): self.assertEqual(total([1, 2]), 3)\n    def test_three(self): self.assertEqual(total([1, 2, 3]), 6)\n" +
	"    def test_start(self): self.assertEqual(total([1], 5), 6)\n\n\nclass Label(unittest.TestCase):\n" +
	"    def test_plain(self): self.assertEqual(label('a'), '<a>')\n    def test_space(self): self.assertEqual(label(' a '), '<a>')\n" +
	"    def test_case(self): self.assertEqual(label('A'), '<a>')\n    def test_both(self): self.assertEqual(label(' B'), '<b>')\n" +
	"    def test_tab(self): self.assertEqual(label('\\tC'), '<c>')\n    def test_long(self): self.assertEqual(label('Abc '), '<abc>')\n"

// mirrored makes a bare repository in a mirror.
func mirrored(t *testing.T) (mirror string, s Subject) {
	t.Helper()
	mirror, from := t.TempDir(), t.TempDir()
	if err := bugs.Lay(from, bugs.Files{"sums.py": []byte(project), "test_sums.py": []byte(projectTests), "stale.py": []byte("x = 1\n")}); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", from, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "all")
	git("clone", "-q", "--bare", from, filepath.Join(mirror, "some+sums", "repo"))
	return mirror, Subject{Name: "sums", Repo: "some/sums", Commit: git("rev-parse", "HEAD"), Language: "python", Sources: []string{"."}, Lay: map[string]*string{"stale.py": nil}}
}

func TestPlantedFaultsBecomeBugsOnceAndTheSameAgain(t *testing.T) {
	t.Parallel()
	if box, err := sandbox.New(t.Context(), sandbox.Config{}); err != nil {
		t.Skipf("no sandbox here: %v", err)
	} else if err := box.Close(); err != nil {
		t.Fatal(err)
	}
	mirror, s := mirrored(t)
	quiet := logrus.New()
	quiet.SetLevel(logrus.ErrorLevel)
	made := func(work string, want int) []string {
		if err := Make(t.Context(), Options{Work: work, Mirror: mirror, Subjects: []Subject{s}, Want: want, Seed: 3, Log: quiet}); err != nil {
			t.Fatal(err)
		}
		ids, err := bugs.List(filepath.Join(work, "bugs"))
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	work := t.TempDir()
	first := made(work, 2)
	if len(first) != 2 {
		t.Fatalf("%d bugs instead of 2", len(first))
	}
	if again := made(work, 2); !slices.Equal(first, again) {
		t.Errorf("called again it made %v of %v", again, first)
	}
	if other := made(t.TempDir(), 2); !slices.Equal(first, other) {
		t.Errorf("elsewhere it made %v, not %v", other, first)
	}
	for _, id := range first {
		f, err := bugs.Load(filepath.Join(work, "bugs", id))
		if err != nil {
			t.Fatal(err)
		}
		if string(f.Broken["sums.py"]) == project || f.Origin != bugs.Injected || f.Commit != s.Commit || !slices.Contains(Rules(), f.Class) || f.Line < 1 {
			t.Errorf("%s: %+v", id, f.Bug)
		}
	}
	if _, err := os.Stat(filepath.Join(work, "subjects", "sums", "stale.py")); !os.IsNotExist(err) {
		t.Errorf("what the list takes away is still there: %v", err)
	}
}
