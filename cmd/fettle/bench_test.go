package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

// TestBench prints the table of `make bench`. It measures the built binary from
// outside, and is skipped unless .ci/bench.sh calls it.
func TestBench(t *testing.T) {
	dir := os.Getenv("FETTLE_BENCH")
	if dir == "" {
		t.Skip("make bench calls this")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 8*time.Minute) // half of it on a quiet machine
	defer cancel()
	b := &bencher{T: t, ctx: ctx, dir: dir, fettle: filepath.Join(dir, "fettle"), python: python(ctx)}
	load := b.load()
	defer func() { // also of what was measured before a failure
		fmt.Printf("\nload of the machine (1 minute): %s before, %s after; medians; '!' marks what misses its aim\n\n", load, b.load())
		b.print(os.Stdout)
	}()
	b.part("cold", b.coldStart)
	b.part("terminal", b.terminalDoor)
	b.part("sandbox", b.sandboxStart)
	b.part("door", b.door)
	b.part("python", func() { b.overhead("python", 45*time.Second) })
	b.part("javascript", func() { b.overhead("javascript", 25*time.Second) })
	b.part("go", func() { b.overhead("go", 30*time.Second) })
}

// python is the interpreter that has pytest: itself, as fettle calls it too, and
// not a version manager's script in front of it.
func python(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "python3", "-c", "import pytest, sys; print(sys.executable)").Output()
	if err != nil {
		return "/usr/bin/python3" // where Debian's package puts pytest
	}
	return strings.TrimSpace(string(out))
}

// part is a subtest, so that `sh .ci/bench.sh door` measures only that; one
// that fails does not keep the others from being measured.
func (b *bencher) part(name string, measure func()) {
	whole := b.T
	defer func() { b.T = whole }()
	whole.Run(name, func(t *testing.T) { //nolint:paralleltest // they would measure each other
		b.T = t
		measure()
	})
}

// bencher measures and keeps the rows of the table.
type bencher struct {
	*testing.T
	ctx         context.Context //nolint:containedctx // it lives as long as the one test
	dir, fettle string
	python      string // has pytest
	rows        [][]string
	notes       []string
}

// row adds a line: what, fettle's figure, the peer's, their relation, the aim.
func (b *bencher) row(what, ours, peer, relation, aim string, met bool) {
	mark := ""
	if !met {
		mark = "!"
	}
	b.rows = append(b.rows, []string{what, ours, peer, relation, aim, mark})
}

func (b *bencher) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

func (b *bencher) print(w io.Writer) {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "WHAT\tFETTLE\tBESIDE\tRELATION\tAIM\t")
	for _, r := range b.rows {
		fmt.Fprintln(tab, strings.Join(r, "\t"))
	}
	_ = tab.Flush()
	fmt.Fprintln(w)
	for _, n := range b.notes {
		fmt.Fprintln(w, n)
	}
}

// load is the first figure of the load average, as text.
func (b *bencher) load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(raw))[0]
}

// command is a command with nothing of the caller's settings or state, ended
// softly with the test.
func (b *bencher) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(b.ctx, name, args...)
	c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(b.dir, "config"), "XDG_STATE_HOME="+filepath.Join(b.dir, "state"))
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	return c
}

// timed runs a command to its end and gives the time and its standard output.
func (b *bencher) timed(c *exec.Cmd) (time.Duration, []byte) {
	b.Helper()
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	begun := time.Now()
	err := c.Run()
	took := time.Since(begun)
	if err != nil {
		b.Fatalf("%s: %v\n%s%s", strings.Join(c.Args, " "), err, out.String(), errs.String())
	}
	return took, []byte(out.String())
}

// coldStart is `fettle --version` beside /bin/true.
func (b *bencher) coldStart() {
	var ours, plain []time.Duration
	for range 20 {
		d, _ := b.timed(b.command(b.fettle, "--version"))
		ours = append(ours, d)
		d, _ = b.timed(b.command("/bin/true"))
		plain = append(plain, d)
	}
	o, p := median(ours), median(plain)
	b.row("cold start, fettle --version", ms(o), "/bin/true "+ms(p), "+"+ms(o-p), "< 150 ms", o < 150*time.Millisecond)
}

var metric = regexp.MustCompile(`(-?[0-9.]+) (ms-plain|ms-confined|ms-over-exec)\s`)

// sandboxStart is the benchmark of bot/sandbox, five times.
func (b *bencher) sandboxStart() {
	const times = 5
	_, out := b.timed(b.command(filepath.Join(b.dir, "sandbox.test"), "-test.run", "^$", "-test.bench", "^BenchmarkStart$", "-test.benchtime", "50x", "-test.count", strconv.Itoa(times)))
	got := map[string][]float64{}
	for _, m := range metric.FindAllStringSubmatch(string(out), -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			b.Fatal(err)
		}
		got[m[2]] = append(got[m[2]], v)
	}
	for _, name := range []string{"ms-plain", "ms-confined", "ms-over-exec"} {
		if n := len(got[name]); n != times {
			b.Fatalf("the benchmark of the sandbox reported %s %d times instead of %d:\n%s", name, n, times, out)
		}
	}
	over := median(got["ms-over-exec"])
	b.row("start of the sandbox", fmt.Sprintf("%.1f ms", median(got["ms-confined"])), fmt.Sprintf("plain exec %.1f ms", median(got["ms-plain"])), fmt.Sprintf("+%.1f ms", over), "< +5 ms", over < 5)
}

func median[T time.Duration | float64](v []T) T {
	s := slices.Clone(v)
	slices.Sort(s)
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

func percentile(v []time.Duration, p int) time.Duration {
	s := slices.Clone(v)
	slices.Sort(s)
	return s[min(len(s)*p/100, len(s)-1)]
}

func ms(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < 10*time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
