package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Wall is one of the walls, for those who want to know what stands.
type Wall struct {
	Name   string
	Stands bool
	Weak   bool // it stands in a form that a stronger one exists of
	Detail string
	Cure   string // what makes it stand, or stronger; empty when nothing does
}

// Survey lists the walls one by one. From the zero Walls, when no sandbox could
// be made, it says what the machine has for them.
func Survey(w Walls) []Wall {
	switch {
	case w.Backend == None, w.Backend == Engine && !w.SelfTest:
		return nil // one line says enough
	case w.Backend == Engine:
		return append(ofEngine(w), engineWall(w))
	case runtime.GOOS != "linux":
		return []Wall{engineWall(w)}
	}
	m := machine{root: "/"}
	out := []Wall{m.namespaces(w.SelfTest), m.apparmor(w.SelfTest), m.seccomp(w), m.landlock(w)}
	if w.SelfTest {
		out = append(out, memoryWall(w), diskWall(w), userWall(w))
	}
	return append(out, engineWall(w))
}

func ofEngine(w Walls) []Wall {
	return []Wall{
		{Name: "namespaces", Stands: w.SelfTest, Detail: "the engine's, with a network that leads nowhere"},
		{Name: "seccomp", Stands: w.Seccomp, Detail: "the engine's filter"},
		{Name: "memory and processes", Stands: w.Memory != "", Detail: w.Memory},
		diskWall(w),
	}
}

func memoryWall(w Walls) Wall {
	out := Wall{Name: "memory and processes", Stands: true, Detail: w.Memory}
	if w.Memory == "watchdog" {
		out.Weak, out.Detail = true, "a watchdog counts every 40 ms, and resource limits hold: "+w.Missing
		out.Cure = "give fettle a cgroup of its own: in its systemd unit Delegate=yes and DelegateSubgroup=main, or systemd-run --user --scope -p Delegate=yes; in a container a writable /sys/fs/cgroup"
	}
	return out
}

func diskWall(w Walls) Wall {
	out := Wall{Name: "disk quota", Stands: w.Disk != "", Detail: w.Disk}
	if w.Disk == "watchdog" {
		out.Weak, out.Detail = true, "a watchdog counts what lies on disk a few times a second; /tmp has a size that the kernel keeps"
		out.Cure = "start fettle as root: payloads are then another uid's, on a memory file system of limited size"
	}
	return out
}

func userWall(w Walls) Wall {
	out := Wall{Name: "user", Stands: w.User != "", Detail: w.User}
	if w.User != "another uid" {
		out.Weak, out.Detail = true, w.User+": who came out of the namespaces would have your rights"
		out.Cure = "start fettle as root: payloads then run as a uid that owns nothing"
	}
	return out
}

// engineWall is about the way out for machines without user namespaces.
func engineWall(w Walls) Wall {
	out := Wall{Name: "engine", Stands: true, Detail: "in use"}
	if w.Backend == Engine {
		return out
	}
	for _, host := range engineHosts() {
		if path, ok := strings.CutPrefix(host, "unix://"); ok {
			if _, err := os.Stat(path); err == nil {
				out.Detail = host + " is there; 'sandbox: docker' would use it"
				return out
			}
		}
	}
	out.Detail = "none found; needed for 'sandbox: docker' only"
	return out
}

// machine is where the kernel's settings are read; root is "/" but in tests.
type machine struct{ root string }

func (m machine) is(path, value string) bool {
	data, err := os.ReadFile(filepath.Join(m.root, path))
	return err == nil && strings.TrimSpace(string(data)) == value
}

const (
	sysAppArmor = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
	sysClone    = "proc/sys/kernel/unprivileged_userns_clone"
	sysMost     = "proc/sys/user/max_user_namespaces"
	sysSeccomp  = "proc/sys/kernel/seccomp/actions_avail"
)

// closed says which setting of the machine forbids user namespaces, and what
// to do about it; empty when none does.
func (m machine) closed() string {
	switch {
	case m.is(sysMost, "0"):
		return "set user.max_user_namespaces to some thousands"
	case m.is(sysClone, "0"):
		return "set kernel.unprivileged_userns_clone=1"
	case m.is(sysAppArmor, "1"):
		return "this system (Ubuntu 23.10 and later) restricts user namespaces by AppArmor: write a profile for bwrap to /etc/apparmor.d/bwrap (abi <abi/4.0>, profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }) and load it with apparmor_parser -r, or set kernel.apparmor_restrict_unprivileged_userns=0"
	}
	return ""
}

func (m machine) namespaces(tried bool) Wall {
	out := Wall{Name: "namespaces", Stands: tried, Detail: "user, pid, network, mount, ipc, uts and cgroup; no network but an own loopback"}
	if tried {
		return out
	}
	out.Detail = "bubblewrap could not make them"
	if out.Cure = m.closed(); out.Cure == "" {
		out.Cure = "install bubblewrap 0.8 or later; in a container, allow user namespaces and an unmasked /proc, or set sandbox: docker"
	}
	return out
}

func (m machine) apparmor(tried bool) Wall {
	out := Wall{Name: "apparmor", Stands: true, Detail: "does not restrict user namespaces"}
	if m.is(sysAppArmor, "1") {
		out.Stands, out.Detail = tried, "restricts user namespaces, but not those of bwrap"
		if !tried {
			out.Detail, out.Cure = "restricts user namespaces", m.closed()
		}
	}
	return out
}

func (m machine) seccomp(w Walls) Wall {
	out := Wall{Name: "seccomp", Stands: w.Seccomp, Detail: "only the system calls that compilers and test suites make pass"}
	if _, err := os.Stat(filepath.Join(m.root, sysSeccomp)); errors.Is(err, fs.ErrNotExist) {
		out.Stands, out.Detail, out.Cure = false, "this kernel has none", "take a kernel with CONFIG_SECCOMP_FILTER"
	} else if !w.SelfTest {
		out.Stands, out.Detail = true, "this kernel has it"
	}
	return out
}

func (m machine) landlock(w Walls) Wall {
	if w.Landlock != "" {
		return Wall{Name: "landlock", Stands: true, Detail: w.Landlock + ": a second wall behind the mounts"}
	}
	version, why := landlockVersion()
	if version > 0 {
		return Wall{Name: "landlock", Stands: true, Detail: "this kernel has it"}
	}
	return Wall{Name: "landlock", Detail: why, Cure: "take Linux 5.19 or later with CONFIG_SECURITY_LANDLOCK, and landlock in lsm="}
}
