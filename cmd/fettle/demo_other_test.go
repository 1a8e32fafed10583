//go:build !linux

package main

import "errors"

// raiseLoopback is asked for by what makes a network namespace, which only Linux has.
func raiseLoopback() error { return errors.New("only Linux has network namespaces") }
