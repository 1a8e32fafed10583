package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func shell(text string, args ...string) []string {
	return append([]string{"/bin/sh", "-c", text, "sh"}, args...)
}

func keepsExitCodes(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	for _, code := range []int{0, 1, 3, 127, 255} {
		r := run(t, w, shell(fmt.Sprintf("exit %d", code))...)
		if r.ExitCode != code || r.Signal != "" && code < 128 || r.OK() != (code == 0) {
			t.Errorf("exit %d: %+v", code, r)
		}
	}
	if r := run(t, w, shell("kill -11 $$")...); r.ExitCode != 139 || r.Signal != "SIGSEGV" {
		t.Errorf("signal: %+v", r)
	}
	r, err := w.Run(context.Background(), Command{Argv: []string{"no-such-program"}})
	if b.walls && (err != nil || r.ExitCode != 127 || len(r.Stderr) == 0) || !b.walls && err == nil {
		t.Errorf("a program that is not there: %+v %v", r, err)
	}
}

func keepsStreams(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	odd := []byte("a\x00\xff\xfe\x80 \xc3\x28\r\n\x1b[31m\n")
	odd = append(odd, bytes.Repeat([]byte{0xf5, 0}, 100_000)...)
	r, err := w.Run(context.Background(), Command{Argv: []string{"cat"}, Stdin: bytes.NewReader(odd)})
	if err != nil || !r.OK() || !bytes.Equal(r.Stdout, odd) {
		t.Errorf("%d bytes came back of %d, %v, %s", len(r.Stdout), len(odd), err, r.Stderr)
	}
	r = run(t, w, shell(`cat; printf 'to out\377'; printf 'to err\376' >&2`)...)
	if string(r.Stdout) != "to out\xff" || string(r.Stderr) != "to err\xfe" {
		t.Errorf("%q %q", r.Stdout, r.Stderr)
	}
	r, err = w.Run(context.Background(), Command{Argv: []string{"true"}, Stdin: bytes.NewReader(make([]byte, 5*mib))})
	if err != nil || !r.OK() {
		t.Errorf("input that nobody reads: %+v %v", r, err)
	}
}

func keepsPipes(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	p, err := w.Start(context.Background(), Command{Argv: shell("while read -r l; do echo \"heard $l\"; done; echo bye; echo over >&2; exit 4")})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64)
	for i := range 20 {
		fmt.Fprintf(p.Stdin, "%d\n", i)
		want := fmt.Sprintf("heard %d\n", i)
		if n, err := io.ReadFull(p.Stdout, buf[:len(want)]); err != nil || string(buf[:n]) != want {
			t.Fatalf("%q %v, want %q", buf[:n], err, want)
		}
	}
	_ = p.Stdin.Close()
	if rest, err := io.ReadAll(p.Stdout); err != nil || string(rest) != "bye\n" {
		t.Errorf("at the end: %q %v", rest, err)
	}
	if r, err := p.Wait(); err != nil || r.ExitCode != 4 || string(r.Stderr) != "over\n" {
		t.Errorf("%+v %v", r, err)
	}
	q, err := w.Start(context.Background(), Command{Argv: shell("cat /dev/zero")}) // blocks: nobody reads
	if err != nil {
		t.Fatal(err)
	}
	q.Kill()
	if r, err := q.Wait(); err != nil || r.OK() || r.Signal != "SIGKILL" {
		t.Errorf("killed: %+v %v", r, err)
	}
}

func keepsDirectory(t *testing.T, b subject) {
	w := workspace(t, b.box, map[string]string{"d/e/f": "x"})
	r, err := w.Run(context.Background(), Command{Argv: shell("pwd; cat f"), Dir: "d/e"})
	if err != nil || !strings.HasSuffix(string(r.Stdout), "/work/d/e\nx") {
		t.Errorf("%q %v", r.Stdout, err)
	}
	for _, dir := range []string{"not/there", "d/e/f", "../out", "/etc"} {
		if r, err := w.Run(context.Background(), Command{Argv: shell("pwd"), Dir: dir}); err == nil {
			t.Errorf("started in %q: %q", dir, r.Stdout)
		}
	}
}

