package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// A process begins in its group. To move one that runs, the kernel stops every
// fork and exit of the machine for a while, 15 ms where the processors are
// busy. A child's group is free: version 2 takes it as an argument of clone, and
// in version 1 it is that of the thread which starts the child, and a thread
// may move itself.

// start starts cmd in the group. It runs on the stage's thread.
func (g *cgroup) start(cmd *exec.Cmd) error {
	if g.v2 {
		return g.startInto(cmd)
	}
	if err := g.enter(); err != nil {
		return err
	}
	err := cmd.Start()
	if back := g.of.parent().enter(); back != nil && err == nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		err = back
	}
	return err
}

func (g *cgroup) startInto(cmd *exec.Cmd) error {
	fd, err := unix.Open(g.memory, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("sandbox: opening the payload's cgroup: %w", err)
	}
	defer unix.Close(fd)
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, fd
	return cmd.Start()
}

// parent is the group below which all others are made: our own, or what stands
// for it in a container.
func (c *cgroups) parent() *cgroup { return &cgroup{of: c, v2: c.v2, memory: c.memory, pids: c.pids} }

// enter moves the calling thread into a group of version 1.
func (g *cgroup) enter() error {
	for _, dir := range []string{g.memory, g.pids} {
		if err := set(dir, "tasks", "0"); err != nil {
			return fmt.Errorf("sandbox: entering the payload's cgroup: %w", err)
		}
	}
	return nil
}

// try starts a program in a new group, from the stage's thread.
func (c *cgroups) try(s *stage, argv ...string) error {
	g, err := c.acquire(DefaultLimits())
	if err != nil {
		return err
	}
	defer g.release()
	ctx, cancel := context.WithTimeout(context.Background(), startGrace)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.do(func() error { return g.start(cmd) }); err != nil {
		return err
	}
	_ = cmd.Wait() // what the program thinks of it does not matter here
	return nil
}
