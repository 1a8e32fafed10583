"""Ignores TERM, leaves its session, multiplies, and never ends."""
import os, signal, sys, time

for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(s, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
print("hanging", flush=True)
while True:
    time.sleep(0.01)
