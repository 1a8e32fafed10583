"""Writes 10 GB, or as many MiB as the third argument says: in one file or in as
many, into the folder named."""
import os, signal, sys

how, where = sys.argv[1], sys.argv[2]
blocks = int((sys.argv + ["10000"])[3])
block = b"z" * (1 << 20)
wrote = 0
try:
    if how == "one":
        with open(os.path.join(where, "big"), "wb", buffering=0) as f:
            for _ in range(blocks):
                wrote += f.write(block)
    else:
        for i in range(blocks):
            with open(os.path.join(where, "f%d" % i), "wb", buffering=0) as f:
                wrote += f.write(block)
except OSError as e:
    print("stopped", wrote, e.errno, flush=True)
    if where == "/tmp":  # gone with this process: who stays is seen and ended
        signal.pause()
    sys.exit(7)
print("wrote all", wrote, flush=True)
