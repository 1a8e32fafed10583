"""Looks for a canary wherever a secret may lie: environments, command lines and
memory maps of all processes, open descriptors, home and the paths named."""
import os, sys

canary = sys.argv[1].encode()


def look(path):
    try:
        with open(path, "rb") as f:
            if canary[::-1] in f.read(1 << 20):
                print("FOUND in", path, flush=True)
    except OSError:
        pass


pids = [p for p in os.listdir("/proc") if p.isdigit()]
for pid in pids:
    for name in ("environ", "maps", "mountinfo", "cgroup"):
        look("/proc/%s/%s" % (pid, name))
    if pid != str(os.getpid()):
        look("/proc/%s/cmdline" % pid)
    for fd in os.listdir("/proc/%s/fd" % pid) if os.access("/proc/%s/fd" % pid, os.R_OK) else []:
        try:
            target = os.readlink("/proc/%s/fd/%s" % (pid, fd))
        except OSError:
            continue
        if target.startswith("/") and not target.startswith(("/dev/", "/proc/")):
            look(target)
            if pid == str(os.getpid()) and not target.startswith(("/work", "/usr")):
                print("OPEN", fd, target, flush=True)
for path in sys.argv[2:]:
    look(path)
    if os.path.isdir(path):
        for top, dirs, files in os.walk(path):
            for f in files:
                look(os.path.join(top, f))
print("processes", len(pids), flush=True)
print("done", flush=True)
