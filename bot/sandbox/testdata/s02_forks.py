"""Forks until it is stopped, or as often as its argument says; says how far it
came."""
import os, sys, time

made, most = 0, int((sys.argv + ["20000"])[1])
try:
    while made < most:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as e:
    print("stopped", made, e.errno, flush=True)
    sys.exit(7)
print("not stopped", made, flush=True)
