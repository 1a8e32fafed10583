#!/bin/sh
# Plants everything that makes git run a program.
mkdir -p .git/hooks sub/.git/hooks
for h in post-checkout pre-commit post-index-change fsmonitor; do
  printf '#!/bin/sh\ntouch "%s"\n' "$1" >.git/hooks/$h
  chmod +x .git/hooks/$h
  cp .git/hooks/$h sub/.git/hooks/$h
done
printf '[core]\n\tfsmonitor = touch "%s"\n\thooksPath = hooks\n[filter "x"]\n\tclean = touch "%s"\n' "$1" "$1" >.git/config
printf '* filter=x diff=x\n' >.gitattributes
printf 'gitdir: /work/.git\n' >sub/file.git
echo planted
