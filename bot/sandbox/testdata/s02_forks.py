"""Forks until it is stopped; says how far it came."""
import os, sys, time

made = 0
try:
    while made < 20000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as e:
    print("stopped", made, e.errno, flush=True)
    sys.exit(7)
print("not stopped", made, flush=True)
