package checkout

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // Git's object names
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// Git's modes of tree entries.
const (
	modeFile = "100644"
	modeExec = "100755"
	modeLink = "120000"
	modeSub  = "160000"
)

// entry is one file of a commit.
type entry struct {
	path string
	mode string // modeFile, modeExec or modeLink; of a submodule modeSub
	hash string
	size int64
}

func (e entry) regular() bool { return e.mode == modeFile || e.mode == modeExec }

// list reads the files of a commit in Git's order, and the submodules apart.
func (s *Store) list(ctx context.Context, dir, commit string) (files, submodules []entry, err error) {
	out, err := s.run(ctx, call{dir: dir, args: []string{"ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", commit}})
	if err != nil {
		return nil, nil, err
	}
	var total int64
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte{0})
		out = rest
		head, path, ok := strings.Cut(string(line), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 {
			return nil, nil, fmt.Errorf("git ls-tree answered %q, which is not a tree entry", line)
		}
		if !safePath(path) {
			return nil, nil, fmt.Errorf("%w: %q", ErrUnsafePath, path)
		}
		if fields[0] == modeSub {
			submodules = append(submodules, entry{path: path, mode: modeSub, hash: fields[2]})
			continue
		}
		e := entry{path: path, mode: fields[0], hash: fields[2]}
		if e.mode != modeLink && e.mode != modeExec {
			e.mode = modeFile // also 100664, which old commits hold
		}
		if e.size, err = strconv.ParseInt(fields[3], 10, 64); err != nil {
			return nil, nil, fmt.Errorf("git ls-tree gave no size for %q; is the repository damaged?", path)
		}
		if total += e.size; total > s.cfg.MaxBytes {
			return nil, nil, s.tooLarge(total)
		}
		files = append(files, e)
	}
	return files, submodules, nil
}

// hasher computes blob names.
func blobHash(data []byte) string {
	h := sha1.New() //nolint:gosec // Git's object names
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(data))
	_, _ = h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// blobHashFrom computes the name of a blob of known size from a stream.
func blobHashFrom(r io.Reader, size int64) (string, error) {
	h := sha1.New() //nolint:gosec // Git's object names
	_, _ = fmt.Fprintf(h, "blob %d\x00", size)
	n, err := io.Copy(h, r)
	if err == nil && n != size {
		err = errors.New("the file changed while it was read")
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// blobs streams the content of many entries in order, with one git process.
// take must read its reader to the end or return an error.
func (s *Store) blobs(ctx context.Context, dir string, want []entry, take func(e entry, r io.Reader) error) error {
	if len(want) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var names bytes.Buffer
	for _, e := range want {
		names.WriteString(e.hash + "\n")
	}
	pr, pw := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := s.run(ctx, call{dir: dir, stdin: &names, stdout: pw, args: []string{"cat-file", "--batch", "--buffer"}})
		_ = pw.CloseWithError(err)
		ended <- err
	}()
	in := bufio.NewReaderSize(pr, 256<<10)
	err := func() error {
		for _, e := range want {
			size, err := blobHeader(in, e.hash)
			if err != nil {
				return err
			}
			body := &io.LimitedReader{R: in, N: size}
			if err := take(e, body); err != nil {
				return err
			}
			if _, err := in.Discard(int(body.N) + 1); err != nil {
				return err
			}
		}
		return nil
	}()
	cancelled := err != nil
	if cancelled {
		cancel()
	}
	_ = pr.CloseWithError(io.ErrClosedPipe)
	if gitErr := <-ended; err == nil && gitErr != nil && !errors.Is(gitErr, io.ErrClosedPipe) {
		err = gitErr
	}
	return err
}

// blobHeader reads "<hash> blob <size>".
func blobHeader(in *bufio.Reader, hash string) (int64, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("read blob %s: %w", hash, err)
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != hash || fields[1] != "blob" {
		return 0, fmt.Errorf("read blob %s: git answered %q; is the repository damaged?", hash, strings.TrimSpace(line))
	}
	return strconv.ParseInt(fields[2], 10, 64)
}

// reader answers questions for single blobs from one long-lived git process.
type reader struct {
	mu   sync.Mutex
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	stop context.CancelFunc
}

// blob reads one blob whole.
func (t *Tree) blob(hash string) ([]byte, error) {
	r := &t.reader
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil {
		if err := t.startReader(); err != nil {
			return nil, err
		}
	}
	if _, err := io.WriteString(r.in, hash+"\n"); err != nil {
		r.close()
		return nil, fmt.Errorf("read blob %s: %w", hash, err)
	}
	size, err := blobHeader(r.out, hash)
	if err != nil {
		r.close()
		return nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(r.out, data); err != nil {
		r.close()
		return nil, fmt.Errorf("read blob %s: %w", hash, err)
	}
	return data[:size], nil
}

func (t *Tree) startReader() error {
	if t.closed.Load() {
		return errors.New("the tree is closed")
	}
	ctx, cancel := context.WithCancel(context.Background()) // ends with Close, not with one caller
	cmd, _, err := t.store.command(ctx, call{dir: t.gitDir, args: []string{"cat-file", "--batch"}})
	if err == nil {
		if t.reader.in, err = cmd.StdinPipe(); err == nil {
			var out io.ReadCloser
			if out, err = cmd.StdoutPipe(); err == nil {
				t.reader.out = bufio.NewReaderSize(out, 64<<10)
				err = cmd.Start()
			}
		}
	}
	if err != nil {
		cancel()
		return fmt.Errorf("start git cat-file: %w", err)
	}
	t.reader.cmd, t.reader.stop = cmd, cancel
	return nil
}

// close ends the process; the next question starts another one.
func (r *reader) close() {
	if r.cmd == nil {
		return
	}
	_ = r.in.Close() // end of input is how cat-file ends
	r.stop()
	_ = r.cmd.Wait()
	r.cmd = nil
}
