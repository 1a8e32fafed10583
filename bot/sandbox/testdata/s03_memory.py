"""Takes 8 GiB and touches every page."""
import sys

kept = []
for i in range(8 * 64):
    kept.append(b"x" * (16 << 20))
    print("has", (i + 1) * 16, "MiB", flush=True)
print("took all", flush=True)
