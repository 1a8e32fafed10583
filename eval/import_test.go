package eval

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const goodLine = `{"instance_id": "a__b-1", "repo": "a/b", "base_commit": "0123456789012345678901234567890123456789", "problem_statement": "It is wrong", "test_patch": "diff", "patch": "diff", "FAIL_TO_PASS": "[\"t.py::test_a\"]", "PASS_TO_PASS": ["t.py::test_b"]}`

func TestK1ALineThatIsNoInstanceIsToldWithItsNumber(t *testing.T) {
	t.Parallel()
	all, err := Instances(strings.NewReader("\n" + goodLine + "\n"))
	if err != nil || len(all) != 1 || all[0].Fails[0] != "t.py::test_a" || all[0].Passes[0] != "t.py::test_b" {
		t.Fatalf("%+v %v", all, err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":            {"\n\n", "holds no instance"},
		"no JSON":            {goodLine + "\nfoo\n", "line 2"},
		"an array":           {"[" + goodLine + "]", "line 1"},
		"cut short":          {goodLine[:40], "line 1"},
		"not UTF-8":          {"\xff\xfe", "not UTF-8"},
		"twice":              {goodLine + "\n" + goodLine, "line 2: the instance a__b-1 stands there twice"},
		"a name outside":     {strings.Replace(goodLine, "a__b-1", "../a", 1), "no name for a folder"},
		"a repo outside":     {strings.Replace(goodLine, "a/b", "../b", 1), "not OWNER/NAME"},
		"a short hash":       {strings.Replace(goodLine, "0123456789012345678901234567890123456789", "abc", 1), "no full hash"},
		"no problem":         {strings.Replace(goodLine, "It is wrong", "  ", 1), "problem_statement is empty"},
		"no test":            {strings.Replace(goodLine, `[\"t.py::test_a\"]`, "", 1), "FAIL_TO_PASS names no test"},
		"tests that are odd": {strings.Replace(goodLine, `"[\"t.py::test_a\"]"`, "3", 1), "line 1: the ids of tests are neither"},
		"an option":          {strings.Replace(goodLine, "t.py::test_b", "-pevil.py", 1), "takes for an option"},
	} {
		if _, err := Instances(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestK1TheTestsOfAnInstanceAreRunByTheirNames(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct{ ids, files []string }{
		"python3 -m pytest -q -p no:cacheprovider t/a.py::test_x[1-2] t/b.py": {[]string{"t/a.py::test_x[1-2]", "t/b.py"}, nil},
		"go test -run ^(TestA|TestB)$ ./x":                                    {[]string{"TestB/one", "TestA", "TestB"}, []string{"x/a_test.go", "x/b_test.go", "x/a.txt"}},
	} {
		if got, err := (Instance{Fails: c.ids}).command(t.TempDir(), c.files); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%v: %v, want %s", got, err, want)
		}
	}
	if _, err := (Instance{Fails: testIDs{"test_x (tests.Case)"}}).command(t.TempDir(), nil); err == nil {
		t.Error("an unknown form is run")
	}
}

// X4: a set that names what lies outside of it by a link has nothing read there.
func TestX4ALinkInAStrangersSetIsNotFollowed(t *testing.T) {
	t.Parallel()
	outside, set := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(outside, "key"), "a key\n")
	for _, name := range []string{"before/a.py", "after/a.py", "tests/test_a.py", "issue.md"} {
		put(filepath.Join(set, "whole", name), "x = 1\n")
	}
	for _, linked := range []string{"before", "after", "tests", "issue.md"} {
		for _, name := range []string{"before/a.py", "after/a.py", "tests/test_a.py", "issue.md"} {
			if !strings.HasPrefix(name, linked) {
				put(filepath.Join(set, linked, name), "x = 1\n")
			}
		}
		target := outside
		if linked == "issue.md" {
			target = filepath.Join(outside, "key")
		}
		if err := os.Symlink(target, filepath.Join(set, linked, linked)); err != nil {
			t.Fatal(err)
		}
	}
	m := Maker{Out: t.TempDir()}
	made, err := m.ImportFolders(t.Context(), set, nil)
	if err != nil || len(made.Cases) > 0 || made.Reasons[dropText] != 5 {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, d := range made.Dropped {
		if d.Name != "whole" && !strings.HasPrefix(d.Why, "it has no ") {
			t.Errorf("%s: %s", d.Name, d.Why)
		}
	}
}

// Whatever a stranger's file holds, what is read of it names no folder but its own.
func FuzzInstances(f *testing.F) {
	f.Add(goodLine)
	f.Add(strings.Replace(goodLine, "a__b-1", "..", 1))
	f.Add("{\"FAIL_TO_PASS\": \"[\\\"\\\"]\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Instances(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, in := range all {
			if !filepath.IsLocal(in.ID) || strings.ContainsAny(in.ID, `/\`) || !filepath.IsLocal(in.Repo) || in.Problem == "" || len(in.Fails) == 0 {
				t.Errorf("%+v", in)
			}
		}
	})
}
