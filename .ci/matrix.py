#!/usr/bin/env python3
"""Reads `go test -json` and writes a table to the file of the second argument and to the
output: each number below "Faults" in docs/requirements.md that begins with the first
argument, what it is, its tests and how they ended; below it, what benchmarks measured. A
test belongs to the numbers in its name and in those of the tests it is part of. It exits
with 1 where a test failed, a package did not end, or a number has no test that passed."""
import collections
import json
import re
import sys

letter, path = sys.argv[1:]
promise = {}
for line in open("docs/requirements.md").read().partition("## Faults")[2].splitlines():
    if m := re.match(rf"\| ({letter}\d\d)(?:–{letter}(\d\d))? \| (.*) \|$", line):
        first, last, text = m.groups()
        for n in range(int(first[1:]), int(last or first[1:]) + 1):
            promise[f"{letter}{n:02}"] = text

ends, said, figures, broken = {}, collections.defaultdict(list), [], []
for line in sys.stdin:
    try:
        event = json.loads(line)
        action, package = event["Action"], event.get("Package", "")
    except (ValueError, KeyError, TypeError):
        print(line, end="", flush=True)  # of make, or of a build
        continue
    test = event.get("Test", "")
    if action in ("output", "build-output"):
        text = event["Output"]
        said[package, test].append(text)
        if re.match(r"Benchmark\S+\s+\d+\s", text) or re.match(r"\s+\d[\d.]* ", text) and test.startswith("Benchmark"):
            figures.append(text.strip())
    elif action in ("pass", "fail", "skip"):
        if test:
            ends[package, test] = action, event.get("Elapsed", 0)
            if test.count("/") == 0:
                print(f"{action:5} {event.get('Elapsed', 0):8.1f} s  {test}", flush=True)
        if action == "fail":
            broken.append((package, test))
            print("".join(said[package, test]), end="", flush=True)

parents = {(package, test.rpartition("/")[0]) for package, test in ends}
rows = collections.defaultdict(list)
for name, (action, seconds) in ends.items():
    if name not in parents:
        for number in set(re.findall(rf"{letter}\d\d(?!\d)", name[1])):
            rows[number].append((action, seconds))
lines = ["| | what happens | tests | passed | failed | skipped | seconds |", "| --- | --- | --: | --: | --: | --: | --: |"]
for number, text in sorted(promise.items()):
    got = rows[number]
    count = collections.Counter(action for action, _ in got)
    lines.append(f"| {number} | {text} | {len(got)} | {count['pass']} | {count['fail']} | {count['skip']} | {sum(s for _, s in got):.0f} |")
    if not count["pass"]:
        broken.append(("", f"{number} has no test that passed"))
if figures:
    lines += ["", "```", *figures, "```"]
with open(path, "w") as out:
    out.write("\n".join(lines) + "\n")
print("\n" + "\n".join(lines))
for package, test in broken:
    print(f"failed: {package} {test}", file=sys.stderr)
sys.exit(bool(broken))
