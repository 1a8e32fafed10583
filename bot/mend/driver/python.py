# Runs tests of candidates. It reads one request a line from standard input and
# writes one answer a line. What it says is a guide for the search, never
# evidence.
#
# Three generations: the server imports the test runner; its child collects the
# tests, so that the code under test is imported once; and each candidate gets
# a child of that, where the changed functions take their new code. A change
# that is more than the code of functions gets a child of the server, which
# imports everything anew. The changed files lie in the tree meanwhile.
import __future__
import ast
import contextlib
import gc
import json
import os
import resource
import select
import signal
import sys
import time
import types

null = os.open(os.devnull, os.O_RDWR)
ROOT = "/work/"
MEMORY = 1 << 30


def ours(file):
    """Tells whether a file is the tree's: what is installed in it is not."""
    return file.startswith(ROOT) and "/site-packages/" not in file


class Late(BaseException):
    seen = False


def late(signum, frame):
    Late.seen = True  # a runner catches what a test raises
    raise Late("time is up")


def tracer(lines):
    def local(frame, event, arg):
        if event == "line":
            seen = lines.setdefault(frame.f_code.co_filename, {})
            seen[frame.f_lineno] = seen.get(frame.f_lineno, 0) + 1
        return local

    def outer(frame, event, arg):
        if ours(frame.f_code.co_filename):
            return local
        return None

    return outer


class Guard:
    """Holds one test to its processor time, and to ten times that by the wall."""

    def __init__(self, limit, lines, prober=None, test=""):
        self.limit, self.lines, self.prober, self.test = limit, lines, prober, test

    def __enter__(self):
        import threading

        Late.seen = False
        signal.signal(signal.SIGPROF, late)
        signal.signal(signal.SIGALRM, late)
        if self.prober is not None:
            self.prober.on(self.test)  # it needs the timers itself
            return
        signal.setitimer(signal.ITIMER_PROF, self.limit, 0.1)
        signal.setitimer(signal.ITIMER_REAL, self.limit * 10 + 1, 0.1)
        if self.lines is not None:
            threading.settrace(tracer(self.lines))
            sys.settrace(tracer(self.lines))

    def __exit__(self, *exc):
        import threading

        if self.prober is not None:
            self.prober.off()
        sys.settrace(None)
        threading.settrace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return exc[0] is Late


class Result:
    def __init__(self, say, req):
        self.say, self.req = say, req
        self.prober = Prober(say, set(req["spots"]), set(req["test_files"])) if req.get("spots") is not None else None

    def lines(self):
        return {} if self.req.get("trace") else None

    def test(self, name, passed, lines, seconds, text):
        shown = None
        if lines is not None:
            shown = {k[len(ROOT):]: sorted(v.items()) for k, v in lines.items()}
        self.say({"id": name, "passed": passed, "late": Late.seen, "lines": shown, "seconds": seconds,
                  "text": text[-4000:] if self.req.get("texts") else ""})


def terse():
    """Lets a failing test say no more than that: parsing the sources of its frames
    and comparing long values takes longer than most tests do."""
    import unittest.case

    unittest.case.difflib = types.SimpleNamespace(ndiff=lambda *_: iter(()), unified_diff=lambda *_, **__: iter(()))
    unittest.case.pprint = types.SimpleNamespace(pformat=lambda *_, **__: "")
    util = sys.modules.get("_pytest.assertion.util")
    if util is not None:
        util.assertrepr_compare = lambda *_, **__: None


