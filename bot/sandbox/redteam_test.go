package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	attackTest = regexp.MustCompile(`(?m)^func (TestS\d\d\w*)\(`)
	anyTest    = regexp.MustCompile(`(?m)^func (Test\w*)\(`)
	namedTest  = regexp.MustCompile("`(Test\\w+)`")
)

// TestRedTeamPageNamesEveryAttack keeps RED_TEAM.md and the tests together.
func TestRedTeamPageNamesEveryAttack(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("RED_TEAM.md")
	if err != nil {
		t.Fatal(err)
	}
	all, attacks := testsOfTheTree(t)
	var named []string
	for _, m := range namedTest.FindAllStringSubmatch(string(page), -1) {
		if named = append(named, m[1]); !slices.Contains(all, m[1]) {
			t.Errorf("RED_TEAM.md names %s, which is not there", m[1])
		}
	}
	for _, name := range attacks {
		if !slices.Contains(named, name) {
			t.Errorf("%s has no row: say in RED_TEAM.md what it tries and what stops it", name)
		}
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if f := strings.Split(line, "|"); len(f) == 6 {
			rows[strings.TrimSpace(f[1])] = f[4]
		}
	}
	for _, id := range []string{"S01", "S02", "S03", "S04", "S05", "S06", "S07", "S08", "S09", "S10", "S11", "S12", "S12b"} {
		if !namedTest.MatchString(rows[id]) {
			t.Errorf("the row of %s names no test: %q", id, rows[id])
		}
	}
}

// testsOfTheTree lists the tests of all packages, and those of attacks.
func testsOfTheTree(t *testing.T) (all, attacks []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Skipf("SKIPPED: the tests do not run in their tree: %v", err)
	}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == ".git" || e.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range anyTest.FindAllStringSubmatch(string(data), -1) {
			all = append(all, m[1])
		}
		for _, m := range attackTest.FindAllStringSubmatch(string(data), -1) {
			attacks = append(attacks, m[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, attacks
}
