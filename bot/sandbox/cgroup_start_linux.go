package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// A process begins in its group. To move one that runs, the kernel stops every
// fork and exit of the machine for a while, 15 ms where the processors are
// busy. A child's group is free: version 2 takes it as an argument of clone, and
// in version 1 it is that of the thread which starts the child, and a thread
// may move itself.

// start starts cmd in the group, on the stage's thread. That thread may not see
// the cgroup file system: what it needs is opened before.
func (g *cgroup) start(s *stage, cmd *exec.Cmd) error {
	if g.v2 {
		return g.startInto(s, cmd)
	}
	if err := g.open(); err != nil {
		return err
	}
	return s.do(func() error {
		if err := g.enter(); err != nil {
			return err
		}
		err := cmd.Start()
		if back := g.of.rest.enter(); back != nil && err == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			err = back
		}
		return err
	})
}

func (g *cgroup) startInto(s *stage, cmd *exec.Cmd) error {
	fd, err := unix.Open(g.memory, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("sandbox: opening the payload's cgroup: %w", err)
	}
	defer unix.Close(fd)
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, fd
	return s.do(cmd.Start)
}

// open opens the files by which a thread moves into a group of version 1.
func (g *cgroup) open() error {
	for _, dir := range []string{g.memory, g.pids}[len(g.doors):] {
		f, err := os.OpenFile(filepath.Join(dir, "tasks"), os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("sandbox: opening the payload's cgroup: %w", err)
		}
		g.doors = append(g.doors, f)
	}
	return nil
}

// enter moves the calling thread into the group.
func (g *cgroup) enter() error {
	for _, f := range g.doors {
		if _, err := f.WriteString("0"); err != nil {
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
	if !c.v2 { // the group below which all others are made takes the thread back
		c.rest = &cgroup{of: c, memory: c.memory, pids: c.pids}
		if err := c.rest.open(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), startGrace)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := g.start(s, cmd); err != nil {
		return err
	}
	_ = cmd.Wait() // what the program thinks of it does not matter here
	return nil
}
