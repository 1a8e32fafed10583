"""Runs the tests of some files with pytest and tells, as JSON, what ran in the
failing ones: the frames of their tracebacks, and each function of the project with
its Ochiai coefficient (Abreu et al. 2006): how much more it ran in failing tests
than in passing ones.

usage: trace.py ROOT OUT TESTFILE...
"""

import json
import math
import os
import sys

import pytest

root, out, files = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3:]


class Recorder:
    def __init__(self):
        self.ran, self.failed, self.frames, self.now = {}, set(), [], None

    def profile(self, frame, event, _):
        if event == "call":
            c = frame.f_code
            if c.co_filename.startswith(root):
                self.now.add((os.path.relpath(c.co_filename, root), c.co_firstlineno, c.co_name))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        self.now = self.ran.setdefault(item.nodeid, set())
        sys.setprofile(self.profile)
        got = yield
        sys.setprofile(None)
        if got.excinfo is None or issubclass(got.excinfo[0], pytest.skip.Exception):
            return
        self.failed.add(item.nodeid)
        trace = got.excinfo[2]
        while trace is not None:
            c = trace.tb_frame.f_code
            if c.co_filename.startswith(root):
                self.frames.append({"file": os.path.relpath(c.co_filename, root), "line": trace.tb_lineno, "function": c.co_name})
            trace = trace.tb_next


recorder = Recorder()
os.chdir(root)
pytest.main(["-p", "no:cacheprovider", "-p", "no:randomly", "-W", "ignore", "--no-header", *files], plugins=[recorder])
worth, failed = [], len(recorder.failed)
for function in {f for ran in recorder.ran.values() for f in ran}:
    bad = sum(function in recorder.ran[t] for t in recorder.failed)
    good = sum(function in ran for t, ran in recorder.ran.items() if t not in recorder.failed)
    if bad:
        worth.append({"file": function[0], "line": function[1], "function": function[2], "worth": bad / math.sqrt(failed * (bad + good))})
with open(out, "w") as f:
    json.dump({"tests": len(recorder.ran), "failed": failed, "frames": recorder.frames[-60:], "ran": worth}, f)
