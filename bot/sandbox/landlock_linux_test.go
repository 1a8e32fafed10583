package sandbox

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// locked is a sandbox with the second wall, and a hole in the first: a folder
// of the host that the mounts let everybody write to.
func locked(t *testing.T, hole string) *Sandbox {
	t.Helper()
	if _, why := landlockVersion(); why != "" {
		t.Skipf("SKIPPED, and the second wall is not tested here: %s", why)
	}
	s := boxed(t, Config{hole: []string{"--bind", hole, "/hole"}})
	if !naked() && s.Walls().Landlock == "" {
		t.Fatalf("no second wall: %+v", s.Walls())
	}
	return s
}

// everybodys is a host folder that any uid may write to.
func everybodys(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(shared(t), "hole")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // that is the hole
		t.Fatal(err)
	}
	file := filepath.Join(dir, "f")
	if err := errors.Join(os.WriteFile(file, []byte("mine"), 0o666), os.Chmod(file, 0o666)); err != nil { //nolint:gosec // as above
		t.Fatal(err)
	}
	return dir
}

const intoTheHole = `
cat /hole/f && echo " read"
( echo x >/hole/f ) && echo wrote
( : >/hole/new ) && echo made
rm -f /hole/f && echo removed
mkdir /hole/d && echo folder
ln -s x /hole/l && echo linked
touch /work/own && mv /work/own /hole/own && echo moved
[ -e /hole/f ] && echo done`

func TestS07ASecondWallStandsWhereAMountIsMissing(t *testing.T) {
	t.Parallel()
	hole := everybodys(t)
	w := workspace(t, locked(t, hole), nil)
	if r := run(t, w, "sh", "-c", intoTheHole); string(r.Stdout) != "mine read\ndone\n" {
		t.Errorf("beyond the mounts: %q %q", r.Stdout, r.Stderr)
	}
	if data, err := os.ReadFile(filepath.Join(hole, "f")); err != nil || string(data) != "mine" {
		t.Errorf("the host's file is now %q, %v", data, err)
	}
	first := boxed(t, Config{hole: []string{"--bind", hole, "/hole"}, noLock: true}) // shows that it was the second
	if r := run(t, workspace(t, first, nil), "sh", "-c", "( echo x >/hole/f ) && echo wrote"); string(r.Stdout) != "wrote\n" {
		t.Errorf("the hole is none: %q %q", r.Stdout, r.Stderr)
	}
}

// What test suites do with files has to go on as before.
const ordinaryWork = `set -e
for d in /work /out /tmp /tmp/home /cache /dev/shm; do
  cd $d; mkdir -p a/b c; echo x >a/b/f; mv a/b/f c/g; ln c/g a/h; ln -s h a/s; mkfifo p; cat a/s; : >>c/g; : >c/g; rm -r a c p
done
cd /work; printf '#!/bin/sh\necho script\n' >run; chmod +x run; ./run
printf 'echo headless "$1"\n' >bare; chmod +x bare
cat </dev/null; echo y >/dev/null; head -c 1 /dev/urandom | wc -c
echo pipe | cat /dev/stdin; cat /proc/self/comm`

func TestLandlockLeavesOrdinaryWorkAlone(t *testing.T) {
	t.Parallel()
	for _, noLock := range []bool{false, true} {
		w := workspace(t, newBoxed(t, Config{noLock: noLock}), nil)
		r := run(t, w, "sh", "-c", ordinaryWork)
		if want := strings.Repeat("x\n", 6) + "script\n1\npipe\ncat\n"; string(r.Stdout) != want || !r.OK() {
			t.Errorf("without Landlock %v: exit %d %q %q", noLock, r.ExitCode, r.Stdout, r.Stderr)
		}
		for _, name := range []string{"./bare", "bare"} { // execvp hands a headless script to the shell
			c := Command{Argv: []string{name, "a b"}, Env: map[string]string{"PATH": "/nowhere:/work:/usr/bin:/bin"}}
			if r, err := w.Run(context.Background(), c); err != nil || string(r.Stdout) != "headless a b\n" {
				t.Errorf("%s without Landlock %v: %+v %q %q %v", name, noLock, r, r.Stdout, r.Stderr, err)
			}
		}
		if r := run(t, w, "cat", "/dev/stdin"); !r.OK() {
			t.Errorf("the host's /dev/null, opened again: %q", r.Stderr)
		}
		if r := run(t, w, "no-such-program", "x"); r.ExitCode != 127 || !strings.Contains(string(r.Stderr), "no-such-program") {
			t.Errorf("%+v %q", r, r.Stderr)
		}
	}
}

func TestLandlockRightsGrowWithTheKernel(t *testing.T) {
	t.Parallel()
	last := uint64(0)
	for version, want := range map[int]struct {
		size int
		has  uint64
	}{1: {8, unix.LANDLOCK_ACCESS_FS_MAKE_SYM}, 2: {8, unix.LANDLOCK_ACCESS_FS_REFER}, 3: {8, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		4: {16, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, 5: {16, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}, 6: {24, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}, 9: {24, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}} {
		attr, size := lockAttributes(version)
		if size != want.size || attr.Handled_access_fs&want.has == 0 || attr.Handled_access_fs >= want.has<<1 || attr.Handled_access_net != 0 || attr.Scoped != 0 != (version >= 6) {
			t.Errorf("version %d: %+v, %d bytes", version, attr, size)
		}
		last |= attr.Handled_access_fs
	}
	for _, r := range lockRules() {
		if r.access&^last != 0 || r.access&(unix.LANDLOCK_ACCESS_FS_MAKE_CHAR|unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK) != 0 {
			t.Errorf("%s grants %x", r.path, r.access)
		}
		if writes := r.access&unix.LANDLOCK_ACCESS_FS_MAKE_REG != 0; writes && slices.Contains([]string{"/", "/usr", "/etc", "/proc", "/dev"}, r.path) {
			t.Errorf("%s may be written", r.path)
		}
	}
}

// A helper whose rules the kernel does not take starts nothing.
func TestS10TheHelperThatCannotLockStartsNothing(t *testing.T) {
	t.Parallel()
	image, err := enterImage(landlockLeast, []lockRule{{"/dev/null", unix.LANDLOCK_ACCESS_FS_READ_DIR}}) // no right of a file
	if err != nil {
		t.Fatal(err)
	}
	if f, err := elf.NewFile(bytes.NewReader(image)); err != nil || len(f.Progs) != 2 || f.Progs[0].Flags&elf.PF_W != 0 {
		t.Fatalf("not the image of a program: %+v %v", f, err)
	}
	if _, why := landlockVersion(); why != "" {
		t.Skipf("SKIPPED: %s", why)
	}
	dir := shared(t)
	file := filepath.Join(dir, "enter")
	if err := os.WriteFile(file, image, 0o755); err != nil { //nolint:gosec // it is executed
		t.Fatal(err)
	}
	s := boxed(t, Config{noLock: true})
	c := Command{Argv: []string{"/enter", "/bin/sh", "", "sh", "-c", "echo ran"}, ReadOnly: []Mount{{Host: file, Inside: "/enter"}}}
	if s.Walls().Backend == None {
		t.Skip("SKIPPED: nothing can be shown inside without walls")
	}
	r, err := workspace(t, s, nil).Run(context.Background(), c)
	if err != nil || r.ExitCode != 126 || len(r.Stdout) > 0 || !strings.Contains(string(r.Stderr), "nothing was run") {
		t.Errorf("%+v %q %q %v", r, r.Stdout, r.Stderr, err)
	}
}
