# The child that runs the repository's own tests. Everything it needs is bound
# to local names before the first line of repository code is imported; the key
# that signs its records comes over standard input and stays in a closure.
import sys

sys.path[:] = [p for p in sys.path if p not in ("", ".")]

import gc

gc.disable()  # until the tests begin: loading a runner makes little garbage and is walked through again and again

import hashlib
import json
import os
import signal
import time
import traceback
import types


def make_sender(fd, key):
    count = [0]
    dumps, write, mac, mykey, pid, getpid = json.dumps, os.write, hashlib.blake2b, key.encode(), os.getpid(), os.getpid

    def send(kind, **fields):
        if getpid() != pid:
            return  # a process forked by a test
        body = dumps([count[0], kind, fields]).encode("ascii")
        line = mac(body, key=mykey, digest_size=8).hexdigest().encode("ascii") + b" " + body + b"\n"
        count[0] += 1
        while line:
            line = line[write(fd, line):]

    return send


class TestTimeout(BaseException):
    """Raised in a test that runs longer than the limit."""


def make_alarm(limit):
    fired = [False]
    setitimer, real = signal.setitimer, signal.ITIMER_REAL

    def ring(signum, frame):
        fired[0] = True
        raise TestTimeout("the test was still running after %g s" % limit)

    signal.signal(signal.SIGALRM, ring)

    def arm():
        fired[0] = False
        setitimer(real, limit, 0.5)

    def disarm():
        setitimer(real, 0)
        return fired[0]

    return arm, disarm


