package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestSurveyNamesTheSettingThatClosesUserNamespaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files   map[string]string
		cure    string
		stands  bool // AppArmor's line, before the sandbox was tried
		seccomp bool
	}{
		"an open machine": {map[string]string{sysMost: "9\n", sysClone: "1\n", sysAppArmor: "0\n", sysSeccomp: "kill errno\n"}, "", true, true},
		"Ubuntu 24.04":    {map[string]string{sysMost: "9\n", sysClone: "1\n", sysAppArmor: "1\n", sysSeccomp: "x"}, "/etc/apparmor.d/bwrap", false, true},
		"an old Debian":   {map[string]string{sysClone: "0\n", sysSeccomp: "x"}, "kernel.unprivileged_userns_clone=1", true, true},
		"a hardened one":  {map[string]string{sysMost: "0\n", sysAppArmor: "1\n"}, "user.max_user_namespaces", false, false},
	} {
		m := machine{root: t.TempDir()}
		for file, text := range c.files {
			path := filepath.Join(m.root, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.closed(); !strings.Contains(got, c.cure) || (got == "") != (c.cure == "") {
			t.Errorf("%s: closed by %q", name, got)
		}
		if w := m.namespaces(false); w.Stands || !strings.Contains(w.Cure, c.cure) || w.Cure == "" {
			t.Errorf("%s: %+v", name, w)
		}
		if w := m.apparmor(false); w.Stands != c.stands || w.Stands == (w.Cure != "") {
			t.Errorf("%s: %+v", name, w)
		}
		if w := m.seccomp(Walls{}); w.Stands != c.seccomp || w.Stands == (w.Cure != "") {
			t.Errorf("%s: %+v", name, w)
		}
		if w := m.apparmor(true); !w.Stands {
			t.Errorf("%s: what was tried and stood is said to be missing: %+v", name, w)
		}
	}
}

func TestSurveyTellsStrongFromWeak(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the walls are of Linux")
	}
	t.Parallel()
	strong := Walls{Backend: Bubblewrap, User: "another uid", Memory: "cgroup v2", Disk: "sized tmpfs", Seccomp: true, Landlock: "version 7", Network: true, SelfTest: true}
	weak := Walls{Backend: Bubblewrap, User: "own uid, mapped", Memory: "watchdog", Disk: "watchdog", Seccomp: true, SelfTest: true, Missing: "a writable cgroup (none)"}
	for _, w := range Survey(strong) {
		if w.Name != "seccomp" && (!w.Stands || w.Weak || w.Cure != "") { // a container may hide its setting
			t.Errorf("%+v", w)
		}
	}
	cures := 0
	for _, w := range Survey(weak) {
		if w.Weak != (w.Stands && w.Cure != "") {
			t.Errorf("%+v", w)
		}
		if w.Weak {
			cures++
		}
	}
	if cures != 3 {
		t.Errorf("%d cures", cures)
	}
	if none := Survey(Walls{}); len(none) == 0 || none[0].Stands || none[0].Cure == "" {
		t.Errorf("without a sandbox: %+v", none)
	}
	for _, w := range Survey(Walls{Backend: Engine, User: "another uid", Memory: "cgroup of Docker", Disk: "watchdog", Seccomp: true, SelfTest: true}) {
		if !w.Stands {
			t.Errorf("of an engine: %+v", w)
		}
	}
}
