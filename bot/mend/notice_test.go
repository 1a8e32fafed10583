package mend

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

func TestPlantedFaultsOfOneTreeAreAskedAboutTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, source string
		files        map[string]string
		faults       [][2]string // what is replaced in the source, and by what
	}{
		"python": {"grades.py", gradeSource,
			map[string]string{"test_grades.py": "import os\nfrom grades import grade\n\ndef test_exactly():\n    assert grade(50) == \"failed\"\n\ndef test_far():\n    assert grade(80) == \"passed\"\n\ndef test_never():\n    assert os.environ.get(\"NEVER\")\n"},
			[][2]string{{"> 50", ">= 50"}, {"> 50", "> 51"}, {"> 50", "> ("}, {"def grade", "import nowhere\n\ndef grade"}, {"> 50", "< 50"}}},
		"go": {"grades.go", "package grades\n\nfunc grade(points int) string {\n\tif points > 50 {\n\t\treturn \"passed\"\n\t}\n\treturn \"failed\"\n}\n",
			map[string]string{"go.mod": "module example.com/grades\n\ngo 1.21\n", "grades_test.go": "package grades\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestExactly(t *testing.T) {\n\tif grade(50) != \"failed\" {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestFar(t *testing.T) {\n\tif grade(80) != \"passed\" {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestNever(t *testing.T) {\n\tif os.Getenv(\"NEVER\") == \"\" {\n\t\tt.Fatal()\n\t}\n}\n"},
			[][2]string{{"> 50", ">= 50"}, {"> 50", "> 51"}, {"> 50", "> \"50\""}, {"func grade", "var none = nowhere()\n\nfunc grade"}, {"> 50", "< 50"}}},
		"node": {"grades.js", "function grade(points) {\n  if (points > 50) return 'passed';\n  return 'failed';\n}\nmodule.exports = { grade };\n",
			map[string]string{"package.json": "{\"scripts\": {\"test\": \"node --test\"}}\n", "grades.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { grade } = require('./grades');\n\ntest('exactly', () => assert.equal(grade(50), 'failed'));\ntest('far', () => assert.equal(grade(80), 'passed'));\ntest('never', () => assert.ok(process.env.NEVER));\n"},
			[][2]string{{"> 50", ">= 50"}, {"> 50", "> 51"}, {"> 50", "> ("}, {"function grade", "require('./nowhere');\nfunction grade"}, {"> 50", "< 50"}}},
		// It counts its runs and fails from the fifth on: only a few come before, and no
		// fault is told apart from what is none.
		"python that counts": {"grades.py", "import os\n\ndef turn():\n    with open(\"/tmp/turns\", \"a\") as f:\n        f.write(\"x\")\n    return os.path.getsize(\"/tmp/turns\")\n\ndef grade(points):\n    if turn() > 8:\n        raise RuntimeError\n    if points > 60:\n        return \"passed\"\n    return \"failed\"\n",
			map[string]string{"test_grades.py": "from grades import grade\n\ndef test_never():\n    assert not \"grades\"\n\ndef test_low():\n    assert grade(3) == \"failed\"\n\ndef test_far():\n    assert grade(80) == \"passed\"\n"},
			slices.Repeat([][2]string{{"> 60", "> 61"}, {"> 60", "> 62"}, {"> 60", "> 63"}, {"> 60", "> 64"}, {"> 60", "> 65"}}, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, c.path, c.source)
			for p, text := range c.files {
				put(t, dir, p, text)
			}
			session := box(t).Session()
			defer session.Close()
			v := verify.New(verify.Config{Sandbox: session, Reruns: -1})
			suites, err := v.Detect(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			base, err := v.Baseline(t.Context(), dir, suites)
			if err != nil || len(base.Report.Tests) != 3 {
				t.Fatalf("%v, %+v", err, base.Report)
			}
			var ids []string
			for i := range base.Report.Tests {
				base.Report.Tests[i].Status = verify.StatusPassed // of the one that never passes, too
				ids = append(ids, base.Report.Tests[i].ID)
			}
			var faults []gate.Fault
			for _, f := range c.faults {
				faults = append(faults, gate.Fault{Path: c.path, Text: []byte(strings.Replace(c.source, f[0], f[1], 1))})
			}
			got, err := New(Config{Sandbox: session}).Noticed(t.Context(), dir, base, ids, faults)
			want := []bool{true, false, false, false, true}
			if strings.Contains(name, "counts") {
				want = make([]bool, len(faults))
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("noticed %v, %v; want %v", got, err, want)
			}
		})
	}
}
