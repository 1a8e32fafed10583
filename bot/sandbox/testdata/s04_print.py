"""Prints 1 GB between two words."""
import sys

out = sys.stdout.buffer
out.write(b"FIRST\n")
line = b"y" * (1 << 20)
for _ in range(1000):
    out.write(line)
out.write(b"\nLAST\n")