func keepsEnvironment(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	r, err := w.Run(context.Background(), Command{Argv: []string{"env", "-0"}, Env: map[string]string{"WORD": "a b\nc"}})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"WORD": true, "PWD": true, "FETTLE_SANDBOX_RUN": !b.walls}
	for _, kv := range b.box.environment(nil) {
		known[kv[0]] = true
	}
	if b.image != nil {
		known["HOSTNAME"], known["container"], known["TERM"] = true, true, true // engines add them
	}
	seen := map[string]string{}
	for kv := range strings.SplitSeq(strings.TrimSuffix(string(r.Stdout), "\x00"), "\x00") {
		k, v, _ := strings.Cut(kv, "=")
		seen[k] = v
		if fromImage, ok := b.image[k]; !known[k] && (!ok || v != fromImage) {
			t.Errorf("%s=%q is there", k, v)
		}
	}
	if seen["WORD"] != "a b\nc" || seen["TZ"] != "UTC" || seen["HOME"] == os.Getenv("HOME") || seen["PATH"] == "" {
		t.Errorf("environment %q", seen)
	}
	if r := run(t, w, shell(`: >"$HOME/x" && : >"$TMPDIR/y" && [ "$(id -u)" ] && echo ok`)...); string(r.Stdout) != "ok\n" {
		t.Errorf("home and temporary folder: %q", r.Stderr)
	}
}

