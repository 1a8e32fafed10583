package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// typed is what a user sees of one command line.
type typed struct {
	out, errs string
	status    int
}

func typing(in string, args ...string) typed {
	var out, errs bytes.Buffer
	status := run(args, strings.NewReader(in), &out, &errs)
	return typed{out.String(), errs.String(), status}
}

func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

var regionSources = map[string]string{
	"größe.py": "\ufeffimport os\r\n\r\n\r\n@cached\r\nclass Größe:\r\n    async def 計算(self, 𝐱):\r\n        return '𝒻'",
	"a.js":     "export default { load(url) { return url; } };\nconst go = () => 1;\n",
	"a.ts":     "interface A { b: string }\ndescribe('x', () => { it('y', () => {}); });\n",
	"a.tsx":    "export const V = () => <a b={1}/>;\n",
	"a.go":     "//go:build linux\n\npackage p\n\nfunc (s *S) Get(k string) (int, error) { return 0, nil }\n",
	"A.java":   "class A { int f() { return 1; } }\n",
	"a.rs":     "impl A { fn f(&self) -> u8 { 1 } }\n",
	"a.rb":     "class A\n  def f\n    1\n  end\nend\n",
	"a.php":    "<?php\nclass A { public function f(): int { return 1; } }\n",
	"a.h":      "struct a { int b; };\nint f(void);\n",
	"a.cpp":    "int A::f() const { return 1; }\n",
	"note.txt": "one\n\ntwo\n",
	"blob.py":  "\x00\x01\xff\xfe",
}

// Lines count from 1 and include the last; bytes are half open; all fields are
// there, and no other.
func TestRegionsJSONIsTheContract(t *testing.T) {
	t.Parallel()
	fields := strings.Fields("end_byte end_line id kind language name parent qualified_name signature start_byte start_line")
	for name, src := range regionSources {
		got := typing("", "regions", fileOf(t, name, src), "--json")
		var raw []map[string]any
		var regions []regionJSON
		if err := json.Unmarshal([]byte(got.out), &raw); err != nil || got.status != 0 || got.errs != "" {
			t.Fatalf("%s: %v, status %d: %s", name, err, got.status, got.errs)
		}
		if err := json.Unmarshal([]byte(got.out), &regions); err != nil || len(regions) == 0 {
			t.Fatalf("%s: %d regions, %v", name, len(regions), err)
		}
		for i, r := range regions {
			var keys []string
			for key := range raw[i] {
				keys = append(keys, key)
			}
			if slices.Sort(keys); !slices.Equal(keys, fields) {
				t.Errorf("%s: fields %q", name, keys)
			}
			first := 1 + strings.Count(src[:r.StartByte], "\n")
			last := 1 + strings.Count(src[:max(r.StartByte, r.EndByte-1)], "\n")
			if r.StartLine != first || r.EndLine != last || r.EndByte > len(src) || !strings.HasPrefix(r.ID, r.Kind+":"+r.QualifiedName) {
				t.Errorf("%s: %+v; bytes say lines %d-%d", name, r, first, last)
			}
		}
	}
}

func TestRegionsShowGivesWhatReplaceTakes(t *testing.T) {
	t.Parallel()
	for name, src := range regionSources {
		path := fileOf(t, name, src)
		var regions []regionJSON
		if err := json.Unmarshal([]byte(typing("", "regions", path, "--json").out), &regions); err != nil {
			t.Fatal(err)
		}
		for _, r := range regions {
			shown := typing("", "regions", "show", r.ID, path)
			if shown.status != 0 || shown.out != src[r.StartByte:r.EndByte]+"\n" {
				t.Errorf("%s: show %s: status %d, %q %s", name, r.ID, shown.status, shown.out, shown.errs)
			}
			got := typing(shown.out, "regions", "replace", path, r.ID, "--with", "-", "--write")
			now, err := os.ReadFile(path)
			binary := name == "blob.py" && got.status == exitRefused && strings.Contains(got.errs, "binary")
			if err != nil || string(now) != src || !binary && (got.status != 0 || !strings.Contains(got.out, "No change")) {
				t.Errorf("%s: replacing %s with itself: status %d, %q %s", name, r.ID, got.status, got.out, got.errs)
			}
		}
	}
}

func TestRegionsSayWhatIsWrongWithACommandLine(t *testing.T) {
	t.Parallel()
	py := fileOf(t, "a.py", "def f():\n    return 1\n")
	large := fileOf(t, "large.py", "")
	if err := os.Truncate(large, maxSource+1); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(py), "link.py")
	if err := os.Symlink("a.py", link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"regions", "--nope"}, exitUsage, "unknown flag: --nope"},
		{[]string{"regions", py + "x"}, exitUsage, "there is no file or folder"},
		{[]string{"regions", large}, exitUsage, "is not read"},
		{[]string{"regions", "show", "g", py}, exitUsage, "the file has function:f@"},
		{[]string{"regions", "check", large}, exitUsage, "is not read"},
		{[]string{"regions", "replace", py, "f", "--with", py + "x"}, exitUsage, "reading the new code"},
		{[]string{"regions", "replace", filepath.Dir(py), "f", "--with", py}, exitUsage, "there is no file"},
		{[]string{"regions", "replace", link, "f", "--with", "-"}, exitRefused, "symbolic link"},
		{[]string{"regions", "replace", py, "f@00000000", "--with", "-"}, exitUsage, "was changed since this id was made"},
		{[]string{"regions", "replace", py, "f", "--with", "-"}, 0, "Not written"},
	} {
		got := typing("def f():\n    return 2\n", c.args...)
		if got.status != c.status || !strings.Contains(got.out+got.errs, c.says) {
			t.Errorf("%q: status %d, %s%s", c.args, got.status, got.out, got.errs)
		}
	}
}

func TestRiskScoresAWorkingTree(t *testing.T) {
	dir := filepath.Dir(fileOf(t, "größe.py", "def f(a):\n    return a\n"))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-qm", "one"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil { //nolint:gosec // fixed words
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	for name, text := range map[string]string{"größe.py": "def f(a, b):\n    return a\n", "use.py": "from größe import f\n\nf(1)\n", "blob": "\x00\x01", "empty": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := typing("", "risk", "--repo", dir, "--json")
	var report riskReport
	if err := json.Unmarshal([]byte(got.out), &report); err != nil || got.status != 0 {
		t.Fatalf("status %d, %v: %s", got.status, err, got.errs)
	}
	if report.Score == 0 || report.Score > 100 || len(report.Reasons) == 0 || len(report.Files) != 4 || report.To != "" {
		t.Errorf("%+v", report)
	}
	if len(report.Callers) != 1 || report.Callers[0].Path != "use.py" || report.Callers[0].Adapted {
		t.Errorf("callers %+v", report.Callers)
	}
	if got := typing("", "risk", "--repo", dir, "--max", "0"); got.status != exitRed {
		t.Errorf("--max 0: status %d", got.status)
	}
	if got := typing("", "risk", "--repo", t.TempDir()); got.status != exitUsage || !strings.Contains(got.errs, "not in a Git repository") {
		t.Errorf("no repository: status %d, %s", got.status, got.errs)
	}
}
