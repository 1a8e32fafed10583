"""Plants links that lead out of the tree, and a folder that keeps changing into
one, for as long as it is let."""
import os, sys, time

outside = sys.argv[1]
os.symlink(outside, "link-file")
os.symlink(os.path.dirname(outside), "link-dir")
os.symlink("../../../../../../../../.." + outside, "link-up")
os.makedirs("swap", exist_ok=True)
for target in (outside, "/etc/passwd", "/usr/bin/env"):
    try:
        os.link(target, "hard-" + os.path.basename(target))
        print("LINKED", target, flush=True)
    except OSError as e:
        print("no link", e.errno, flush=True)
try:
    with open(outside, "w") as f:
        f.write("overwritten")
    print("WROTE", outside, flush=True)
except OSError as e:
    print("no write", e.errno, flush=True)
os.mkfifo("pipe")
print("planted", flush=True)
while True:
    os.rename("swap", "swap-away")
    os.symlink(os.path.dirname(outside), "swap")
    os.unlink("swap")
    os.rename("swap-away", "swap")
