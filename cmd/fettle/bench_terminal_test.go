package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// terminalDoor measures what somebody at a prompt waits for.
func (b *bencher) terminalDoor() {
	b.Setenv("PATH", b.dir+":"+os.Getenv("PATH"))
	b.Setenv("XDG_CONFIG_HOME", filepath.Join(b.dir, "config"))
	b.Setenv("XDG_STATE_HOME", filepath.Join(b.dir, "state"))
	var help, empty []time.Duration
	for range 15 {
		c := b.command(b.fettle, "--help")
		b.timed(c)
		help = append(help, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
		c = b.command("/bin/true")
		b.timed(c)
		empty = append(empty, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	h, e := median(help), median(empty)
	b.row("fettle --help, processor", ms(h), "/bin/true "+ms(e), "+"+ms(h-e), "< 50 ms", h < 50*time.Millisecond)

	dir := redMedians(b.T)
	var first, word []time.Duration
	for range 9 {
		first = append(first, b.firstLine(dir, b.fettle, "fix", "--dry-run", "--max-seconds", "1"))
		word = append(word, b.firstLine(dir, "/bin/echo", "fix"))
	}
	f, w := median(first), median(word)
	b.row("fettle fix, first line", ms(f), "/bin/echo "+ms(w), "+"+ms(f-w), "< 150 ms", f < 150*time.Millisecond)

	dir = b.manyTests()
	changed := filepath.Join(dir, "m007.py")
	var check, alone []time.Duration
	for i := range 6 {
		save(b.T, changed, fmt.Sprintf("def f(x):\n    return x + %d - %d\n", i+1, i))
		c := b.command(b.fettle, "check", "--fast", dir)
		took, _ := b.timed(c)
		c = b.command(b.python, "-m", "unittest", "-q", "test_m007")
		c.Dir = dir
		own, _ := b.timed(c)
		if i > 0 { // the first one looks at everything
			check, alone = append(check, took), append(alone, own)
		}
	}
	c, a := median(check), median(alone)
	b.row("check --fast, one file of 200, 2,000 tests", ms(c), "its ten tests "+ms(a), "+"+ms(c-a), "< +2 s", c-a < 2*time.Second)

	editor := newEditor(b.T, "--config", operator(b.T, ""))
	editor.open(dir)
	var shown []time.Duration
	test := filepath.Join(dir, "test_m007.py")
	for i := range 7 {
		save(b.T, changed, fmt.Sprintf("def f(x):\n    return x + %d\n", i%2))
		begun := time.Now()
		editor.tell("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": fileURI(changed)}})
		for found, _ := editor.diagnostics(test); (len(found) > 0) != (i%2 == 0); {
			found, _ = editor.diagnostics(test)
		}
		if i > 0 {
			shown = append(shown, time.Since(begun))
		}
	}
	s := median(shown)
	b.row("fettle lsp, from a save to its diagnostics", ms(s), "its ten tests "+ms(a), "+"+ms(s-a), "< +300 ms", s-a < 300*time.Millisecond)

	x := newTerminal(b.T, dir, 80, 24)
	x.types("exec "+b.fettle+" chat", "Enter")
	x.shows("/help")
	pid := strings.TrimSpace(x.run("display-message", "-p", "#{pane_pid}"))
	before := b.ticks(pid)
	const waited = 20 * time.Second
	time.Sleep(waited)
	share := float64(b.ticks(pid)-before) / 100 / waited.Seconds() * 100
	b.row("fettle chat that waits, of a processor", fmt.Sprintf("%.2f %%", share), "-", "-", "< 1 %", share < 1)
}

// firstLine is the time until a command has printed a line; then it is ended.
func (b *bencher) firstLine(dir, name string, args ...string) time.Duration {
	b.Helper()
	c := b.command(name, args...)
	c.Dir = dir
	out, in, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	c.Stdout, c.Stderr = in, in
	begun := time.Now()
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	in.Close()
	line, err := bufio.NewReader(out).ReadString('\n')
	took := time.Since(begun)
	if err != nil {
		b.Fatalf("%s %s ended with %q: %v", name, strings.Join(args, " "), line, err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	return took
}

// manyTests is a project of 200 modules with ten tests each.
func (b *bencher) manyTests() string {
	b.Helper()
	dir := b.TempDir()
	for i := range 200 {
		save(b.T, filepath.Join(dir, fmt.Sprintf("m%03d.py", i)), "def f(x):\n    return x + 1\n")
		test := fmt.Sprintf("import unittest\n\nfrom m%03d import f\n\n\nclass F(unittest.TestCase):\n", i)
		for n := range 10 {
			test += fmt.Sprintf("    def test_%d(self):\n        self.assertEqual(f(%d), %d)\n\n", n, n, n+1)
		}
		save(b.T, filepath.Join(dir, fmt.Sprintf("test_m%03d.py", i)), test)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"}} {
		b.timed(b.command("git", append([]string{"-C", dir}, args...)...))
	}
	return dir
}

// ticks is the time that a process has had of a processor, in hundredths of a second.
func (b *bencher) ticks(pid string) int {
	b.Helper()
	raw, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), ") ") // what stands before it may hold blanks
	fields := strings.Fields(rest)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		b.Fatal(err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		b.Fatal(err)
	}
	return user + system
}
