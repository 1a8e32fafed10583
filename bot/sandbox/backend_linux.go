package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func (s *Sandbox) openBubblewrap(ctx context.Context, cfg Config) error {
	b := &bubblewrap{uid: -1, hole: cfg.hole}
	name := cfg.Bwrap
	if name == "" {
		name = "bwrap"
	}
	var err error
	if b.exe, err = exec.LookPath(name); err != nil {
		return fmt.Errorf("sandbox: bubblewrap is not installed (%w); install it (apt-get install bubblewrap), or ask for sandbox: none by name, which confines nothing", err)
	}
	if b.filter, err = seccompFilter(); err != nil {
		return err
	}
	root := os.Geteuid() == 0
	if root {
		b.uid = payloadUID
		if !uidMapped(payloadUID) {
			b.uid = nobodyUID
		}
	}
	if b.stage, err = newStage(root, b.uid); err != nil {
		return err
	}
	s.back = b
	s.walls = Walls{Backend: Bubblewrap, User: "own uid, mapped", Disk: "watchdog", Seccomp: true, Network: true}
	if root {
		s.walls.User, s.walls.Disk = "another uid", "sized tmpfs"
	}
	noLock := "not asked for"
	if !cfg.noLock {
		b.landlock, noLock = landlockVersion()
	}
	if b.landlock > 0 {
		s.walls.Landlock = fmt.Sprintf("version %d", b.landlock)
	} else {
		s.walls.missing("Landlock (" + noLock + ")")
	}
	if err := s.furnish(b); err != nil {
		b.close()
		return err
	}
	why := "not asked for"
	if !cfg.noCgroup {
		b.groups, why = findCgroups(b.stage, b.exe, "--version")
	}
	if b.groups != nil {
		s.walls.Memory = "cgroup v1"
		if b.groups.v2 {
			s.walls.Memory = "cgroup v2"
		}
	} else {
		s.walls.Memory = "watchdog"
		s.walls.missing("a writable cgroup (" + why + ")")
	}
	if err := s.selfTest(ctx); err != nil {
		b.close()
		return err
	}
	s.walls.SelfTest = true
	return nil
}

// furnish prepares what all commands share: /etc and the toolchains.
func (s *Sandbox) furnish(b *bubblewrap) error {
	if b.stage.private {
		return s.furnishTree(b)
	}
	dir, lock, err := newBox(s.state)
	if err != nil {
		return err
	}
	b.dropEtc = func() { _ = dropBox(dir, lock) }
	etc := filepath.Join(dir, "etc")
	b.sealDir = filepath.Join(dir, "seal")
	if err := b.writeEtc(etc, s.tools.etc); err != nil {
		return err
	}
	b.base = append(namespaceArguments(), systemArguments(etc)...)
	b.base = append(b.base, deviceArguments()...)
	for _, m := range s.tools.mounts {
		args, err := b.show(m.Host, m.Inside)
		if err != nil {
			return err
		}
		b.toolArgs = append(b.toolArgs, args...)
	}
	return nil
}

// writeEtc fills the inside /etc, with the helper that locks a payload.
func (b *bubblewrap) writeEtc(etc string, made map[string]string) error {
	if err := writeEtc(etc, made); err != nil || b.landlock == 0 {
		return err
	}
	return writeEnter(etc, b.landlock)
}

// show makes a host folder visible inside and gives bwrap's options for it.
func (b *bubblewrap) show(host, inside string) ([]string, error) {
	from := host
	if b.stage.private {
		from = b.place("show")
		if err := b.stage.bind(host, from); err != nil {
			return nil, err
		}
	}
	return []string{"--ro-bind", from, inside}, nil
}

// workspace implements backend.
func (b *bubblewrap) workspace(box *Sandbox, quota int64, fill func(*Workspace) error) (*Workspace, error) {
	if b.stage.private {
		w, err := b.memoryWorkspace(quota, fill)
		if err == nil || !errors.Is(err, syscall.ENOSPC) {
			return w, err
		}
	}
	return b.diskWorkspace(box, fill)
}

// memoryWorkspace puts the copy on a tmpfs whose size is the quota. It is gone
// with the process, whatever happens. ENOSPC: the tree is too large for that.
func (b *bubblewrap) memoryWorkspace(quota int64, fill func(*Workspace) error) (*Workspace, error) {
	at := b.place("w")
	if err := b.stage.tmpfs(at, max(memAvailable()/4, 16*mib)); err != nil {
		return nil, err
	}
	w := &Workspace{dir: b.stage.host(at), owner: b.uid, sized: true}
	w.drop = func() error { return b.stage.unmount(at) }
	err := b.stage.do(func() error { return makeSubs(at, b.uid) })
	if err == nil {
		err = fill(w)
	}
	if err == nil {
		err = b.stage.do(func() error {
			size := "size=" + strconv.FormatInt(usedOf(at)+quota, 10)
			return unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_NOSUID|unix.MS_NODEV, size)
		})
	}
	if err != nil {
		_ = w.drop()
		return nil, err
	}
	return w, nil
}

// diskWorkspace puts the copy into the state folder; a watchdog keeps the quota.
func (b *bubblewrap) diskWorkspace(box *Sandbox, fill func(*Workspace) error) (*Workspace, error) {
	dir, lock, err := newBox(box.state)
	if err != nil {
		return nil, err
	}
	w := &Workspace{dir: dir, owner: b.uid}
	at := ""
	w.drop = func() error {
		var err error
		if at != "" {
			err = b.stage.unmount(at)
		}
		return errors.Join(err, dropBox(dir, lock))
	}
	err = makeSubs(dir, b.uid)
	if err == nil && b.stage.private {
		at = b.place("w")
		if err = b.stage.bind(dir, at); err == nil {
			w.dir = b.stage.host(at)
		} else {
			at = ""
		}
	}
	if err == nil {
		err = fill(w)
	}
	if err != nil {
		_ = w.drop()
		return nil, err
	}
	return w, nil
}

// place is a new path on the stage.
func (b *bubblewrap) place(kind string) (at string) {
	_ = b.stage.do(func() error {
		b.mounts++
		at = filepath.Join(b.stage.root, kind, strconv.Itoa(b.mounts))
		return nil
	})
	return at
}

// close implements backend.
func (b *bubblewrap) close() {
	b.stage.close()
	if b.groups != nil {
		b.groups.close()
	}
	if b.dropEtc != nil {
		b.dropEtc()
	}
}