def clip(text, limit=2048):
    try:
        text = str(text)
    except BaseException as e:
        text = "<text cannot be made: %s>" % type(e).__name__
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) > limit:
        text = text[: limit // 2] + "\n[... %d characters ...]\n" % (len(text) - limit) + text[-limit // 2:]
    return text


HARNESS = ("/_pytest/", "/pluggy/", "/unittest/", "/pytest/")


def frames(tb):
    out = []
    try:
        for f, line in traceback.walk_tb(tb):
            name = f.f_code.co_filename
            if name.startswith("<") or any(h in name for h in HARNESS):
                continue
            if not os.path.isabs(name):
                name = os.path.abspath(name)
            out.append([name, line, f.f_code.co_name])
    except Exception:
        pass
    return out if len(out) <= 40 else out[:10] + out[-30:]


def describe(exc, text=""):
    """An exception as plain data."""
    d = {"class": type(exc).__name__, "bases": [c.__name__ for c in type(exc).__mro__[1:-1]],
         "message": clip(exc), "frames": frames(exc.__traceback__), "text": clip(text, 6000)}
    if isinstance(exc, ImportError):
        d["missing"] = missing(exc)
    if isinstance(exc, NameError) and str(exc).startswith("name '"):
        d["missing"] = "#" + str(exc).split("'")[1]
    if isinstance(exc, SyntaxError):
        d["message"] = clip(exc.msg)
        name = exc.filename or ""
        if name and not name.startswith("<"):
            d["frames"].append([os.path.abspath(name), exc.lineno or 0, ""])
    return d


def missing(exc):
    """The module that is not there, or module#name; empty where neither is known."""
    module = exc.name if isinstance(exc.name, str) else ""
    if isinstance(exc, ModuleNotFoundError):
        return module
    name = getattr(exc, "name_from", None)  # since Python 3.12
    if name is None and str(exc).startswith("cannot import name '"):
        name = str(exc).split("'")[1]
    return module + "#" + name if isinstance(name, str) else ""


def trace_text(exc):
    """The traceback without the harness's own frames."""
    try:
        kept = [f for f in traceback.extract_tb(exc.__traceback__)
                if not f.filename.startswith("<") and not any(h in f.filename for h in HARNESS)]
        return "".join(traceback.format_list(kept)[-30:] + traceback.format_exception_only(type(exc), exc))
    except Exception:
        return ""


def integrity(modules):
    """Remembers the harness's own functions; gives a function that names
    those which were replaced since."""
    seen = []

    def keep(owner, label, name, value):
        fn = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        space = owner if isinstance(owner, dict) else vars(owner)  # of a class: a view that shows every change
        seen.append((space.get, label + "." + name, name, value, getattr(fn, "__code__", None), fn))

    kinds = (types.FunctionType, staticmethod, classmethod, property)
    for m in modules:
        for name, value in list(vars(m).items()):
            if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
                keep(vars(m), m.__name__, name, value)
            elif isinstance(value, type):
                keep(vars(m), m.__name__, name, value)
                if value.__module__ == m.__name__:
                    for attr, inner in list(vars(value).items()):
                        if isinstance(inner, kinds):
                            keep(value, m.__name__ + "." + value.__name__, attr, inner)
    reported = set()

    def check():
        bad = []
        for get, label, name, value, code, fn in seen:
            if (get(name) is not value or code is not None and fn.__code__ is not code) and label not in reported:
                reported.add(label)
                bad.append(label)
        return bad

    return check


def rel(path):
    here = os.getcwd()
    path = os.path.abspath(path)
    return os.path.relpath(path, here) if path.startswith(here + os.sep) else path


def wanted(nid, only, units):
    return only is None or nid in only or any(nid.startswith(u + "::") for u in units)


# ---------------------------------------------------------------- pytest

def run_pytest(cfg, send, arm, disarm):
    import pytest
    import unittest
    import _pytest.assertion.rewrite
    import _pytest.outcomes
    import _pytest.python
    import _pytest.reports
    import _pytest.runner
    import _pytest.unittest
    import pluggy
    import builtins
    import difflib, pprint, tempfile, pathlib, inspect  # what pytest loads late

    mods = [builtins, unittest.case, unittest.result, unittest.suite, _pytest.outcomes, _pytest.python, _pytest.reports,
            _pytest.runner, _pytest.unittest]
    for name in ("_pytest.raises", "_pytest.python_api", "pluggy._callers", "pluggy._hooks", "pluggy._manager",
                 "pluggy._result"):
        if name in sys.modules:
            mods.append(sys.modules[name])
    changed = integrity(mods)
    skip, ignore = set(cfg["skip"]), set(cfg["ignore"])
    only = set(cfg["only"]) if cfg["only"] is not None else None
    only_units = tuple(cfg["only_units"])
    clock = time.perf_counter
    state = {"phases": {}, "exc": None, "ran": 0, "timeout": False, "when": ""}

    def look():
        bad = changed()
        if bad:
            send("tampered", what=bad[:20])

    class Recorder:
        @pytest.hookimpl(tryfirst=True)
        def pytest_ignore_collect(self, **kw):
            path = kw.get("collection_path") or kw.get("path")
            if rel(str(path)) in ignore:
                return True

        @pytest.hookimpl(tryfirst=True)
        def pytest_collectstart(self, collector):
            path = getattr(collector, "path", None) or getattr(collector, "fspath", None)
            if isinstance(collector, pytest.File):
                send("collecting", unit=rel(str(path)))

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_exception_interact(self, node, call, report):
            if isinstance(node, pytest.Collector) and not isinstance(node, pytest.Session):
                exc = call.excinfo.value
                if isinstance(exc, pytest.Collector.CollectError) and exc.__cause__ is not None:
                    exc = exc.__cause__
                path = getattr(node, "path", None) or getattr(node, "fspath", None)
                send("collect_error", unit=rel(str(path)), exc=describe(exc, report.longreprtext))
            yield

        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_collection_modifyitems(self, config, items):
            yield
            keep = []
            for item in items:
                nid = item.nodeid
                if nid in skip:
                    continue
                if not wanted(nid, only, only_units):
                    continue
                keep.append(item)
            items[:] = keep

        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session):
            ids = [i.nodeid for i in session.items]
            for n in range(0, len(ids), 100):
                send("collected", ids=ids[n:n + 100])
            look()
            gc.enable()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_protocol(self, item, nextitem):
            state.update(phases={}, exc=None, timeout=False, when="")
            send("start", id=item.nodeid)
            begun = clock()
            yield
            loc = item.location
            ph = state["phases"]
            if "passed" == ph.get("setup") == ph.get("call") == ph.get("teardown"):
                status = "passed"
            elif "failed" in (ph.get("setup"), ph.get("teardown")) and ph.get("call") != "failed":
                status = "error"
            elif "failed" in ph.values():
                status = "failed"
            else:
                status = "skipped" if "skipped" in ph.values() else "error"
            if state["timeout"]:
                status = "failed"
            state["ran"] += 1
            look()
            send("result", id=item.nodeid, file=loc[0], line=(loc[1] or 0) + 1, name=loc[2], status=status,
                 seconds=clock() - begun, timeout=state["timeout"], exc=state["exc"] if status != "passed" else None)

        def phase(self, name):
            arm()
            try:
                yield
            finally:
                if disarm():
                    state["timeout"] = True

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_setup(self, item):
            yield from self.phase("setup")

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_call(self, item):
            yield from self.phase("call")

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_teardown(self, item, nextitem):
            yield from self.phase("teardown")

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, item, call):
            got = yield
            report = got.get_result()
            outcome = report.outcome
            if report.when == "call" and outcome == "passed" and call.excinfo is not None:
                outcome = "failed"  # somebody rewrote the outcome
            ph = state["phases"]
            if ph.get(report.when) != "failed":
                ph[report.when] = outcome
            if outcome == "failed" and state["exc"] is None:
                text = report.longreprtext if report.longrepr is not None else ""
                if call.excinfo is not None:
                    state["exc"] = describe(call.excinfo.value, text)
                else:
                    state["exc"] = {"class": "Failed", "bases": [], "message": clip(text), "frames": [], "text": ""}

    args = ["-p", "no:randomly", "--color=no", "--tb=short", "-q", "--maxfail=0", "--continue-on-collection-errors",
            "--rootdir=" + os.getcwd(), "-o", "cache_dir=/tmp/.pytest_cache"]
    if cfg["no_addopts"]:
        args += ["-o", "addopts="]
    else:
        import importlib.util
        if importlib.util.find_spec("xdist"):
            args += ["-n0"]
        if importlib.util.find_spec("pytest_cov"):
            args += ["--no-cov"]
    for unit in cfg["ignore"]:
        args.append("--ignore=" + unit)
    args += cfg["files"]
    set_path(cfg["program"])
    gc.freeze()  # pytest collects garbage five times at its end, which visits what the runner itself is made of
    code, error = 0, None
    try:
        code = int(pytest.main(args, plugins=[Recorder()]))
    except BaseException as e:
        code, error = -1, describe(e)
    send("end", code=code, ran=state["ran"], error=error)


