package sandbox

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"

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

// allowed are the system calls that compilers, package managers and test suites make:
// files, memory, threads, signals, timers, sockets, messages between processes, their own
// limits, and walls that they put around themselves. All others answer EPERM: namespaces,
// mounts, tracing, keys, programs and rings in the kernel, modules, clocks, other nodes'
// memory, handles of files, and whatever nobody here has looked at.
var allowed = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK, unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_MUNMAP, unix.SYS_BRK,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_IOCTL, unix.SYS_PREAD64, unix.SYS_PWRITE64, unix.SYS_READV,
	unix.SYS_WRITEV, unix.SYS_SCHED_YIELD, unix.SYS_MREMAP, unix.SYS_MSYNC, unix.SYS_MINCORE, unix.SYS_MADVISE, unix.SYS_SHMGET, unix.SYS_SHMAT,
	unix.SYS_SHMCTL, unix.SYS_DUP, unix.SYS_NANOSLEEP, unix.SYS_GETITIMER, unix.SYS_SETITIMER, unix.SYS_GETPID, unix.SYS_SENDFILE, unix.SYS_SOCKET,
	unix.SYS_CONNECT, unix.SYS_ACCEPT, unix.SYS_SENDTO, unix.SYS_RECVFROM, unix.SYS_SENDMSG, unix.SYS_RECVMSG, unix.SYS_SHUTDOWN, unix.SYS_BIND,
	unix.SYS_LISTEN, unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME, unix.SYS_SOCKETPAIR, unix.SYS_SETSOCKOPT, unix.SYS_GETSOCKOPT, unix.SYS_CLONE,
	unix.SYS_EXECVE, unix.SYS_EXIT, unix.SYS_WAIT4, unix.SYS_KILL, unix.SYS_UNAME, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL, unix.SYS_SHMDT,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_FCNTL, unix.SYS_FLOCK, unix.SYS_FSYNC, unix.SYS_FDATASYNC,
	unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_GETCWD, unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_FCHMOD, unix.SYS_FCHOWN, unix.SYS_UMASK,
	unix.SYS_GETTIMEOFDAY, unix.SYS_GETRLIMIT, unix.SYS_GETRUSAGE, unix.SYS_SYSINFO, unix.SYS_TIMES, unix.SYS_GETUID, unix.SYS_GETGID, unix.SYS_SETUID,
	unix.SYS_SETGID, unix.SYS_GETEUID, unix.SYS_GETEGID, unix.SYS_SETPGID, unix.SYS_GETPPID, unix.SYS_SETSID, unix.SYS_SETREUID, unix.SYS_SETREGID,
	unix.SYS_GETGROUPS, unix.SYS_SETGROUPS, unix.SYS_SETRESUID, unix.SYS_GETRESUID, unix.SYS_SETRESGID, unix.SYS_GETRESGID, unix.SYS_GETPGID,
	unix.SYS_SETFSUID, unix.SYS_SETFSGID, unix.SYS_GETSID, unix.SYS_CAPGET, unix.SYS_CAPSET, unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGTIMEDWAIT,
	unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_SIGSUSPEND, unix.SYS_SIGALTSTACK, unix.SYS_PERSONALITY, unix.SYS_STATFS, unix.SYS_FSTATFS,
	unix.SYS_GETPRIORITY, unix.SYS_SETPRIORITY, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_SCHED_RR_GET_INTERVAL, unix.SYS_MLOCK,
	unix.SYS_MUNLOCK, unix.SYS_MLOCKALL, unix.SYS_MUNLOCKALL, unix.SYS_PRCTL, unix.SYS_SETRLIMIT, unix.SYS_SYNC, unix.SYS_GETTID, unix.SYS_READAHEAD,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_FGETXATTR, unix.SYS_LISTXATTR,
	unix.SYS_LLISTXATTR, unix.SYS_FLISTXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_TKILL, unix.SYS_FUTEX,
	unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_GETAFFINITY, unix.SYS_IO_SETUP, unix.SYS_IO_DESTROY, unix.SYS_IO_GETEVENTS, unix.SYS_IO_SUBMIT,
	unix.SYS_IO_CANCEL, unix.SYS_REMAP_FILE_PAGES, unix.SYS_GETDENTS64, unix.SYS_SET_TID_ADDRESS, unix.SYS_RESTART_SYSCALL, unix.SYS_SEMTIMEDOP,
	unix.SYS_FADVISE64, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_GETTIME, unix.SYS_TIMER_GETOVERRUN, unix.SYS_TIMER_DELETE,
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_EXIT_GROUP, unix.SYS_EPOLL_CTL, unix.SYS_TGKILL, unix.SYS_MQ_OPEN,
	unix.SYS_MQ_UNLINK, unix.SYS_MQ_TIMEDSEND, unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_NOTIFY, unix.SYS_MQ_GETSETATTR, unix.SYS_WAITID,
	unix.SYS_IOPRIO_SET, unix.SYS_IOPRIO_GET, unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_INOTIFY_RM_WATCH, unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_MKNODAT,
	unix.SYS_FCHOWNAT, unix.SYS_NEWFSTATAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_READLINKAT,
	unix.SYS_FCHMODAT, unix.SYS_FACCESSAT, unix.SYS_PSELECT6, unix.SYS_PPOLL, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST, unix.SYS_SPLICE,
	unix.SYS_TEE, unix.SYS_SYNC_FILE_RANGE, unix.SYS_VMSPLICE, unix.SYS_UTIMENSAT, unix.SYS_EPOLL_PWAIT, unix.SYS_TIMERFD_CREATE, unix.SYS_FALLOCATE,
	unix.SYS_TIMERFD_SETTIME, unix.SYS_TIMERFD_GETTIME, unix.SYS_ACCEPT4, unix.SYS_SIGNALFD4, unix.SYS_EVENTFD2, unix.SYS_EPOLL_CREATE1, unix.SYS_DUP3,
	unix.SYS_PIPE2, unix.SYS_INOTIFY_INIT1, unix.SYS_PREADV, unix.SYS_PWRITEV, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_RECVMMSG, unix.SYS_PRLIMIT64,
	unix.SYS_SYNCFS, unix.SYS_SENDMMSG, unix.SYS_GETCPU, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_GETATTR, unix.SYS_RENAMEAT2, unix.SYS_SECCOMP,
	unix.SYS_GETRANDOM, unix.SYS_MEMFD_CREATE, unix.SYS_EXECVEAT, unix.SYS_MEMBARRIER, unix.SYS_MLOCK2, unix.SYS_COPY_FILE_RANGE, unix.SYS_PREADV2,
	unix.SYS_PWRITEV2, unix.SYS_PKEY_MPROTECT, unix.SYS_PKEY_ALLOC, unix.SYS_PKEY_FREE, unix.SYS_STATX, unix.SYS_IO_PGETEVENTS, unix.SYS_RSEQ,
	unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PIDFD_OPEN, unix.SYS_CLOSE_RANGE, unix.SYS_OPENAT2, unix.SYS_FACCESSAT2, unix.SYS_EPOLL_PWAIT2,
	unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF, unix.SYS_MEMFD_SECRET, unix.SYS_FUTEX_WAITV,
	unix.SYS_CACHESTAT, unix.SYS_FCHMODAT2, unix.SYS_MAP_SHADOW_STACK, unix.SYS_FUTEX_WAKE, unix.SYS_FUTEX_WAIT, unix.SYS_FUTEX_REQUEUE, unix.SYS_MSEAL,
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
	// The flags of clone3 lie in memory, where a filter cannot look: the
	// libraries fall back to clone.
	ins = append(ins, onNumber(bpf.JumpEqual, unix.SYS_CLONE3, unix.ENOSYS)...)
	ins = append(ins, onlyNumbers(slices.Concat(allowed, allowedHere))...)
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

// onlyNumbers answers EPERM to every call that is not listed, and goes on behind it with
// the others. Neighbours are compared as one range: every call of every process of a test
// suite comes through here.
func onlyNumbers(calls []uint32) []bpf.Instruction {
	slices.Sort(calls)
	var ranges [][2]uint32
	for _, c := range calls {
		if n := len(ranges); n > 0 && c <= ranges[n-1][1]+1 {
			ranges[n-1][1] = c
			continue
		}
		ranges = append(ranges, [2]uint32{c, c})
	}
	var ins []bpf.Instruction
	for i, r := range ranges {
		left := uint32(len(ranges)-i-1)*4 + 1 // instructions behind this range's jump
		ins = append(ins,
			bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: r[0], SkipTrue: 1},
			bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)},
			bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: r[1], SkipTrue: 1},
			bpf.Jump{Skip: left})
	}
	return append(ins, bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)})
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
