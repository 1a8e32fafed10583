# The supervisor of a Python suite. It runs inside the sandbox but never
# imports anything of the repository: it starts the child that does, receives
# its records over a private pipe, watches for silence, starts the child again
# without the test that killed it, and writes one signed result file.
#
# Standard input: one line of JSON, see pythonRequest in python.go. Nothing is
# ever read back from what the child prints.
import sys

sys.path[:] = [p for p in sys.path if p not in ("", ".")]

import gc

gc.disable()  # it makes no cycles, and loading is walked through again and again

import hashlib
import hmac
import json
import os
import select
import signal
import subprocess
import time


def hide():
    """Deny other processes of the same user our memory and descriptors, where
    whoever started us has not."""
    if not os.access("/proc/self/environ", os.R_OK):
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    except Exception:
        pass


class Tail:
    """Keeps the head and the tail of what the child prints."""

    def __init__(self, head=4096, tail=12288):
        self.head, self.tail, self.data, self.cut = head, tail, b"", 0

    def add(self, chunk):
        self.data += chunk
        over = len(self.data) - self.head - self.tail
        if over > 65536:
            self.data = self.data[: self.head] + self.data[self.head + over:]
            self.cut += over

    def text(self):
        data, over = self.data, len(self.data) - self.head - self.tail
        cut = self.cut + max(over, 0)
        if cut:
            data = data[: self.head] + b"\n[... %d bytes ...]\n" % cut + data[-self.tail:]
        return data.decode("utf-8", "replace")


class Supervisor:
    def __init__(self, cfg):
        self.cfg = cfg
        self.records = []
        self.started = {}  # id -> seen a result
        self.units = []  # files whose import killed the child
        self.hung = []
        self.deadline = time.monotonic() + cfg["wall"]
        self.no_addopts = False

    def emit(self, kind, **fields):
        fields["k"] = kind
        self.records.append(fields)

    def run(self):
        for _ in range(self.cfg["restarts"] + 1):
            again = self.once()
            if not again:
                break
        return self.records

    def once(self):
        """Runs the child once; true when it should be started again."""
        self.current, self.unit, self.ended, self.bad = None, None, None, False
        self.killed, self.seq, self.rest = "", 0, b""
        self.out = Tail()
        self.key = os.urandom(24).hex()
        self.mac_key = self.key.encode()
        read, write = os.pipe()
        cfg = dict(self.cfg["child"])
        cfg.update(key=self.key, fd=write, limit=self.cfg["limit"], no_addopts=self.no_addopts,
                   skip=sorted(self.started), ignore=self.units)
        proc = subprocess.Popen(
            [sys.executable, "-s", "-B", "-c", self.cfg["code"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, pass_fds=(write,), start_new_session=True)
        os.close(write)
        try:
            proc.stdin.write(json.dumps(cfg).encode() + b"\n")
            proc.stdin.close()
        except OSError:
            pass
        self.pump(proc, read)
        try:
            os.killpg(proc.pid, signal.SIGKILL)
        except OSError:
            pass
        code = proc.wait()
        os.close(read)
        proc.stdout.close()
        return self.close(code)

    def pump(self, proc, read):
        """Reads records and output until the child is gone or silent too long."""
        out = proc.stdout.fileno()
        open_fds = [read, out]
        last, grace = time.monotonic(), self.cfg["grace"]
        gone = None
        while open_fds:
            now = time.monotonic()
            limit = self.cfg["limit"] * 2 if self.current else self.cfg["limit"] * 3
            if now > self.deadline:
                self.killed = "wall"
            elif now - last > limit + grace:
                self.killed = "silence"
            if self.killed:
                return
            if gone is None and proc.poll() is not None:
                gone = now
            if gone is not None and now - gone > 1:
                return  # somebody else still holds the pipe
            ready, _, _ = select.select(open_fds, [], [], 0.1 if gone is None else 0.05)
            if gone is not None and not ready:
                return
            for fd in ready:
                chunk = os.read(fd, 65536)
                if not chunk:
                    open_fds.remove(fd)
                elif fd == out:
                    self.out.add(chunk)
                else:
                    last = now
                    self.take(chunk)
            if self.bad or self.ended is not None and read not in open_fds:
                return

    def take(self, chunk):
        self.rest += chunk
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            mac, _, body = line.partition(b" ")
            want = hashlib.blake2b(body, key=self.mac_key, digest_size=8).hexdigest().encode()
            try:
                if not hmac.compare_digest(mac, want):
                    raise ValueError("mac")
                seq, kind, fields = json.loads(body.decode("ascii"))
                if seq != self.seq or self.ended is not None:
                    raise ValueError("order")
            except Exception:
                self.bad = True
                return
            self.seq += 1
            self.handle(kind, fields)

    def handle(self, kind, f):
        if kind == "collecting":
            self.unit = f["unit"]
        elif kind == "collected":
            self.unit = None
            self.emit(kind, **f)
        elif kind == "start":
            self.current = f["id"]
            self.started.setdefault(f["id"], False)
        elif kind == "result":
            if f["id"] != self.current:
                self.bad = True
                return
            self.started[f["id"]] = True
            self.current = None
            self.emit(kind, **f)
        elif kind == "end":
            self.ended = f
        else:
            self.emit(kind, **f)

    def close(self, code):
        """Writes down how the child ended and what that means."""
        if self.bad:
            self.emit("forged", text=self.out.text())
            return False
        if self.ended is not None and self.current is None:
            if self.ended.get("code") == 4 and not self.no_addopts and not self.started:
                self.no_addopts = True  # addopts of a plugin that is not here
                self.usage = self.out.text()
                return True
            self.emit("output", text=self.out.text(), code=code, usage=self.ended.get("code", 0),
                      error=self.ended.get("error"))
            return False
        self.emit("died", id=self.current or "", unit=self.unit or "", code=code, why=self.killed,
                  text=self.out.text(), error=(self.ended or {}).get("error"))
        if self.killed == "wall":
            return False
        if self.current:
            return True  # it is in started, so the next child leaves it out
        if self.unit and self.unit not in self.units:
            self.units.append(self.unit)
            return True
        return False


def main():
    hide()
    cfg = json.loads(sys.stdin.buffer.readline().decode())
    key = bytes.fromhex(cfg.pop("key"))
    sup = Supervisor(cfg)
    records = sup.run()
    lines = [{"k": "begin", "nonce": cfg["nonce"], "python": sys.version.split()[0]}]
    lines += records
    lines.append({"k": "end", "records": len(records), "nonce": cfg["nonce"]})
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    mac = hmac.new(key, body, hashlib.sha256).hexdigest()
    tmp = cfg["out"] + ".part"
    with open(tmp, "wb") as f:
        f.write(body + mac.encode() + b"\n")
    os.rename(tmp, cfg["out"])


main()
