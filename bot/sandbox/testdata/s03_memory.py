"""Takes 8 GiB, or as many MiB as its argument says, and touches every page."""
import sys

kept = []
for i in range(int((sys.argv + ["8192"])[1]) // 16):
    kept.append(b"x" * (16 << 20))
    print("has", (i + 1) * 16, "MiB", flush=True)
print("took all", flush=True)
