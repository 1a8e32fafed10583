"""Writes 10 GB: in one file or in 10,000, into the folder named."""
import os, sys

how, where = sys.argv[1], sys.argv[2]
block = b"z" * (1 << 20)
wrote = 0
try:
    if how == "one":
        with open(os.path.join(where, "big"), "wb", buffering=0) as f:
            for _ in range(10_000):
                wrote += f.write(block)
    else:
        for i in range(10_000):
            with open(os.path.join(where, "f%d" % i), "wb", buffering=0) as f:
                wrote += f.write(block)
except OSError as e:
    print("stopped", wrote, e.errno, flush=True)
    sys.exit(7)
print("wrote all", wrote, flush=True)
