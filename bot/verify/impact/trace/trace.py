# Records which lines of the project's files each test runs, and how long it
# takes. Started as: python -c <this> OUT LIMIT PROGRAM ARGS..., with PROGRAM
# pytest or unittest. OUT gets one line of JSON for each test (see trace.go),
# and one for what runs while modules are loaded.
#
# Python 3.12 and newer tell lines by sys.monitoring, where a place that was
# seen costs nothing more until the next test; older ones by sys.settrace.
import json
import os
import sys
import threading
import time

if "" not in sys.path:
    sys.path.insert(0, "")  # as "python -m" has it
ROOT = os.getcwd() + os.sep
SKIP = ("site-packages", "dist-packages", ".venv", "venv", ".tox", ".nox", "node_modules", ".eggs")


def wanted(path, cache={}):
    """The path from the root of a file of the project, or None."""
    try:
        return cache[path]
    except KeyError:
        pass
    full = os.path.abspath(path)
    rel = full[len(ROOT):] if full.startswith(ROOT) and not path.startswith("<") else None
    if rel is not None and any(part in SKIP for part in rel.split(os.sep)):
        rel = None
    cache[path] = rel
    return rel


class Lines:
    """The lines that ran since they were last taken: path -> set of numbers."""

    def __init__(self):
        self.seen = {}

    def take(self):
        out = {path: spans(lines) for path, lines in list(self.seen.items())}
        self.clear()
        return {path: text for path, text in out.items() if text}

    def clear(self):
        for lines in list(self.seen.values()):
            lines.clear()

    def of(self, path):
        return self.seen.setdefault(path, set())


class Settrace(Lines):
    def __init__(self):
        super().__init__()
        self.local = {}

    def start(self):
        threading.settrace(self.call)
        sys.settrace(self.call)

    def call(self, frame, event, arg):
        code = frame.f_code
        try:
            tracer = self.local[code]
        except KeyError:
            tracer = self.local[code] = self.tracer(code)
        if tracer is not None and frame.f_lineno != code.co_firstlineno:
            tracer(frame, "line", None)  # a generator that goes on
        return tracer

    def tracer(self, code):
        path = wanted(code.co_filename)
        if path is None:
            return None
        add = self.of(path).add

        def line(frame, event, arg):
            if event == "line":
                add(frame.f_lineno)
            return line

        return line


class Monitoring(Lines):
    def start(self):
        self.m = sys.monitoring
        self.id = next(i for i in (4, 3, 5, 2, 1) if self.m.get_tool(i) is None)
        self.m.use_tool_id(self.id, "fettle")
        self.m.register_callback(self.id, self.m.events.LINE, self.line)
        self.m.set_events(self.id, self.m.events.LINE)

    def line(self, code, number):
        path = wanted(code.co_filename)
        if path is not None:
            self.of(path).add(number)
        return self.m.DISABLE

    def clear(self):
        super().clear()
        self.m.restart_events()


def spans(lines):
    out, first, last = [], None, None
    for n in sorted(lines):
        if n < 1:
            continue  # a module's own beginning
        if last is not None and n == last + 1:
            last = n
            continue
        if first is not None:
            out.append("%d-%d" % (first, last) if last > first else str(first))
        first = last = n
    if first is not None:
        out.append("%d-%d" % (first, last) if last > first else str(first))
    return ",".join(out)


class Recorder:
    def __init__(self, path, limit):
        self.out = open(path, "w", encoding="ascii")
        self.lines = Monitoring() if hasattr(sys, "monitoring") else Settrace()
        self.loaded = {}
        self.shared = 0
        self.end = time.monotonic() + limit
        self.begun = 0.0

    def emit(self, **record):
        self.out.write(json.dumps(record) + "\n")

    def between(self):
        """What ran outside of tests: modules that were loaded."""
        for path, text in self.lines.take().items():
            self.loaded.setdefault(path, set()).add(text)

    def begin(self):
        if isinstance(self.lines, Settrace) and sys.gettrace() != self.lines.call:
            sys.settrace(self.lines.call)
        self.between()
        self.begun = time.perf_counter()

    def test(self, name, file, red, uses=()):
        self.emit(k="test", id=name, file=file, seconds=round(time.perf_counter() - self.begun, 6), red=bool(red),
                  uses=sorted(uses), ran=self.lines.take())

    def late(self):
        return time.monotonic() > self.end

    def close(self):
        self.between()
        for path, texts in self.loaded.items():
            for text in texts:
                self.emit(k="loaded", ran={path: text})
        self.emit(k="end", late=self.late())
        self.out.close()


def with_pytest(rec, args):
    import pytest

    class Plugin:
        def __init__(self):
            self.fixtures = {}  # definition of a fixture that tests share -> number
            self.red = False

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_protocol(self, item, nextitem):
            self.red = False
            rec.begin()
            yield
            info = getattr(item, "_fixtureinfo", None)
            uses = [self.fixtures[id(d)] for ds in (info.name2fixturedefs.values() if info else ()) for d in ds if id(d) in self.fixtures]
            rec.test(item.nodeid, os.path.relpath(str(getattr(item, "path", None) or item.fspath)), self.red, uses)
            if rec.late():
                item.session.shouldstop = "the time for recording is over"

        @pytest.hookimpl(hookwrapper=True)
        def pytest_fixture_setup(self, fixturedef, request):
            if fixturedef.scope == "function":
                yield
                return
            before = {path: set(lines) for path, lines in rec.lines.seen.items()}
            rec.lines.clear()
            yield
            rec.shared += 1
            self.fixtures[id(fixturedef)] = rec.shared
            rec.emit(k="shared", n=rec.shared, ran=rec.lines.take())
            for path, lines in before.items():
                rec.lines.of(path).update(lines)

        def pytest_runtest_logreport(self, report):
            self.red = self.red or report.failed

    return pytest.main(args, plugins=[Plugin()])


def with_unittest(rec, args):
    import unittest

    start, stop = unittest.TestResult.startTest, unittest.TestResult.stopTest

    def start_test(self, test):
        start(self, test)
        self.fettle_red = len(self.failures) + len(self.errors)
        rec.begin()

    def stop_test(self, test):
        module = sys.modules.get(type(test).__module__)
        file = os.path.relpath(module.__file__) if getattr(module, "__file__", None) else ""
        rec.test(test.id(), file, len(self.failures) + len(self.errors) > self.fettle_red)
        if rec.late():
            self.stop()
        stop(self, test)

    unittest.TestResult.startTest, unittest.TestResult.stopTest = start_test, stop_test
    return unittest.main(module=None, argv=["python -m unittest"] + args, exit=False)


def main():
    out, limit, program = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    args = sys.argv[4:]
    rec = Recorder(out, limit)
    rec.lines.start()
    try:
        {"pytest": with_pytest, "unittest": with_unittest}[program](rec, args)
    finally:
        rec.close()


main()
