#!/bin/sh
# Builds the modules languages, php and cpp: tree-sitter's runtime, some grammars
# and runtime.c as one WebAssembly reactor each, from pinned npm packages whose
# integrity is checked. The same sources and compiler give the same bytes each time.
#
#   bot/code/grammar/module/build.sh            build and replace the committed modules
#   bot/code/grammar/module/build.sh --check    build and compare with the committed ones
#
# Needs (Debian 12): clang lld wasi-libc libclang-rt-14-dev-wasm32 zstd npm openssl
set -eu
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=0
here=$(cd "$(dirname "$0")" && pwd)
out=$(dirname "$here")
for tool in clang wasm-ld zstd npm openssl sha256sum; do
  command -v "$tool" >/dev/null || {
    echo "build.sh: $tool is missing; on Debian: apt-get install clang lld wasi-libc libclang-rt-14-dev-wasm32 zstd npm openssl" >&2
    exit 2
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# name version sha512 (the registry's dist.integrity)
fetch() {
  npm pack --silent "$1@$2" >/dev/null
  got=$(openssl dgst -sha512 -binary "$1-$2.tgz" | openssl base64 -A)
  if [ "$got" != "$3" ]; then
    echo "build.sh: $1@$2 has integrity sha512-$got, not the pinned sha512-$3; nothing was built" >&2
    exit 1
  fi
  mkdir "$1"
  tar -xzf "$1-$2.tgz" -C "$1" --strip-components=1 --no-same-owner
}
fetch tree-sitter 0.25.1 mrcEdkYtHfrK1A6fs3O6FxkBo0Qig5XUXqHhxUOQu0bmPo00QF4XaSx4edpazdHwxnSCjlGKGgIqWdaN4dvTLA==
fetch tree-sitter-python 0.25.0 eCmJx6zQa35GxaCtQD+wXHOhYqBxEL+bp71W/s3fcDMu06MrtzkVXR437dRrCrbrDbyLuUDJpAgycs7ncngLXw==
fetch tree-sitter-javascript 0.25.0 1fCbmzAskZkxcZzN41sFZ2br2iqTYP3tKls1b/HKGNPQUVOpsUxpmGxdN/wMqAk3jYZnYBR1dd/y/0avMeU7dw==
fetch tree-sitter-typescript 0.23.2 e04JUUKxTT53/x3Uq1zIL45DoYKVfHH4CZqwgZhPg5qYROl5nQjV+85ruFzFGZxu+QeFVbRTPDRnqL9UbU4VeA==
fetch tree-sitter-go 0.25.0 APBc/Dq3xz/e35Xpkhb1blu5UgW+2E3RyGWawZSCNcbGwa7jhSQPS8KsUupuzBla8PCo8+lz9W/JDJjmfRa2tw==
fetch tree-sitter-java 0.23.5 Yju7oQ0Xx7GcUT01mUglPP+bYfvqjNCGdxqigTnew9nLGoII42PNVP3bHrYeMxswiCRM0yubWmN5qk+zsg0zMA==
fetch tree-sitter-rust 0.24.0 NWemUDf629Tfc90Y0Z55zuwPCAHkLxWnMf2RznYu4iBkkrQl2o/CHGB7Cr52TyN5F1DAx8FmUnDtCy9iUkXZEQ==
fetch tree-sitter-ruby 0.23.1 d9/RXgWjR6HanN7wTYhS5bpBQLz1VkH048Vm3CodPGyJVnamXMGb8oEhDypVCBq4QnHui9sTXuJBBP3WtCw5RA==
fetch tree-sitter-php 0.24.2 zwgAePc/HozNaWOOfwRAA+3p8yhuehRw8Fb7vn5qd2XjiIc93uJPryDTMYTSjBRjVIUg/KY6pM3rRzs8dSwKfw==
fetch tree-sitter-c 0.24.1 lkYwWN3SRecpvaeqmFKkuPNR3ZbtnvHU+4XAEEkJdrp3JfSp2pBrhXOtvfsENUneye76g889Y0ddF2DM0gEDpA==
fetch tree-sitter-cpp 0.23.4 qR5qUDyhZ5jJ6V8/umiBxokRbe89bCGmcq/dk94wI4kN86qfdV8k0GHIUEKaqWgcu42wKal5E97LKpLeVW8sKw==

ts=tree-sitter/vendor/tree-sitter/lib
cp "$here"/*.[ch] .
compile() { # source object flags...
  source=$1 object=$2
  shift 2
  clang --target=wasm32-wasi -std=c11 -O3 -flto -DNDEBUG -D_WASI_EMULATED_PROCESS_CLOCKS \
    -fvisibility=hidden -ffile-prefix-map="$work"=. -Wno-everything \
    -I "$ts/include" -I "$ts/src" "$@" -c "$source" -o "$module/$object.o"
}
grammar() { # folder-with-parser.c name
  compile generated.c "$2" -I "$1" -DPARSER_H="\"$1/tree_sitter/parser.h\"" -DPARSER_C="\"$1/parser.c\""
  if [ -f "$1/scanner.c" ]; then metered "$1/scanner.c" "$2-scanner" -I "$1"; fi
}
metered() { # like compile, with a call of meter.c in each turn of each loop
  compile "$@" -Xclang -fsanitize-coverage-type=3 -Xclang -fsanitize-coverage-trace-pc -mllvm -sanitizer-coverage-prune-blocks=false
}
build() { # module language... in the order of engine.go
  module=$1
  shift
  mkdir "$module"
  for g in "$@"; do echo "GRAMMAR($g)"; done >"$module/grammars.h"
  compile runtime.c a-runtime -I "$module"
  metered spin.c spin
  for g in "$@"; do
    case $g in
      typescript | tsx) grammar "tree-sitter-typescript/$g/src" "$g" ;;
      php) grammar tree-sitter-php/php/src php ;;
      *) grammar "tree-sitter-$g/src" "$g" ;;
    esac
  done
  clang --target=wasm32-wasi -O3 -flto -mexec-model=reactor -nostartfiles \
    -Wl,--no-entry,--strip-all,--gc-sections,--stack-first,-z,stack-size=1048576 \
    "$module"/*.o -lwasi-emulated-process-clocks \
    "$(dirname "$(clang --target=wasm32-wasi -print-file-name=crt1-reactor.o)")/crt1-reactor.o" \
    -o "$module.wasm"
  zstd -19 --quiet --no-progress "$module.wasm" -o "$module.wasm.zst"
  sha256sum "$module.wasm" "$module.wasm.zst" >>languages.sha256
}
build languages python javascript typescript tsx go java rust ruby
build php php
build cpp c cpp
cat languages.sha256
if [ "${1:-}" = "--check" ]; then
  cmp languages.sha256 "$out/languages.sha256" || {
    echo "build.sh: this build differs from the committed modules (compiler: $(clang --version | head -n 1))" >&2
    exit 1
  }
  exit 0
fi
install -m 0644 ./*.wasm.zst languages.sha256 "$out/"
