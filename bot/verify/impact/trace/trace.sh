# Records which blocks each Go test runs: sh -c <this> sh OUT LIMIT FLAGS
# PACKAGES... A package's tests are compiled once and run one by one. OUT gets,
# for each test, "== package name status nanoseconds" and the blocks of its
# profile that ran; "-- package" for one that could not be built, and "==" at
# the end, with "late" when LIMIT seconds were over before.
out=$1 limit=$2 flags=$3
shift 3
begun=$(date +%s) n=0
all=$(go list "$@" 2>/dev/null | tr '\n' ',' | sed 's/,$//')
go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' "$@" 2>/dev/null | grep . >"$out.packages"
: >"$out"
while read -r package dir; do
  n=$((n + 1))
  # shellcheck disable=SC2086 # flags are words
  if ! go test -c -covermode=set -coverpkg="$all" $flags -o "$out.$n" "$package" >/dev/null 2>&1 </dev/null; then
    echo "-- $package" >>"$out"
    continue
  fi
  cd "$dir" || continue
  "$out.$n" -test.list '^(Test|Example|Fuzz)' </dev/null 2>/dev/null | grep -E '^(Test|Example|Fuzz)' >"$out.tests"
  while read -r name; do
    if [ $(($(date +%s) - begun)) -ge "$limit" ]; then
      echo "== late" >>"$out"
      exit 0
    fi
    : >"$out.profile"
    start=$(date +%s%N)
    "$out.$n" -test.run "^$name\$" -test.timeout 60s -test.coverprofile "$out.profile" </dev/null >/dev/null 2>&1
    status=$?
    echo "== $package $name $status $(($(date +%s%N) - start))" >>"$out"
    grep -v -e ' 0$' -e '^mode:' "$out.profile" | sort -u >>"$out"
  done <"$out.tests"
  rm -f "$out.$n"
  cd "$OLDPWD" || exit 0
done <"$out.packages"
echo "== end" >>"$out"