# -------------------------------------------------------------- unittest

def run_unittest(cfg, send, arm, disarm):
    import builtins
    import importlib
    import importlib.util
    import unittest
    import difflib, pprint

    changed = integrity([builtins, unittest.case, unittest.result, unittest.suite, unittest.loader])
    skip, ignore = set(cfg["skip"]), set(cfg["ignore"])
    only = set(cfg["only"]) if cfg["only"] is not None else None
    only_units = tuple(cfg["only_units"])
    clock = time.perf_counter
    ids, ran = {}, [0]

    def look():
        bad = changed()
        if bad:
            send("tampered", what=bad[:20])

    class Result(unittest.TestResult):
        def startTest(self, test):
            super().startTest(test)
            self.status, self.exc, self.begun = None, None, clock()
            send("start", id=ids.get(test.id(), test.id()))
            arm()

        def stopTest(self, test):
            late = disarm()
            status = "failed" if late else self.status or "error"
            nid = ids.get(test.id(), test.id())
            ran[0] += 1
            look()
            method = getattr(type(test), getattr(test, "_testMethodName", ""), None)
            line = getattr(getattr(method, "__code__", None), "co_firstlineno", 0)
            send("result", id=nid, file=nid.split("::")[0], line=line, name=nid.split("::", 1)[-1], status=status,
                 seconds=clock() - self.begun, timeout=late, exc=self.exc if status != "passed" else None)
            super().stopTest(test)

        def worse(self, status, err, test):
            if not isinstance(test, unittest.TestCase):  # setUpClass, setUpModule
                send("collect_error", unit=holder(test), exc=describe(err[1], trace_text(err[1])))
                return
            if self.exc is None and err is not None:
                self.exc = describe(err[1], trace_text(err[1]))
            if self.status != "error":
                self.status = status

        def addSuccess(self, test):
            if self.status is None:
                self.status = "passed"

        def addError(self, test, err):
            self.worse("error", err, test)

        def addFailure(self, test, err):
            self.worse("failed", err, test)

        def addSubTest(self, test, subtest, err):
            if err is not None:
                self.worse("failed", err, test)

        def addSkip(self, test, reason):
            if isinstance(test, unittest.TestCase) and self.status is None:
                self.status = "skipped"

        def addExpectedFailure(self, test, err):
            if self.status is None:
                self.status = "skipped"

        def addUnexpectedSuccess(self, test):
            self.exc = {"class": "UnexpectedSuccess", "bases": [], "frames": [], "text": "",
                        "message": "the test is marked as an expected failure and passed"}
            self.status = "failed"

    def holder(test):
        text = test.id()  # "setUpClass (module.Class)"
        inner = text[text.find("(") + 1:].rstrip(")")
        for name, nid in ids.items():
            if name.startswith(inner + "."):
                return nid.rsplit("::", 1)[0] if "setUpClass" in text or "tearDownClass" in text else nid.split("::")[0]
        return text

    def load(path):
        base, parts = os.path.dirname(path), [os.path.splitext(os.path.basename(path))[0]]
        while base and os.path.exists(os.path.join(base, "__init__.py")):
            parts.insert(0, os.path.basename(base))
            base = os.path.dirname(base)
        top = os.path.abspath(base or ".")
        if top not in sys.path:
            sys.path.insert(0, top)
        name = ".".join(parts)
        have = sys.modules.get(name)
        if have is not None and os.path.abspath(getattr(have, "__file__", "") or "") != os.path.abspath(path):
            name = "fettle_" + hashlib.sha256(path.encode()).hexdigest()[:8] + "_" + parts[-1]
            spec = importlib.util.spec_from_file_location(name, path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            return module
        return importlib.import_module(name)

    def flat(suite):
        for t in suite:
            if isinstance(t, unittest.TestSuite):
                yield from flat(t)
            else:
                yield t

    set_path(cfg["program"])
    loader, tests = unittest.TestLoader(), []
    for path in cfg["files"]:
        if path in ignore:
            continue
        send("collecting", unit=path)
        arm()
        try:
            module = load(path)
            found = list(flat(loader.loadTestsFromModule(module)))
            disarm()
        except unittest.SkipTest:
            disarm()
            continue
        except BaseException as e:
            disarm()
            send("collect_error", unit=path, exc=describe(e, trace_text(e)))
            continue
        for t in found:
            tid = t.id()
            cls = type(t).__qualname__
            nid = path + "::" + cls + "::" + getattr(t, "_testMethodName", tid)
            ids[tid] = nid
            if nid in skip or not wanted(nid, only, only_units):
                continue
            tests.append(t)
    names = [ids[t.id()] for t in tests]
    for n in range(0, len(names), 100):
        send("collected", ids=names[n:n + 100])
    look()
    gc.enable()
    error = None
    try:
        unittest.TestSuite(tests).run(Result())
    except BaseException as e:
        disarm()
        error = describe(e)
    send("end", code=0 if error is None else -1, ran=ran[0], error=error)


def main():
    raw = sys.stdin.buffer.readline()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    cfg = json.loads(raw.decode())
    fd = cfg.pop("fd")
    os.set_inheritable(fd, False)
    send = make_sender(fd, cfg.pop("key"))
    arm, disarm = make_alarm(cfg["limit"])
    runner = {"pytest": run_pytest, "unittest": run_unittest}[cfg["program"]]
    leave = os._exit
    try:
        runner(cfg, send, arm, disarm)
    except ImportError as e:
        send("end", code=-2, ran=0, error=describe(e))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    leave(0)  # all is told; taking the interpreter apart takes as long as a short test


main()
