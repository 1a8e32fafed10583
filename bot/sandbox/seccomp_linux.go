package sandbox

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Return values of a seccomp filter (linux/seccomp.h).
const (
	retKill  = 0x80000000
	retAllow = 0x7fff0000
	retErrno = 0x00050000
)

// Offsets in struct seccomp_data. Arguments are little-endian 64-bit words; the
// low half comes first on both machines that we know.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
	offArg2   = 32
)

// New namespaces asked of clone(2). CLONE_NEWTIME shares its bit with the exit
// signal and is refused by unshare and clone3 only.
const cloneNew = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

const tioclinux = 0x541c

// newest is the last system call that this list was made for (mseal, Linux 6.10; numbers
// above 423 are the same on all machines). A kernel's later ones are unknown here, such
// as open_tree_attr: they answer ENOSYS, as on an older kernel, and libraries do without.
const newest = 462

// Protocols that lead into code of the kernel that no test suite needs.
const (
	protoUDPLite = 136
	protoMPTCP   = 262
)

// denied lists system calls that no test suite needs and that widen the
// kernel's surface: other namespaces, mounts, tracing, keys, programs and rings
// in the kernel, modules, clocks. They answer EPERM.
func denied() []uint32 {
	calls := []uint32{
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR,
		unix.SYS_UNSHARE, unix.SYS_SETNS,
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
		unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_QUOTACTL_FD,
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	}
	return append(calls, deniedHere...)
}

// families of sockets that stay open: local, IPv4 and IPv6 (in a network
// namespace that has only its own loopback) and netlink, which runtimes use to
// list interfaces. vsock, which no namespace confines, is not among them.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// seccompFilter assembles the program that bubblewrap loads before it starts
// the payload, as bytes of struct sock_filter.
func seccompFilter() ([]byte, error) {
	if auditArch == 0 {
		return nil, fmt.Errorf("sandbox: no seccomp filter is written for %s; use amd64 or arm64", runtime.GOARCH)
	}
	ins := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
	if runtime.GOARCH == "amd64" { // the x32 calls share our audit word
		ins = append(ins, onNumber(bpf.JumpGreaterOrEqual, 0x40000000, unix.EPERM)...)
	}
	ins = append(ins, onNumber(bpf.JumpGreaterThan, newest, unix.ENOSYS)...)
	for _, call := range denied() {
		ins = append(ins, onNumber(bpf.JumpEqual, call, unix.EPERM)...)
	}
	// The flags of clone3 lie in memory, where a filter cannot look: the
	// libraries fall back to clone.
	ins = append(ins, onNumber(bpf.JumpEqual, unix.SYS_CLONE3, unix.ENOSYS)...)
	ins = append(ins, onArgument(unix.SYS_CLONE, offArg0,
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: cloneNew, SkipFalse: 1},
		bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)})...)
	ins = append(ins, onArgument(unix.SYS_IOCTL, offArg1,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: tioclinux, SkipFalse: 1},
		bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)})...)
	ins = append(ins, onSocket(unix.SYS_SOCKET)...)
	ins = append(ins, onSocket(unix.SYS_SOCKETPAIR)...)
	// Of netlink, only the list of interfaces and routes.
	ins = append(ins, onArgument(unix.SYS_SOCKET, offArg0,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 3},
		bpf.LoadAbsolute{Off: offArg2, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1},
		bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)})...)
	ins = append(ins, onArgument(unix.SYS_SOCKET, offArg2,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protoUDPLite, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protoMPTCP, SkipFalse: 1},
		bpf.RetConstant{Val: retErrno | uint32(unix.EPROTONOSUPPORT)})...)
	ins = append(ins, bpf.RetConstant{Val: retAllow})
	raw, err := bpf.Assemble(ins)
	if err != nil {
		return nil, fmt.Errorf("sandbox: assembling the seccomp filter: %w", err)
	}
	var out []byte
	for _, r := range raw {
		out = binary.NativeEndian.AppendUint16(out, r.Op)
		out = append(out, r.Jt, r.Jf)
		out = binary.NativeEndian.AppendUint32(out, r.K)
	}
	return out, nil
}

// onNumber answers errno when the call's number compares true; the number is in
// the accumulator before and after.
func onNumber(cond bpf.JumpTest, call uint32, errno unix.Errno) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.JumpIf{Cond: cond, Val: call, SkipFalse: 1},
		bpf.RetConstant{Val: retErrno | uint32(errno)},
	}
}

// onArgument runs body with the low word of an argument in the accumulator when
// the call is the one named, and puts the number back behind it.
func onArgument(call uint32, offset uint32, body ...bpf.Instruction) []bpf.Instruction {
	ins := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: uint8(len(body) + 2)},
		bpf.LoadAbsolute{Off: offset, Size: 4},
	}
	ins = append(ins, body...)
	return append(ins, bpf.LoadAbsolute{Off: offNumber, Size: 4})
}

func onSocket(call uint32) []bpf.Instruction {
	var body []bpf.Instruction
	for i, f := range families {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: f, SkipTrue: uint8(len(families) - i)})
	}
	body = append(body, bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)})
	return onArgument(call, offArg0, body...)
}
