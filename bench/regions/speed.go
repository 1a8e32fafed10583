package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/fettle-dev/fettle/bot/code"
)

//go:embed native/native.c
var nativeSource string

// speedFiles is how many files of each group are parsed.
const speedFiles = 400

// grammars are the packages that native tree-sitter is built from, the same
// versions as in bot/code/grammar/module/build.sh.
var grammars = []string{
	"tree-sitter@0.25.1", "tree-sitter-python@0.25.0", "tree-sitter-javascript@0.25.0",
	"tree-sitter-typescript@0.23.2", "tree-sitter-go@0.25.0",
}

// measure is what a worker reports of itself.
type measure struct {
	Bytes float64 `json:"bytes"`
	CPU   float64 `json:"cpu"` // seconds, of all threads
}

// speed measures, in one run, native tree-sitter, fettle and universal-ctags.
// All figures are MB per second of CPU, so that a busy machine does not tell.
func (b *bench) speed(ctx context.Context) error {
	files, err := b.corpus(ctx)
	if err != nil {
		return err
	}
	native, err := b.buildNative(ctx)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	fmt.Printf("Speed: MB per second of CPU, peak memory; two cores, %d files of each group; %s\n", speedFiles, runtime.Version())
	for _, g := range []string{"python", "go", "script"} {
		list := files[g][:min(speedFiles, len(files[g]))]
		if len(list) == 0 {
			b.miss("speed of group %s: there are no files", g)
			continue
		}
		var in bytes.Buffer
		for _, f := range list {
			fmt.Fprintf(&in, "%s %s\n", code.LanguageOf(f), f)
		}
		walk := 0.0
		for _, row := range []struct {
			name string
			argv []string
		}{
			{"native tree-sitter, parse and read", []string{native, "walk"}},
			{"native tree-sitter, parse only", []string{native, "parse"}},
			{"fettle, trees, nothing cached", []string{self, "worker", "trees", "1"}},
			{"fettle, regions, nothing cached", []string{self, "worker", "regions", "1"}},
			{"fettle, regions, each file seen three times", []string{self, "worker", "regions", "3"}},
			{"universal-ctags (no tree)", []string{"ctags", "-f", os.DevNull, "--excmd=number", "-L", "-"}},
		} {
			m, rss, err := timed(ctx, self, row.argv, in.Bytes(), list)
			if err != nil {
				b.miss("speed of group %s, %s: %v", g, row.name, err)
				continue
			}
			rate := m.Bytes / 1e6 / max(m.CPU, 1e-6)
			if strings.HasSuffix(row.name, "parse and read") {
				walk = rate
			} else if strings.HasPrefix(row.name, "fettle") && walk > 0 {
				b.figure(g+": "+row.name+", of native per core", "at least 80 %", rate >= 0.8*walk, "%.0f %% (%.2f MB/s, %d MB)", 100*rate/walk, rate, rss>>10)
			}
			fmt.Printf("  %-8s %-44s %7.2f MB/s  %4d MB  %5.0f%% of native, parse and read\n", g, row.name, rate, rss>>10, 100*rate/max(walk, 1e-6))
		}
	}
	return nil
}

// launched is what the launcher says of a program that has ended.
type launched struct {
	Out []byte  `json:"out"`
	CPU float64 `json:"cpu"` // seconds, of all threads
	RSS int64   `json:"rss"` // peak, KiB
}

// launch runs a program and tells what it took. It is a process of its own,
// and small: a child's peak begins with that of the process that started it.
func launch(ctx context.Context, argv []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("run %s: %w", argv[0], err)
	}
	l := launched{Out: out, CPU: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		l.RSS = usage.Maxrss
	}
	return json.NewEncoder(os.Stdout).Encode(l)
}