class Pytest:
    """Collects once; run then runs items that were collected."""

    def __init__(self, ids, then):
        self.ids, self.then, self.items = ids, then, {}
        self.failed, self.called, self.text = set(), set(), {}

    def main(self):
        import pytest

        # What is captured stays in the memory of a candidate's own process: a file
        # would be shared by all of them.
        usual = ["-q", "-p", "no:faulthandler", "--tb=short", "--no-header", "--capture=sys", "--continue-on-collection-errors", *self.ids]
        spared = ["-p", "no:cacheprovider", "-p", "no:doctest", "-p", "no:junitxml"]
        if pytest.main([*spared, *usual], plugins=[self]) == pytest.ExitCode.USAGE_ERROR and not self.items:
            pytest.main(["-o", "cache_dir=/tmp/pytest_cache", *usual], plugins=[self])  # the project's own options name what was left out

    def pytest_runtestloop(self, session):
        self.items = {item.nodeid: item for item in session.items}
        self.then(self)
        return True

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)
            self.text[report.nodeid] = self.text.get(report.nodeid, "") + report.when + ": " + str(report.longreprtext)
        elif report.when == "call" and report.passed:
            self.called.add(report.nodeid)

    def run(self, ids, result):
        if not result.req.get("texts"):
            terse()
        todo = [self.items[i] for i in ids if i in self.items]
        for k, item in enumerate(todo):
            name = item.nodeid
            lines = result.lines()
            began = time.process_time()
            if not result.req.get("texts"):
                item.repr_failure = item._repr_failure_py = lambda excinfo, style=None: "failed"
            with Guard(result.req["limits"][name], lines, result.prober, name):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=todo[k + 1] if k + 1 < len(todo) else None)
            result.test(name, name in self.called and name not in self.failed, lines, time.process_time() - began, self.text.get(name, ""))


class Unittest:
    def __init__(self, ids, then):
        self.ids, self.then, self.tests = ids, then, {}

    def main(self):
        import importlib

        for name in self.ids:
            file, _, rest = name.partition("::")
            case, _, method = rest.partition("::")
            try:
                module = importlib.import_module(file[:-3].replace("/", "."))
                self.tests[name] = getattr(module, case)(method)
            except Exception:
                pass
        self.then(self)

    def run(self, ids, result):
        import unittest

        if not result.req.get("texts"):
            terse()
        for name in ids:
            if name not in self.tests:
                continue
            lines = result.lines()
            outcome = unittest.TestResult()
            began = time.process_time()
            finished = False
            with Guard(result.req["limits"][name], lines, result.prober, name):
                unittest.TestSuite([self.tests[name]]).run(outcome)
                finished = True
            passed = finished and outcome.testsRun == 1 and outcome.wasSuccessful() and not outcome.skipped
            text = "".join(t for _, t in outcome.errors + outcome.failures)
            result.test(name, passed, lines, time.process_time() - began, text)


RUNNERS = {"pytest": Pytest, "unittest": Unittest}


def is_function(code):
    return bool(code.co_flags & 0x2) and bool(code.co_flags & 0x1)  # CO_NEWLOCALS, CO_OPTIMIZED


def shape(code):
    """What a code object does, without its place and its nested code."""
    flat = [(type(c).__name__, repr(c)) for c in code.co_consts if not isinstance(c, types.CodeType)]
    return (code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags,
            code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, tuple(flat), getattr(code, "co_exceptiontable", b""))


def nested(code):
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


def equal(a, b):
    return shape(a) == shape(b) and len(nested(a)) == len(nested(b)) and all(equal(x, y) for x, y in zip(nested(a), nested(b)))


def differing(old, new, out):
    """Collects the functions whose code differs; False when more than that does."""
    if is_function(old):
        if not equal(old, new):
            out.append((old, new))
            return is_function(new) and old.co_freevars == new.co_freevars
        return True
    if shape(old) != shape(new) or len(nested(old)) != len(nested(new)):
        return False
    return all(differing(a, b, out) for a, b in zip(nested(old), nested(new)))


def living():
    """The functions that came from the tree: (file, name, line) to functions."""
    out = {}
    for f in gc.get_objects():
        if type(f) is types.FunctionType and ours(f.__code__.co_filename):
            out.setdefault((f.__code__.co_filename, f.__code__.co_name, f.__code__.co_firstlineno), []).append(f)
    return out


