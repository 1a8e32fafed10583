package checkout

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fettle-dev/fettle/bot/task"
)

// Diff is the change from the base to the tree as git diff writes it: git
// apply takes it. It is made from bytes; binary files come as Git's binary
// patches. An unchanged tree gives "".
func (t *Tree) Diff(ctx context.Context) (string, error) {
	changes, err := t.Changes()
	if err != nil {
		return "", fmt.Errorf("diff the tree: %w", err)
	}
	var out strings.Builder
	for _, c := range changes {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		var before version
		if e, ok := t.byPath[c.Path]; ok {
			before = version{mode: e.mode, hash: e.hash}
			if before.content, err = t.blob(e.hash); err != nil {
				return "", fmt.Errorf("diff the tree: %w", err)
			}
		}
		after := version{}
		if !c.Deleted {
			after = version{mode: c.Mode, content: c.Content, hash: BlobHash(c.Content)}
		}
		if err := fileDiff(&out, c.Path, before, after); err != nil {
			return "", fmt.Errorf("diff %q: %w", c.Path, err)
		}
	}
	return out.String(), nil
}

// DiffOf writes the diff between two states of files, as Diff does. The
// changes name the states after; base gives content and mode before, with ok
// false for a file that was not there.
func DiffOf(changes []task.FileChange, base func(path string) (content []byte, mode string, ok bool, err error)) (string, error) {
	var out strings.Builder
	for _, c := range changes {
		content, mode, ok, err := base(c.Path)
		if err != nil {
			return "", fmt.Errorf("diff %q: %w", c.Path, err)
		}
		var before, after version
		if ok {
			before = version{mode: mode, content: content, hash: BlobHash(content)}
		}
		if !c.Deleted {
			after = version{mode: c.Mode, content: c.Content, hash: BlobHash(c.Content)}
		}
		if err := fileDiff(&out, c.Path, before, after); err != nil {
			return "", fmt.Errorf("diff %q: %w", c.Path, err)
		}
	}
	return out.String(), nil
}

// version is a file at one side; the zero value is no file.
type version struct {
	mode, hash string
	content    []byte
}

const noHash = "0000000000000000000000000000000000000000"

func fileDiff(out *strings.Builder, path string, before, after version) error {
	if before.mode != "" && after.mode != "" && (before.mode == modeLink) != (after.mode == modeLink) {
		if err := fileDiff(out, path, before, version{}); err != nil { // another kind of file: gone and new
			return err
		}
		return fileDiff(out, path, version{}, after)
	}
	from, to := "a/"+path, "b/"+path
	same := bytes.Equal(before.content, after.content)
	if same && before.mode == after.mode {
		return nil
	}
	fmt.Fprintf(out, "diff --git %s %s\n", quotePath(from, " "), quotePath(to, " ")) // patch ends a name at a blank
	index := func(suffix string) {
		fmt.Fprintf(out, "index %s..%s%s\n", orZero(before.hash), orZero(after.hash), suffix)
	}
	switch {
	case before.mode == "":
		fmt.Fprintf(out, "new file mode %s\n", after.mode)
		index("")
		from = "/dev/null"
	case after.mode == "":
		fmt.Fprintf(out, "deleted file mode %s\n", before.mode)
		index("")
		to = "/dev/null"
	case before.mode != after.mode:
		fmt.Fprintf(out, "old mode %s\nnew mode %s\n", before.mode, after.mode)
		if !same {
			index("")
		}
	default:
		index(" " + after.mode)
	}
	if same {
		return nil
	}
	if binary(before.content) || binary(after.content) {
		return binaryPatch(out, before.content, after.content)
	}
	textHunks(out, from, to, before.content, after.content)
	return nil
}

func orZero(hash string) string {
	if hash == "" {
		return noHash
	}
	return hash
}

// textHunks writes the headers and hunks of a text file.
func textHunks(out *strings.Builder, from, to string, before, after []byte) {
	hunks := bytes.SplitN(diff.Diff("", before, "", after), []byte("\n"), 4)[3] // its own three header lines are replaced
	fmt.Fprintf(out, "--- %s\n+++ %s\n%s", tabbed(from), tabbed(to), hunks)
}

// TextDiff is the change of one text file as unified diff, without what Git
// says above it; "" where nothing changes.
func TextDiff(path string, before, after []byte) string {
	var out strings.Builder
	if !bytes.Equal(before, after) {
		textHunks(&out, "a/"+path, "b/"+path, before, after)
	}
	return out.String()
}

// tabbed is a name after --- or +++. One with a blank in it ends in a tab, as
// Git has it, so that nothing after it is read as part of the name.
func tabbed(name string) string {
	name = quotePath(name, "")
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}

// quotePath writes a path as Git does: as it is, or as a C string when it
// holds control characters, quotes, backslashes, bytes that are not UTF-8 or
// one of those named.
func quotePath(path, those string) string {
	plain := utf8.ValidString(path)
	for i := 0; plain && i < len(path); i++ {
		plain = path[i] >= ' ' && path[i] != 0x7f && strings.IndexByte(`"\`+those, path[i]) < 0
	}
	if plain {
		return path
	}
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c == '\n':
			out.WriteString(`\n`)
		case c == '\t':
			out.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&out, `\%03o`, c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// binary is Git's rule: a NUL among the first 8,000 bytes.
func binary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 }

// binaryPatch writes both directions as literals (git diff --binary).
func binaryPatch(out *strings.Builder, before, after []byte) error {
	out.WriteString("GIT binary patch\n")
	for _, side := range [][]byte{after, before} {
		fmt.Fprintf(out, "literal %d\n", len(side))
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		if _, err := z.Write(side); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		for data := packed.Bytes(); len(data) > 0; {
			n := min(len(data), 52)
			length := byte('A' + n - 1)
			if n > 26 {
				length = byte('a' + n - 27)
			}
			out.WriteByte(length)
			base85(out, data[:n])
			out.WriteByte('\n')
			data = data[n:]
		}
		out.WriteByte('\n')
	}
	return nil
}

const alphabet85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// base85 is Git's own base 85: four bytes to five letters, padded with zeros.
func base85(out *strings.Builder, data []byte) {
	for len(data) > 0 {
		var word uint32
		for i := range 4 {
			word <<= 8
			if i < len(data) {
				word |= uint32(data[i])
			}
		}
		var letters [5]byte
		for i := 4; i >= 0; i-- {
			letters[i] = alphabet85[word%85]
			word /= 85
		}
		out.Write(letters[:])
		data = data[min(4, len(data)):]
	}
}
