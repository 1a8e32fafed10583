# Runs tests of candidates. It reads one request a line from standard input,
# forks a child for it after the test runner is imported, and writes one answer
# a line. What the child says is a guide for the search, never evidence.
import json
import os
import select
import signal
import sys
import time

answers = os.fdopen(os.dup(1), "w")
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 1)
os.dup2(null, 2)
ROOT = "/work/"


class Late(BaseException):
    pass


def late(signum, frame):
    raise Late("time is up")


def tracer(lines):
    def local(frame, event, arg):
        if event == "line":
            lines.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
        return local

    def outer(frame, event, arg):
        name = frame.f_code.co_filename
        if name.startswith(ROOT):
            lines.setdefault(name, set()).add(frame.f_lineno)
            return local
        return None

    return outer


def guarded(limit, lines, run):
    """Runs one test under a time limit, traced when lines is a dict."""
    import threading

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, limit, 0.2)
    if lines is not None:
        threading.settrace(tracer(lines))
        sys.settrace(tracer(lines))
    try:
        return run()
    finally:
        sys.settrace(None)
        threading.settrace(None)
        signal.setitimer(signal.ITIMER_REAL, 0)


class Result:
    def __init__(self, say):
        self.say = say

    def test(self, name, passed, lines):
        shown = None
        if lines is not None:
            shown = {k[len(ROOT):]: sorted(v) for k, v in lines.items()}
        self.say({"id": name, "passed": passed, "lines": shown})


def run_pytest(ids, limit, traced, result):
    import pytest

    class Plugin:
        def __init__(self):
            self.failed = set()
            self.called = set()

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_protocol(self, item, nextitem):
            lines = {} if traced else None
            signal.signal(signal.SIGALRM, late)
            signal.setitimer(signal.ITIMER_REAL, limit, 0.2)
            if traced:
                sys.settrace(tracer(lines))
            yield
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_REAL, 0)
            name = item.nodeid
            result.test(name, name in self.called and name not in self.failed, lines)

        def pytest_runtest_logreport(self, report):
            if report.failed:
                self.failed.add(report.nodeid)
            elif report.when == "call" and report.passed:
                self.called.add(report.nodeid)

    pytest.main(["-q", "-p", "no:cacheprovider", "--tb=no", "--no-header", *ids], plugins=[Plugin()])


def run_unittest(ids, limit, traced, result):
    import importlib
    import unittest

    sys.path.insert(0, os.getcwd())
    for name in ids:
        file, _, rest = name.partition("::")
        case, _, method = rest.partition("::")
        lines = {} if traced else None
        passed = False
        try:
            module = importlib.import_module(file[:-3].replace("/", "."))
            test = getattr(module, case)(method)
            outcome = unittest.TestResult()
            guarded(limit, lines, lambda: test.run(outcome))
            passed = outcome.testsRun == 1 and outcome.wasSuccessful() and not outcome.skipped
        except Late:
            pass
        except Exception:
            pass
        result.test(name, passed, lines)


def child(req, pipe):
    os.setpgid(0, 0)
    out = os.fdopen(pipe, "w")

    def say(record):
        out.write(json.dumps(record) + "\n")
        out.flush()

    os.chdir(ROOT + req["dir"])
    sys.argv = [req["program"]]
    run = run_pytest if req["program"] == "pytest" else run_unittest
    run(req["tests"], req["limit"], req["trace"], Result(say))
    say({"end": True})


def serve(req):
    changed = {}
    try:
        for name, content in req["files"].items():
            path = ROOT + name
            with open(path, "rb") as f:
                changed[path] = f.read()
            with open(path, "wb") as f:
                f.write(content.encode("latin-1"))
            # The compiled form is chosen by the source's time in seconds and
            # size; nothing is ever compiled to disk here, so neither matters.
        return attempt(req)
    finally:
        for path, content in changed.items():
            with open(path, "wb") as f:
                f.write(content)


def attempt(req):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            os.close(r)
            child(req, w)
        except BaseException:
            code = 1
        os._exit(code)
    os.close(w)
    tests, ended, data = [], False, b""
    deadline = time.monotonic() + req["wall"]
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([r], [], [], left)[0]:
            break
        chunk = os.read(r, 1 << 16)
        if not chunk:
            break
        data += chunk
    os.close(r)
    for group in (os.killpg, os.kill):
        try:
            group(pid, signal.SIGKILL)
        except OSError:
            pass
    os.waitpid(pid, 0)
    for line in data.split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("end"):
            ended = True
        elif "id" in record:
            tests.append(record)
    return {"tests": tests, "ended": ended}


def main():
    preload = json.loads(sys.stdin.readline())
    # Imported once, before the fork; with these gone from each child's work a
    # candidate costs a tenth of a fresh interpreter.
    for name in preload["modules"]:
        try:
            __import__(name)
        except Exception:
            pass
    answers.write('{"ready": true}\n')
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(serve(json.loads(line))) + "\n")
        answers.flush()


main()