class Source:
    """A file of the tree as it is, with the statements of its module that hold
    functions: most candidates change one of these, and only that is compiled."""

    known = {}

    def __init__(self, path):
        with open(path, "rb") as f:
            self.lines = f.read().splitlines(keepends=True)
        self.path, self.spans, self.codes, self.flags = path, [], {}, 0
        try:
            tree = ast.parse(b"".join(self.lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for n in tree.body:
            if isinstance(n, ast.ImportFrom) and n.module == "__future__":
                for a in n.names:
                    self.flags |= getattr(getattr(__future__, a.name, None), "compiler_flag", 0)
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.spans.append((min([n.lineno, *(d.lineno for d in n.decorator_list)]), n.end_lineno))
        if not any(b"coding" in line for line in self.lines[:2]):
            self.spans.sort()
        else:
            self.spans = []

    @classmethod
    def of(cls, path):
        if path not in cls.known:
            cls.known[path] = cls(path)
        return cls.known[path]

    def changed(self, lines):
        """The first and the last line that differ, as they were; and how many more there are now."""
        same, more = 0, len(lines) - len(self.lines)
        while same < min(len(lines), len(self.lines)) and lines[same] == self.lines[same]:
            same += 1
        end = len(self.lines)
        while end > same and end + more > same and self.lines[end - 1] == lines[end + more - 1]:
            end -= 1
        return same + 1, end, more

    def codes_of(self, content):
        """The old and the new code of what a candidate changes: a statement of the
        module where it changes nothing else, or else the module."""
        lines = content.splitlines(keepends=True)
        first, last, more = self.changed(lines)
        for a, z in self.spans:
            if a < first and last <= z and first <= z:
                return self.code(a, z), self.compiled(lines, a, z + more)
        return self.code(1, len(self.lines)), self.compiled(lines, 1, len(lines))

    def code(self, a, z):
        if (a, z) not in self.codes:
            self.codes[a, z] = self.compiled(self.lines, a, z)
        return self.codes[a, z]

    def compiled(self, lines, a, z):
        if (a, z) == (1, len(lines)):
            return compile(b"".join(lines), self.path, "exec", dont_inherit=True)
        return compile(b"\n" * (a - 1) + b"".join(lines[a - 1:z]), self.path, "exec", flags=self.flags, dont_inherit=True)


def exchange(path, content, imported, functions):
    """Gives living functions the code of a candidate: True, or "stale" when one of
    them ran while the modules were imported and may have left something behind;
    False when that is not all of the candidate."""
    try:
        old, new = Source.of(path).codes_of(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    pairs = []
    if not differing(old, new, pairs):
        return False
    whole = True
    for a, b in pairs:
        key = (path, a.co_name, a.co_firstlineno)
        if key not in functions:
            return False  # nobody has it yet
        if key in imported:
            whole = "stale"
        for f in functions[key]:
            f.__code__ = b
    return whole


def adopt():
    """Makes the processes that candidates leave behind children of this one."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    except Exception:
        pass  # they live until the worker ends, then


def children():
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/" + name + "/stat", "rb") as f:
                    if int(f.read().rpartition(b")")[2].split()[1]) == os.getpid():
                        found.add(int(name))
            except (OSError, ValueError, IndexError):
                pass
    return found


def end_orphans(kept):
    """Ends what a candidate left running, until nothing is; what modules started
    when they were imported stays."""
    for _ in range(200):
        if not kept:
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
        left = children() - kept
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except OSError:
                pass


END = b'{"end": true}\n'


def forked(work, wall, private=(), kept=frozenset()):
    """Runs work in a child; gives the records that it said and whether it ended.
    The child has neither the private descriptors nor our input."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            os.close(r)
            for fd in private:
                os.close(fd)
            os.dup2(null, 0)
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            gc.disable()  # what it visits would be copied; who asks for it still gets it
            out = os.fdopen(w, "w")

            def say(record):
                out.write(json.dumps(record) + "\n")
                out.flush()

            work(say)
            say({"end": True})
        except BaseException:
            code = 1
        os._exit(code)
    os.close(w)
    data = b""
    deadline = time.monotonic() + wall
    try:
        over = os.pidfd_open(pid)  # what the child left running may hold the pipe
    except (AttributeError, OSError):
        over = -1
    while True:
        left = deadline - time.monotonic()
        ready = select.select([r] if over < 0 else [r, over], [], [], max(left, 0))[0]
        if left <= 0 or not ready:
            break
        if r not in ready:
            break
        chunk = os.read(r, 1 << 16)
        if not chunk:
            break
        data += chunk
        if data.endswith(END):
            break
    if over >= 0:
        os.close(over)
    os.close(r)
    for end in (os.killpg, os.kill):
        try:
            end(pid, signal.SIGKILL)
        except OSError:
            pass
    os.waitpid(pid, 0)
    end_orphans(kept)
    records = []
    for line in data.split(b"\n"):
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records


def answer(records):
    return {"tests": [r for r in records if "id" in r], "probes": [r for r in records if "probe" in r], "calls": [r for r in records if "called" in r],
            "made": next((r["made"] for r in records if "made" in r), None), "records": [r["record"] for r in records if "record" in r],
            "ended": any(r.get("end") for r in records), "slow": any(r.get("slow") for r in records), "stale": any(r.get("stale") for r in records)}


def put(path, content):
    """Writes a file. A candidate may have put anything in its place, also what
    waits for a reader."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_NOFOLLOW
    try:
        fd = os.open(path, flags, 0o644)
    except OSError:
        try:
            os.unlink(path)
            fd = os.open(path, flags, 0o644)
        except OSError:
            return  # whoever keeps the tree puts it back
    with open(fd, "wb") as f:
        f.write(content)


@contextlib.contextmanager
def laid(files):
    """Has the candidate's files in the tree: what a test starts reads them there."""
    changed = {}
    try:
        for name, content in files.items():
            path = ROOT + name
            with open(path, "rb") as f:
                changed[path] = f.read()
            put(path, content.encode("latin-1"))
        yield
    finally:
        for path, content in changed.items():
            put(path, content)


def settle(req):
    """Stands in the suite's folder, as the run that told which tests fail did."""
    os.chdir(ROOT + req["dir"])
    set_path(req["program"])


def slow(req, private, kept):
    """Runs a candidate's tests from the start."""

    def work(say):
        settle(req)
        RUNNERS[req["program"]](req["tests"], lambda runner: runner.run(req["tests"], Result(say, req))).main()

    with laid(req["files"]):
        return answer(forked(work, req["wall"], private, kept))


WARM = 6  # failing tests that show what each candidate would import


def lacking(runner, req, private, kept):
    """Names the modules that are not the tree's and that a run of some tests
    imports: where the parent has them, no candidate has to."""

    def work(say):
        before = set(sys.modules)
        runner.run(req["tests"][:WARM], Result(lambda record: None, {**req, "trace": False}))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None) or ROOT
            if not ours(file) and name != "__main__":
                say({"module": name})

    records = forked(work, min(req["wall"], 20), private, kept)
    return sorted(r["module"] for r in records if "module" in r)


def nursery(req, source, sink):
    """Collects the tests and then gives each request a child."""
    settle(req)
    imported = set()

    def profile(frame, event, arg):
        if event == "call" and ours(frame.f_code.co_filename):
            imported.add((frame.f_code.co_filename, frame.f_code.co_name, frame.f_code.co_firstlineno))

    def serve(runner):
        sys.setprofile(None)
        gc.collect()
        functions = living()
        gc.freeze()
        adopt()
        private, kept = (source.fileno(), sink.fileno()), children()
        for name in lacking(runner, req, private, kept):
            try:
                __import__(name)
            except Exception:
                pass
        gc.freeze()
        sink.write(json.dumps({"ready": True}) + "\n")
        sink.flush()
        for line in source:
            one = json.loads(line)
            for name in one["files"]:
                Source.of(ROOT + name)  # read here, once for all children

            def work(say):
                for name, content in one["files"].items():
                    done = exchange(ROOT + name, content.encode("latin-1"), imported, functions)
                    if not done:
                        say({"slow": True})
                        return
                    if done == "stale":
                        say({"stale": True})
                runner.run(one["tests"], Result(say, one))

            with laid(one["files"]):
                reply = answer(forked(work, one["wall"], private, kept))
            sink.write(json.dumps(reply) + "\n")
            sink.flush()

    sys.setprofile(profile)
    RUNNERS[req["program"]](req["tests"], serve).main()


class Nursery:
    def __init__(self, req, answers):
        down, up = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(down[1])
                os.close(up[0])
                os.close(answers)
                os.dup2(null, 0)
                nursery(req, os.fdopen(down[0]), os.fdopen(up[1], "w"))
            finally:
                os._exit(0)
        os.close(down[0])
        os.close(up[1])
        self.sink, self.source = os.fdopen(down[1], "w"), os.fdopen(up[0])
        self.alive = True
        self.alive = self.reply(req["wall"]) is not None

    def pipes(self):
        return self.sink.fileno(), self.source.fileno()

    def end(self):
        for close in (self.sink.close, self.source.close):
            try:
                close()
            except OSError:
                pass
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except OSError:
            pass

    def reply(self, wall):
        line = ""
        if select.select([self.source], [], [], wall)[0]:
            line = self.source.readline()
        if not line:
            self.alive = False
            return None
        return json.loads(line)

    def ask(self, req):
        try:
            self.sink.write(json.dumps(req) + "\n")
            self.sink.flush()
        except OSError:
            self.alive = False
            return None
        return self.reply(req["wall"] + 30)


REBORN = 10  # times that a nursery is begun anew which a candidate ended
AGAIN = 5.0  # seconds for running candidates from the start that failed with what an import left behind


def again(req, reply, spent):
    """Tells whether a candidate is run from the start after it was run on what old
    code had made while the modules were imported: when it passed, to be sure, and
    the likeliest of those that failed."""
    if req.get("spots") is not None or req.get("site"):
        return False
    passed = {t["id"] for t in reply["tests"] if t["passed"]}
    return spent < AGAIN or passed.issuperset(req["tests"])


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(null, 1)
    os.dup2(null, 2)
    preload = json.loads(sys.stdin.readline())
    gc.disable()  # loading makes little garbage and is walked through again and again
    for name in preload["modules"]:
        try:
            __import__(name)
        except Exception:
            pass
    gc.freeze()  # what is loaded stays
    gc.enable()
    answers.write('{"ready": true}\n')
    answers.flush()
    adopt()
    nurse, collect, born, spent = None, None, 0, 0.0
    for line in sys.stdin:
        req = json.loads(line)
        if req.get("collect"):
            nurse, collect = Nursery(req, answers.fileno()), req
            reply = {"ready": nurse.alive}
        else:
            reply = None
            if nurse is not None and not nurse.alive and born < REBORN:
                nurse.end()
                end_orphans(set())
                nurse, born = Nursery(collect, answers.fileno()), born + 1
            if nurse is not None and nurse.alive and not req.get("whole"):
                reply = nurse.ask(req)
            if reply is None or reply["slow"] or reply["stale"] and again(req, reply, spent):
                began = time.monotonic()
                stale = reply is not None and reply["stale"]
                private, kept = (answers.fileno(),), set()
                if nurse is not None:
                    private, kept = private + nurse.pipes(), {nurse.pid} if nurse.alive else set()
                reply = slow(req, private, kept)
                reply["slow"] = True
                spent += time.monotonic() - began if stale else 0
        answers.write(json.dumps(reply) + "\n")
        answers.flush()