func keepsTheTree(t *testing.T, b subject) {
	files := map[string]string{"a/b": "hello", "odd\nname": "x"}
	src := tree(t, files)
	if err := os.Symlink("a/b", filepath.Join(src, "link")); err != nil {
		t.Fatal(err)
	}
	w, err := b.box.Workspace(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	out := "/out"
	if !b.walls {
		out = w.OutDir()
	}
	r := run(t, w, shell(`cat link && echo changed >a/b && mkdir -p n/e/w && echo 1 >n/e/w/f && printf 'r\377' >"$1/result" && echo ok`, out)...)
	if string(r.Stdout) != "hellook\n" {
		t.Fatalf("%q %q", r.Stdout, r.Stderr)
	}
	if data, err := w.ReadFile("a/b", 100); err != nil || string(data) != "changed\n" {
		t.Errorf("copy: %q %v", data, err)
	}
	if data, err := w.ReadOut("result", 100); err != nil || string(data) != "r\xff" {
		t.Errorf("out: %q %v", data, err)
	}
	for name, want := range files {
		if data, err := os.ReadFile(filepath.Join(src, name)); err != nil || string(data) != want {
			t.Errorf("the tree was touched: %s is %q, %v", name, data, err)
		}
	}
	if err := w.WriteFile("n/e/w/f", []byte("2")); err != nil {
		t.Error(err)
	}
	if r := run(t, w, shell("cat n/e/w/f; echo 3 >n/e/w/f && echo written")...); string(r.Stdout) != "2written\n" {
		t.Errorf("a file written from outside: %q %q", r.Stdout, r.Stderr)
	}
	if err := w.Reset(context.Background(), src); err != nil {
		t.Fatal(err)
	}
	if r := run(t, w, shell("cat a/b; ls -A")...); string(r.Stdout) != "helloa\nlink\nodd\nname\n" {
		t.Errorf("after a reset: %q", r.Stdout)
	}
}

// lingering prints "up" and goes on, with children that left its group.
const lingering = `setsid /bin/sh -c 'sleep 1000; true' "$1" & (setsid setsid sleep 1000 & ) ; trap '' TERM HUP INT; echo up; sleep 1000; true`

func keepsDeadline(t *testing.T, b subject) {
	w, token := workspace(t, b.box, nil), "token-"+nonce()
	r, err := w.Run(context.Background(), Command{Argv: shell(lingering, token), Limits: Limits{Wall: 3 * time.Second}})
	if err != nil || !r.TimedOut || r.ExitCode != -1 || r.Signal != "SIGKILL" || r.OK() || string(r.Stdout) != "up\n" {
		t.Errorf("%+v %q %v", r, r.Stdout, err)
	}
	if left := withToken(token); len(left) > 0 {
		t.Errorf("outlived the deadline: %v", left)
	}
	r = run(t, w, shell(`setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo gone`, token)...)
	if !r.OK() || string(r.Stdout) != "gone\n" || len(withToken(token)) > 0 {
		t.Errorf("a background process: %+v %v", r, withToken(token))
	}
}

func keepsOutput(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	r, err := w.Run(context.Background(), Command{Argv: shell("seq 100000; seq 100000 >&2"), Limits: Limits{OutputBytes: 64 * kib}})
	if err != nil || !r.OK() || !r.Truncated {
		t.Errorf("%+v %v", r.Truncated, err)
	}
	for _, s := range []string{string(r.Stdout), string(r.Stderr)} {
		if !strings.HasPrefix(s, "1\n2\n3\n") || !strings.HasSuffix(s, "99999\n100000\n") || !strings.Contains(s, "bytes left out") || len(s) > 66_000 {
			t.Errorf("%d bytes: %.20q … %.20q", len(s), s, s[max(0, len(s)-20):])
		}
	}
	r, err = w.Run(context.Background(), Command{Argv: shell("head -c 200000000 /dev/zero; echo end"), Limits: Limits{OutputBytes: kib}})
	if err != nil || !r.OK() || !strings.HasSuffix(string(r.Stdout), "end\n") || len(r.Stdout) > 1200 {
		t.Errorf("200 MB of output: %d bytes kept, %v", len(r.Stdout), err)
	}
}

func keepsCancel(t *testing.T, b subject) {
	w, token, stop := workspace(t, b.box, nil), "token-"+nonce(), errors.New("somebody said stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	p, err := w.Start(ctx, Command{Argv: shell(lingering, token)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(p.Stdout, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	cancel(stop)
	if _, err := p.Wait(); !errors.Is(err, stop) {
		t.Errorf("error %v does not say why", err)
	}
	if left := withToken(token); len(left) > 0 {
		t.Errorf("outlived the cancellation: %v", left)
	}
	if _, err := w.Run(ctx, Command{Argv: []string{"true"}}); !errors.Is(err, stop) {
		t.Errorf("a command of a cancelled context: %v", err)
	}
	if r := run(t, w, "true"); !r.OK() {
		t.Errorf("the next command suffers: %+v", r)
	}
}

func keepsConcurrency(t *testing.T, b subject) {
	w := workspace(t, b.box, map[string]string{"shared": "s"})
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			word := fmt.Sprintf("word-%d", i)
			r, err := w.Run(context.Background(), Command{Argv: shell(`cat shared; echo "$1" >"$1"; cat "$1"; exit "$2"`, word, fmt.Sprint(i))})
			if err != nil || r.ExitCode != i || string(r.Stdout) != "s"+word+"\n" {
				t.Errorf("%d: %+v %q %v", i, r, r.Stdout, err)
			}
		})
	}
	all.Wait()
	if r := run(t, w, "ls"); strings.Count(string(r.Stdout), "word-") != 6 {
		t.Errorf("%q", r.Stdout)
	}
}

func keepsNothing(t *testing.T, b subject) {
	s, token := b.open(t, Limits{}), "token-"+nonce()
	w := workspace(t, s, map[string]string{"a": "b"})
	var ps []*Process
	for range 2 {
		p, err := w.Start(context.Background(), Command{Argv: shell(lingering, token)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(p.Stdout, make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	path := w.Path()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left := append(withToken(token), b.left(t, s)...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the copy is still there")
	}
	for _, p := range ps {
		if r, err := p.Wait(); err != nil || r.OK() {
			t.Errorf("%+v %v", r, err)
		}
	}
	if _, err := w.Run(context.Background(), Command{Argv: []string{"true"}}); err == nil {
		t.Error("a closed workspace runs commands")
	}
}
