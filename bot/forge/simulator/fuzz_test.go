package simulator

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzPushCommands: whatever a client sends instead of a push is an error or
// commands that are put together from its own bytes.
func FuzzPushCommands(f *testing.F) {
	line := strings.Repeat("a", 40) + " " + strings.Repeat("b", 40) + " refs/heads/x\x00 report-status"
	f.Add([]byte(pkt(line) + "0000PACK"))
	f.Add([]byte("0004"))
	f.Add([]byte("ffff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		commands, _, err := readCommands(bytes.NewReader(data))
		if err != nil && commands != nil {
			t.Error("commands and an error")
		}
		for _, c := range commands {
			if !bytes.Contains(data, []byte(c.ref)) || strings.ContainsRune(c.ref, 0) {
				t.Errorf("invented %q", c.ref)
			}
		}
	})
}

// FuzzPaths: what safePath accepts never leaves the tree nor enters .git.
func FuzzPaths(f *testing.F) {
	for _, p := range []string{"a/b", "../x", "a//b", ".git/x", "a/.Git", "/", "", "a/./b"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !safePath(path) {
			return
		}
		for _, part := range strings.Split(path, "/") {
			if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
				t.Errorf("%q was taken", path)
			}
		}
	})
}
