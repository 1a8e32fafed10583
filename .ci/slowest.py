#!/usr/bin/env python3
"""Reads what make prints, with the lines of `go test -json` in it, and prints it
as `go test` would, the output of a passed test left out; then the ten slowest
tests. It only reports: whether the tests passed is make's exit status."""
import collections
import json
import sys

said, times = collections.defaultdict(list), {}
for line in sys.stdin:
    try:
        event = json.loads(line)
        action, package = event["Action"], event.get("Package", event.get("ImportPath", ""))
    except (ValueError, KeyError, TypeError):
        print(line, end="", flush=True)  # of make, go vet or a build
        continue
    test = event.get("Test", "")
    if action in ("output", "build-output"):
        if not test:
            print(event["Output"], end="", flush=True)
        else:
            said[package, test].append(event["Output"])
    elif action in ("pass", "fail", "skip") and test:
        text = said.pop((package, test), [])
        times[package, test] = event.get("Elapsed", 0)
        if action == "fail":
            print("".join(text), end="", flush=True)

for (package, test), text in said.items():  # it never ended: a panic, or out of time
    print(f"--- did not end: {package} {test}\n{''.join(text)}", end="")
parents = {(package, test.rpartition("/")[0]) for package, test in times}
slowest = sorted(((t, *name) for name, t in times.items() if name not in parents), reverse=True)[:10]
if slowest:
    print("the ten slowest tests:")
for seconds, package, test in slowest:
    print(f"{seconds:8.1f} s  {package.removeprefix('github.com/fettle-dev/fettle/')}  {test}")
