package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// nest makes folders in each other, further down than a path can say.
func nest(t *testing.T, dir string, levels int) {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range levels {
		err := unix.Mkdirat(fd, "d", 0o755)
		next := -1
		if err == nil {
			next, err = unix.Openat(fd, "d", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		}
		if err == nil && i%100 == 0 {
			var f int
			if f, err = unix.Openat(next, "file", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o400); err == nil {
				_ = unix.Close(f)
			}
		}
		_ = unix.Close(fd)
		if err != nil {
			t.Fatal(err)
		}
		fd = next
	}
	_ = unix.Fchmod(fd, 0) // the last one cannot be looked into
	_ = unix.Close(fd)
}

// tooDeep is how many levels no path can say, in the long run by far.
func tooDeep() int {
	if testing.Short() {
		return 2500
	}
	return 6000
}

func TestS04DeepNestsAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, sub := range []string{"", "beside", ".up-1"} {
		at := filepath.Join(dir, sub)
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		nest(t, at, tooDeep())
	}
	outside := filepath.Join(t.TempDir(), "keep")
	if err := os.WriteFile(outside, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "shut", "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"shut/in", "shut"} {
		if err := os.Chmod(filepath.Join(dir, p), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := empty(dir); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "kept" {
		t.Errorf("a link was followed: %v", err)
	}
}

func TestS04DeepNestsAreNotCopied(t *testing.T) {
	t.Parallel()
	s := boxed(t, Config{})
	dir := t.TempDir()
	nest(t, dir, 3000)
	t.Cleanup(func() { _ = empty(dir) })
	before := descriptors(t)
	w, err := s.Workspace(context.Background(), dir)
	if err == nil || !strings.Contains(err.Error(), "nested more than") {
		t.Errorf("%v %v", w, err)
	}
	if after := descriptors(t); after > before+200 { // other tests run beside
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	if msg := fmt.Sprint(err); len(msg) > 10_000 {
		t.Errorf("the error has %d bytes", len(msg))
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestS04WhatIsTooDeepToBeCountedIsTooMuch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	nest(t, dir, tooDeep())
	t.Cleanup(func() { _ = empty(dir) })
	if used, _ := usedBytes(dir); used < 1<<60 {
		t.Errorf("%d bytes are said to be used", used)
	}
}
