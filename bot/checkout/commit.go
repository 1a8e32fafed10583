package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Signature says who made a commit, and when; a zero When is now.
type Signature struct {
	Name, Email string
	When        time.Time
}

// ErrNoChange says that the tree equals its base.
var ErrNoChange = errors.New("nothing was changed")

// Commit records the tree as a child of the base on refs/fettle/attempt-N, N
// counted from 1, and returns the commit's full hash. It is made from the
// base's objects and Changes alone: host Git does not look at the tree. With
// no change it returns ErrNoChange.
func (t *Tree) Commit(ctx context.Context, message string, who Signature) (string, error) {
	changes, err := t.Changes()
	if err != nil {
		return "", fmt.Errorf("commit the attempt: %w", err)
	}
	if len(changes) == 0 {
		return "", fmt.Errorf("commit the attempt: %w", ErrNoChange)
	}
	if who.When.IsZero() {
		who.When = t.store.cfg.Now()
	}
	ref := fmt.Sprintf("refs/fettle/attempt-%d", t.attempts+1)
	var in bytes.Buffer
	commitHead(&in, ref, message, who)
	fmt.Fprintf(&in, "from %s\n", t.base)
	for _, c := range changes {
		if c.Deleted {
			fmt.Fprintf(&in, "D %s\n", quoteStream(c.Path))
		} else {
			inline(&in, c)
		}
	}
	in.WriteString("get-mark :1\ndone\n")
	hash, err := t.store.fastImport(ctx, t.gitDir, &in)
	if err != nil {
		return "", fmt.Errorf("commit the attempt: %w", err)
	}
	t.attempts++
	return hash, nil
}

// commitHead writes the beginning of a commit for git fast-import.
func commitHead(in *bytes.Buffer, ref, message string, who Signature) {
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '<' || r == '>' || r < ' ' {
				return -1
			}
			return r
		}, s)
	}
	fmt.Fprintf(in, "commit %s\nmark :1\ncommitter %s <%s> %d +0000\ndata %d\n%s\n", ref,
		clean(who.Name), clean(who.Email), who.When.Unix(), len(message), message)
}

func inline(in *bytes.Buffer, c task.FileChange) {
	fmt.Fprintf(in, "M %s inline %s\ndata %d\n", c.Mode, quoteStream(c.Path), len(c.Content))
	in.Write(c.Content)
	in.WriteByte('\n')
}

// quoteStream writes a path as a C string, which git fast-import reads back
// to the same bytes.
func quoteStream(path string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&out, `\%03o`, c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// fastImport runs a stream that ends in "get-mark :1" and returns that mark.
func (s *Store) fastImport(ctx context.Context, dir string, in *bytes.Buffer) (string, error) {
	out, err := s.run(ctx, call{dir: dir, stdin: in, args: importArgs})
	if err != nil {
		return "", err
	}
	hash := strings.TrimSpace(string(out))
	if !isHash(hash) {
		return "", fmt.Errorf("git fast-import answered %q instead of a hash", hash)
	}
	return hash, nil
}

var importArgs = []string{"-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--done", "--date-format=raw", "--cat-blob-fd=1", "--depth=0"}
