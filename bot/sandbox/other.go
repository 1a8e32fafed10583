//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
)

// openBubblewrap refuses: the walls are Linux's.
func (s *Sandbox) openBubblewrap(context.Context, Config) error {
	return errors.New("sandbox: bubblewrap confines commands on Linux only; start Docker or another engine that speaks its API and set sandbox: docker, run fettle in a Linux machine or container, or ask for sandbox: none by name, which confines nothing")
}

// Warm has nothing to do without walls.
func (s *Sandbox) Warm(context.Context) error { return nil }

func signalName(n int) string { return fmt.Sprintf("signal %d", n) }

// flush has nothing to do where no layer is made.
func flush(string) error { return nil }

// landlockVersion knows none: Landlock is Linux's.
func landlockVersion() (version int, why string) { return 0, "Linux has it" }
