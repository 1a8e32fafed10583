package sandbox

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// applyRlimits sets the resource limits that hold for each process of a payload.
func applyRlimits(pid int, lim Limits) error {
	secs := uint64((lim.CPU + time.Second - 1) / time.Second)
	for _, l := range []struct {
		what     int
		soft, hd uint64
	}{
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_CPU, secs, secs + 2}, // SIGXCPU, then SIGKILL
		{unix.RLIMIT_FSIZE, uint64(lim.FileBytes), uint64(lim.FileBytes)},
		{unix.RLIMIT_NOFILE, 4096, 4096},
		{unix.RLIMIT_NPROC, uint64(lim.Processes), uint64(lim.Processes)},
		{unix.RLIMIT_MEMLOCK, 1 << 20, 1 << 20},
		{unix.RLIMIT_MSGQUEUE, 0, 0},
	} {
		if err := lowerLimit(pid, l.what, l.soft, l.hd); err != nil {
			return err
		}
	}
	return nil
}

// lowerLimit never asks for more than is there: only root could.
func lowerLimit(pid, what int, soft, hard uint64) error {
	var now unix.Rlimit
	if err := unix.Prlimit(pid, what, nil, &now); err != nil {
		return fmt.Errorf("sandbox: reading resource limit %d of the payload: %w", what, err)
	}
	hard = min(hard, now.Max)
	lim := unix.Rlimit{Cur: min(soft, hard), Max: hard}
	if err := unix.Prlimit(pid, what, &lim, nil); err != nil {
		return fmt.Errorf("sandbox: setting resource limit %d of the payload to %d: %w", what, soft, err)
	}
	return nil
}
