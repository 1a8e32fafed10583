package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/memory"
)

// clone is a Git repository, read from its objects alone.
type clone struct {
	dir string

	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (c *clone) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", c.dir, "-c", "core.quotePath=false", "-c", "safe.directory=*"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0")
	return cmd
}

func (c *clone) git(ctx context.Context, args ...string) (string, error) {
	cmd := c.command(ctx, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("git %s in %s: %w: %.300s", args[0], c.dir, err, errs.String())
	}
	return string(out), nil
}

// blob reads an object with one long-lived process.
func (c *clone) blob(ctx context.Context, name string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd == nil {
		cmd := c.command(ctx, "cat-file", "--batch")
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		c.cmd, c.in, c.out = cmd, in, bufio.NewReaderSize(out, 1<<20)
	}
	if _, err := fmt.Fprintln(c.in, name); err != nil {
		return nil, err
	}
	head, err := c.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	f := strings.Fields(head)
	if len(f) != 3 {
		return nil, fmt.Errorf("git cat-file in %s says %q", c.dir, strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(f[2])
	if err != nil {
		return nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return nil, err
	}
	return data[:size], nil
}

func (c *clone) close() {
	if c.cmd != nil {
		_ = c.in.Close()
		_ = c.cmd.Wait()
	}
}

// tree is the source of a commit's tree for the index.
func (c *clone) tree(ctx context.Context, commit string) (memory.Source, map[string]string, error) {
	text, err := c.git(ctx, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
	if err != nil {
		return memory.Source{}, nil, err
	}
	src := memory.Source{Head: commit}
	hashes := map[string]string{}
	for line := range strings.SplitSeq(text, "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 4 || f[1] != "blob" || f[0] == "120000" {
			continue
		}
		size, _ := strconv.ParseInt(f[3], 10, 64) // Git wrote it
		src.Files = append(src.Files, checkout.Blob{Path: name, Hash: f[2], Size: size})
		hashes[name] = f[2]
	}
	src.Read = func(p string) ([]byte, error) { return c.blob(ctx, hashes[p]) }
	src.History = func(ctx context.Context, n int, known func(string) bool) ([]checkout.Earlier, error) {
		return c.history(ctx, commit, n)
	}
	return src, hashes, nil
}

func (c *clone) history(ctx context.Context, commit string, n int) ([]checkout.Earlier, error) {
	text, err := c.git(ctx, "log", "-z", "--no-merges", "--max-count="+strconv.Itoa(n), "--name-only", "--no-renames", "--format=%x01%H%n%B%x02", commit)
	if err != nil {
		return nil, err
	}
	var out []checkout.Earlier
	for part := range strings.SplitSeq(text, "\x01") {
		head, files, ok := strings.Cut(part, "\x02")
		hash, message, _ := strings.Cut(head, "\n")
		if !ok || len(hash) != 40 {
			continue
		}
		out = append(out, checkout.Earlier{Commit: hash, Message: message, Files: strings.FieldsFunc(files, func(r rune) bool { return r == 0 || r == '\n' })})
	}
	return out, nil
}
