//go:build !linux

package storetest

import "syscall"

// diesWithParent has no counterpart outside Linux; the tests' clean-up stops
// the server.
func diesWithParent(*syscall.SysProcAttr) {}
