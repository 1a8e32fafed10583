package sandbox

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// says is what the filter says to a call, by the reference machine of x/net/bpf, which
// reads words as the network sends them.
func says(t *testing.T, vm *bpf.VM, arch, number uint32, args ...uint32) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[offNumber:], number)
	binary.BigEndian.PutUint32(data[offArch:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(data[offArg0+8*i:], a)
	}
	got, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}

func TestC1OnlyListedSystemCallsPass(t *testing.T) {
	t.Parallel()
	raw, err := seccompFilter()
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	var program []bpf.Instruction
	for ; len(raw) > 0; raw = raw[8:] {
		i := bpf.RawInstruction{Op: binary.NativeEndian.Uint16(raw), Jt: raw[2], Jf: raw[3], K: binary.NativeEndian.Uint32(raw[4:])}
		program = append(program, i.Disassemble())
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	const refused = retErrno | uint32(unix.EPERM)
	list := slices.Concat(allowed, allowedHere)
	for n := range uint32(2000) {
		got, want := says(t, vm, auditArch, n), refused
		switch {
		case n == unix.SYS_SOCKET || n == unix.SYS_SOCKETPAIR: // by their arguments, below
			continue
		case n > newest || n == unix.SYS_CLONE3:
			want = retErrno | uint32(unix.ENOSYS)
		case slices.Contains(list, n):
			want = retAllow
		}
		if got != want {
			t.Errorf("call %d: %#x, want %#x", n, got, want)
		}
	}
	for _, n := range []uint32{
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
		unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV,
		unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_SWAPON,
		unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
		unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_PROCESS_MADVISE,
		unix.SYS_PROCESS_MRELEASE, unix.SYS_QUOTACTL_FD, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	} {
		if got := says(t, vm, auditArch, n); got != refused {
			t.Errorf("call %d is let through", n)
		}
	}
	for _, c := range []struct {
		what string
		call uint32
		args []uint32
		want uint32
	}{
		{"a thread", unix.SYS_CLONE, []uint32{unix.CLONE_VM | unix.CLONE_THREAD}, retAllow},
		{"a namespace", unix.SYS_CLONE, []uint32{unix.CLONE_NEWUSER}, refused},
		{"a size of a terminal", unix.SYS_IOCTL, []uint32{0, unix.TIOCGWINSZ}, retAllow},
		{"typing for others", unix.SYS_IOCTL, []uint32{0, unix.TIOCSTI}, refused},
		{"a local socket", unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_STREAM}, retAllow},
		{"TCP", unix.SYS_SOCKET, []uint32{unix.AF_INET6, unix.SOCK_STREAM}, retAllow},
		{"multipath TCP", unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_STREAM, protoMPTCP}, retErrno | uint32(unix.EPROTONOSUPPORT)},
		{"the host's sockets", unix.SYS_SOCKET, []uint32{unix.AF_VSOCK, unix.SOCK_STREAM}, refused},
		{"raw packets", unix.SYS_SOCKET, []uint32{unix.AF_PACKET, unix.SOCK_RAW}, refused},
		{"routes", unix.SYS_SOCKET, []uint32{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, retAllow},
		{"the kernel's audit", unix.SYS_SOCKET, []uint32{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, refused},
	} {
		if got := says(t, vm, auditArch, c.call, c.args...); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.what, got, c.want)
		}
	}
	if got := says(t, vm, unix.AUDIT_ARCH_I386, unix.SYS_READ); got != retKill {
		t.Errorf("a call of another machine: %#x", got)
	}
}
