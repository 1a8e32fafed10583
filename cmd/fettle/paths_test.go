package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// forms are the ways to write the path of dir/name for whoever works in dir and
// whose home is dir.
func forms(dir, name string) []string {
	return []string{filepath.Join(dir, name), name, "./" + name, "~/" + name, "x/../" + name}
}

func TestS6EveryFlagThatNamesAPathTakesItRelativeAndFromHome(t *testing.T) {
	t.Parallel()
	dir := lay(t, map[string]string{
		"a b/src/shop.py": "def total(x):\n    return x\n", "a b/is sue.md": "total(2) is wrong\n", "a b/new.py": "def total(x):\n    return x + 1\n",
		"a b/config.yml": "state_dir: ./st ate\n", "x/y": "",
	})
	cache, err := os.UserCacheDir() // another one would let each process compile the parsers again
	if err != nil {
		t.Fatal(err)
	}
	in := func(t *testing.T, args ...string) (int, string) {
		t.Helper()
		c := exec.Command("fettle", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+cache, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		out, _ := c.CombinedOutput()
		return c.ProcessState.ExitCode(), string(out)
	}
	for _, root := range forms(dir, "a b") {
		at := func(name string) string { return root + "/" + name }
		if code, out := in(t, "fix", "--config", at("config.yml"), "--repo="+root, "--issue="+at("is sue.md"), "--scope="+at("src")); code != exitRefused || !strings.Contains(out, "no tests found") {
			t.Errorf("fix in %s ends with %d:\n%s", root, code, out)
		}
		if code, out := in(t, "risk", "--config="+at("config.yml"), "--repo="+root); code != exitUsage || !strings.Contains(out, "not in a Git repository") {
			t.Errorf("risk in %s ends with %d:\n%s", root, code, out)
		}
		if code, out := in(t, "init", root); code != 0 {
			t.Errorf("init in %s ends with %d:\n%s", root, code, out)
		}
		if code, out := in(t, "regions", "replace", filepath.Join(dir, "a b/src/shop.py"), "total", "--with="+at("new.py")); code != 0 || !strings.Contains(out, "+    return x + 1") {
			t.Errorf("regions replace with %s ends with %d:\n%s", root, code, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a b", "st ate", "fettle.db")); err != nil {
		t.Errorf("the state is not beside the file that names it: %v", err)
	}
	if code, out := in(t, "fix", "--repo=a b", "--issue=a b/is sue.md", "--scope=/etc"); code != exitUsage || !strings.Contains(out, "--scope /etc is not in") {
		t.Errorf("a scope elsewhere ends with %d:\n%s", code, out)
	}
}

func TestS6AScopeIsSeenFromTheRepository(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	got, err := scopeIn("/home/somebody/shop", []string{"src", "./lib", "/home/somebody/shop/a b", "~/shop/docs/*.md", "/home/somebody/shop"})
	if want := []string{"src", "./lib", "/a b", "/docs/*.md", "/."}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := scopeIn("/home/somebody/shop", []string{"~/other"}); err == nil {
		t.Error("a scope beside the repository is taken")
	}
}

// The folder to keep the demo in is relative, and a blank is in it.
func TestO1ADemoIsKeptInARelativeFolder(t *testing.T) {
	if testing.Short() && runtime.GOOS == "linux" && os.Geteuid() == 0 {
		t.Skip("not run: it is in the long form; TestDemoJSONOffline keeps its demo so, too")
	}
	heavy(t)
	dir := t.TempDir()
	c := exec.Command("fettle", "demo", "--json", "--config", operator(t, ""), "--keep", "a b/keep")
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"outcome": "success"`) {
		t.Fatalf("%v\n%s", err, out)
	}
	keptIn(t, dir)
}

func keptIn(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "a b", "keep", "fettle", "fettle.db")); err != nil {
		t.Error(err)
	}
}
