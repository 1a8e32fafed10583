package service

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Guard keeps this process's memory and descriptors out of the reach of the
// service, which runs as the same user (prctl(2), PR_SET_DUMPABLE).
func Guard() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
