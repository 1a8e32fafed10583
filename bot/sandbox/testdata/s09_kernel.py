"""Calls into the kernel that must not be open; prints a name and an errno each.
Numbers are those of the machine."""
import ctypes, errno, fcntl, os, platform, sys

libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == "aarch64"
nr = lambda x86, a: a if arm else x86


def call(name, number, *args):
    ctypes.set_errno(0)
    r = libc.syscall(number, *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    e = ctypes.get_errno()
    print(name, "OPEN" if r >= 0 else errno.errorcode.get(e, e), flush=True)
    return r


NEWNS, NEWUSER, NEWPID, NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
for flag, name in ((NEWUSER, "user"), (NEWNS, "mount"), (NEWPID, "pid"), (NEWNET, "net")):
    call("unshare-" + name, nr(272, 97), flag)
    if call("clone-" + name, nr(56, 220), flag | 17, 0, 0, 0, 0) == 0:
        os._exit(0)
call("setns", nr(308, 268), os.open("/proc/self/ns/net", os.O_RDONLY), 0)
call("mount", nr(165, 40), b"none", b"/tmp", b"tmpfs", 0, 0)
call("umount", nr(166, 39), b"/proc", 2)
call("pivot_root", nr(155, 41), b"/tmp", b"/tmp")
call("open_tree", 428, -100, b"/", 1)
call("fsopen", 430, b"tmpfs", 0)
call("ptrace", nr(101, 117), 16, 1, 0, 0)
call("process_vm_readv", nr(310, 270), 1, 0, 0, 0, 0, 0)
call("io_uring_setup", 425, 8, ctypes.create_string_buffer(256))
call("keyctl", nr(250, 219), 0, -3, 1)
call("add_key", nr(248, 217), b"user", b"x", b"y", 1, -3)
call("bpf", nr(321, 280), 0, 0, 0)
call("userfaultfd", nr(323, 282), 0)
call("perf_event_open", nr(298, 241), ctypes.create_string_buffer(128), 0, -1, -1, 0)
call("kexec_load", nr(246, 104), 0, 0, 0, 0)
call("init_module", nr(175, 105), 0, 0, b"")
call("clone3", 435, 0, 0)
call("open_tree_attr", 467, -100, b"/", 1, 0, 0)
call("of-the-future", 600, 0)
call("process_madvise", 440, 0, 0, 0, 0, 0)
socket = nr(41, 198)
call("netlink-audit", socket, 16, 3, 9)
call("netlink-netfilter", socket, 16, 3, 12)
if call("netlink-route", socket, 16, 3, 0) < 0:
    print("netlink-route CLOSED")
call("mptcp", socket, 2, 1, 262)
call("udplite", socket, 10, 2, 136)
try:
    print("kernel-cmdline", "EPERM" if not open("/proc/cmdline").read() else "OPEN", flush=True)
except OSError as e:
    print("kernel-cmdline EPERM", flush=True)
for name, request in (("TIOCSTI", 0x5412), ("TIOCLINUX", 0x541C)):
    master, slave = os.openpty()
    try:
        fcntl.ioctl(slave, request, b"x")
        print(name, "OPEN", flush=True)
    except OSError as e:
        print(name, errno.errorcode[e.errno], flush=True)
try:
    with open("/proc/sys/kernel/hostname", "w") as f:
        f.write("x")
    print("sysctl OPEN", flush=True)
except OSError as e:
    print("sysctl EPERM", flush=True)
print("done", flush=True)
