package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// written lays a case out in a folder, and reads it.
func written(t *testing.T, files map[string]string) (Case, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := putBelow(dir, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := Load(dir)
	if err != nil {
		return Case{}, err
	}
	return cases[0], nil
}

// K1: a case says which packages it needs; where they are not, that is told, and a name
// does not lead out of the folder of packages.
func TestK1ACaseSaysWhichPackagesItNeeds(t *testing.T) {
	t.Parallel()
	c, err := written(t, map[string]string{"case.json": `{"test_command": ["x"], "packages": ["no-such-package"]}`})
	if err != nil || !strings.Contains(c.Lacks(), "no-such-package is not installed") {
		t.Errorf("%q, %v", c.Lacks(), err)
	}
	for _, name := range []string{"../x", "/etc", ""} {
		if _, err := written(t, map[string]string{"case.json": `{"test_command": ["x"], "packages": ["` + name + `"]}`}); err == nil {
			t.Errorf("%q is taken for a package", name)
		}
	}
}

// K1: in Go a test of the change may have the name of one that was held back. The change
// is not wrong for that; one that is wrong stays so.
func TestK1ATestOfTheSameNameAsOneHeldBackIsNoFault(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(t.Context(), sandbox.Config{})
	if err != nil {
		t.Skipf("no sandbox: %v", err)
	}
	const test = "package a\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal()\n\t}\n}\n"
	c, err := written(t, map[string]string{"case.json": `{"test_command": ["go", "test", "./..."]}`, "heldback/held_test.go": test, "repo/go.mod": "module a\n\ngo 1.22\n"})
	if err != nil {
		t.Fatal(err)
	}
	for two, want := range map[string]Verdict{"2": Right, "3": WrongReady} {
		repo := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module a\n\ngo 1.22\n", "a.go": "package a\n\nfunc Two() int { return " + two + " }\n", "own_test.go": test} {
			if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if v, _, report, err := c.passes(t.Context(), box, repo, "own_test.go"); err != nil || v != want {
			t.Errorf("%s: %s, %v\n%s", two, v, err, report)
		}
	}
}