// timed runs one row and returns its peak memory in KiB.
func timed(ctx context.Context, self string, argv []string, in []byte, list []string) (measure, int64, error) {
	cmd := exec.CommandContext(ctx, self, append([]string{"launch"}, argv...)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	if argv[0] == "ctags" {
		cmd.Stdin = strings.NewReader(strings.Join(list, "\n") + "\n")
	}
	out, err := cmd.Output()
	if err != nil {
		return measure{}, 0, fmt.Errorf("run %s: %w", argv[0], err)
	}
	var l launched
	if err := json.Unmarshal(out, &l); err != nil {
		return measure{}, 0, fmt.Errorf("read what the launcher says: %w", err)
	}
	var m measure
	if argv[0] == "ctags" {
		m.CPU = l.CPU
		for _, f := range list {
			if info, err := os.Stat(f); err == nil {
				m.Bytes += float64(info.Size())
			}
		}
	} else if err := json.Unmarshal(l.Out, &m); err != nil {
		return m, 0, fmt.Errorf("read what %s says: %w", argv[0], err)
	}
	return m, l.RSS, nil
}

// buildNative compiles the pinned packages' C sources, unchanged.
func (b *bench) buildNative(ctx context.Context) (string, error) {
	dir := filepath.Join(b.dir, "native")
	program := filepath.Join(dir, "native")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the native build: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "native.c"), []byte(nativeSource), 0o644); err != nil {
		return "", fmt.Errorf("write native.c: %w", err)
	}
	script := `set -e
for p in "$@"; do
  f=$(npm pack --silent "$p"); n=${p%@*}; mkdir -p "$n"; tar -xzf "$f" -C "$n" --strip-components=1 --no-same-owner
done
ts=tree-sitter/vendor/tree-sitter/lib
for d in tree-sitter-python/src tree-sitter-javascript/src tree-sitter-go/src tree-sitter-typescript/typescript/src tree-sitter-typescript/tsx/src; do
  o=$(echo "$d" | tr / -)
  cc -O3 -DNDEBUG -w -I "$d" -c "$d/parser.c" -o "$o-parser.o"
  if [ -f "$d/scanner.c" ]; then cc -O3 -DNDEBUG -w -I "$d" -c "$d/scanner.c" -o "$o-scanner.o"; fi
done
cc -O3 -DNDEBUG -w -D_GNU_SOURCE -I $ts/include -I $ts/src native.c $ts/src/lib.c *.o -o native`
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", script, "sh"}, grammars...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build native tree-sitter: %w", err)
	}
	return program, nil
}

// worker is the row of fettle itself, in a process of its own: what is
// "trees" or "regions", passes how often it goes over all files.
func worker(ctx context.Context, what, passes string, in []byte) error {
	type file struct {
		path string
		lang code.Language
		src  []byte
	}
	var files []file
	for line := range strings.Lines(string(in)) {
		lang, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if src, err := os.ReadFile(path); err == nil {
			files = append(files, file{path, code.Language(lang), src})
		}
	}
	// The start of the parser is not part of the figure; it is told elsewhere.
	if _, err := code.Parse(ctx, code.Go, []byte("package p\n")); err != nil {
		return err
	}
	var m measure
	begin := cpuTime()
	for at := 0; at < len(files); at += 25 { // what a run looks at together
		some := files[at:min(at+25, len(files))]
		for range map[string]int{"1": 1, "3": 3}[passes] {
			var group sync.WaitGroup
			for half := range 2 {
				group.Go(func() {
					for i := half; i < len(some); i += 2 {
						if what == "trees" {
							_, _ = code.Parse(ctx, some[i].lang, some[i].src)
						} else {
							_, _ = code.Regions(ctx, some[i].path, some[i].src)
						}
					}
				})
			}
			group.Wait()
			for _, f := range some {
				m.Bytes += float64(len(f.src))
			}
		}
	}
	m.CPU = cpuTime() - begin
	return json.NewEncoder(os.Stdout).Encode(m)
}

// cpuTime is the seconds that this process has computed.
func cpuTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
