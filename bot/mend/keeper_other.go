//go:build !linux

package mend

import "io/fs"

// treeWatch is for Linux only.
type treeWatch struct{}

func watchTree(string) *treeWatch { return nil }

func (*treeWatch) add(string) {}

func (*treeWatch) take() []string { return nil }

func (*treeWatch) close() {}

func owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }
