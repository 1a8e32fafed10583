package sandboxtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withPytest stands for a python3 that has pytest when test, a command, succeeds.
func withPytest(test string) string {
	return "#!/bin/sh\n[ \"$*\" != '-c import pytest' ] || " + test + "\n"
}

// asRootSees stands for setpriv where the tests are not root: what is private
// is away while the command runs.
const asRootSees = `#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift; done
mv private private.away
"$@"
status=$?
mv private.away private
exit $status
`

// setUp runs .ci/setup.sh as root of a machine with everything that it looks
// for, where programs of private stand before those of bin and only root can
// enter private. Out come what it said, what it installed and its exit status.
func setUp(t *testing.T, programs map[string]string) (said string, installed []string, err error) {
	t.Helper()
	dir, err := os.MkdirTemp("", "fettle-setup-") // not t.TempDir, which only its owner may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	script, err := filepath.Abs("../../../.ci/setup.sh")
	if err != nil {
		t.Fatal(err)
	}
	stubs := map[string]string{"bin/apt-get": "#!/bin/sh\n[ \"$1\" != install ] || echo \"$*\" >>" + dir + "/installed\n"}
	for _, name := range []string{"git", "patch", "bwrap", "node", "gcc", "initdb", "python3"} {
		stubs["bin/"+name] = withPytest("true")
	}
	if os.Geteuid() != 0 {
		stubs["bin/id"] = "#!/bin/sh\necho 0\n"
		stubs["bin/setpriv"] = strings.ReplaceAll(asRootSees, "private", dir+"/private")
	}
	for name, text := range programs {
		stubs[name] = strings.ReplaceAll(text, "DIR", dir)
	}
	for _, d := range []string{"bin", "private", "debian"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil { //nolint:gosec // another user is to enter it
			t.Fatal(err)
		}
	}
	for name, text := range stubs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil { //nolint:gosec // another user is to execute it
			t.Fatal(err)
		}
	}
	for path, mode := range map[string]os.FileMode{dir: 0o755, filepath.Join(dir, "private"): 0o700} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", script)
	cmd.Env = []string{"TOOLS=" + dir + "/tools", "DEBIAN_PYTHON=" + dir + "/debian/python3", "HOME=" + dir + "/private", "PATH=" + dir + "/private:" + dir + "/bin:/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(dir, "installed")) // there is none where nothing was installed
	words := strings.Fields(string(log))
	return string(out), slices.DeleteFunc(words, func(w string) bool { return w == "install" || strings.HasPrefix(w, "-") }), err
}

// TestO1SetupLooksAsEveryUserThatTestsRunAs: what only root finds is missing.
func TestO1SetupLooksAsEveryUserThatTestsRunAs(t *testing.T) {
	t.Parallel()
	said, installed, err := setUp(t, map[string]string{
		"private/python3": withPytest("true"), "bin/python3": withPytest("[ -e DIR/installed ]"),
	})
	if err != nil || !slices.Equal(installed, []string{"python3-pytest"}) || !strings.Contains(said, "setup: installing python3-pytest\n") {
		t.Errorf("%v, installed %q\n%s", err, installed, said)
	}
}

func TestO1SetupLeavesAloneWhatIsThere(t *testing.T) {
	t.Parallel()
	if said, installed, err := setUp(t, map[string]string{"private/python3": withPytest("true")}); err != nil || len(installed) > 0 || said != "" {
		t.Errorf("%v, installed %q\n%s", err, installed, said)
	}
}

// TestO1SetupUsesDebiansPythonWhereAnotherStandsFirst: the tests find the one
// that has pytest, be it there or installed only now.
func TestO1SetupUsesDebiansPythonWhereAnotherStandsFirst(t *testing.T) {
	t.Parallel()
	for has, installs := range map[string][]string{"true": nil, "[ -e DIR/installed ]": {"python3-pytest"}} {
		said, installed, err := setUp(t, map[string]string{"bin/python3": withPytest("false"), "debian/python3": withPytest(has)})
		if err != nil || !slices.Equal(installed, installs) || !strings.Contains(said, "the tests use ") {
			t.Errorf("%s: %v, installed %q\n%s", has, err, installed, said)
		}
	}
}

// TestO1SetupSaysWhatStandsInTheWay: a Debian package does not help where
// Debian's python3 does not find it either.
func TestO1SetupSaysWhatStandsInTheWay(t *testing.T) {
	t.Parallel()
	said, installed, err := setUp(t, map[string]string{"bin/python3": withPytest("false")})
	if err == nil || !slices.Equal(installed, []string{"python3-pytest"}) || !strings.Contains(said, "bin/python3") || !strings.Contains(said, "-m pip install pytest") {
		t.Errorf("%v, installed %q\n%s", err, installed, said)
	}
}
