package checkout

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// commitHead writes the beginning of a commit for git fast-import.
func commitHead(in *bytes.Buffer, ref, message string, who Signature) {
	fmt.Fprintf(in, "commit %s\nmark :1\ncommitter %s <%s> %d +0000\ndata %d\n%s\n", ref,
		cleanName(who.Name), cleanName(who.Email), who.When.Unix(), len(message), message)
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

// importArgs run a stream that ends in "get-mark :1" and print that mark.
var importArgs = []string{"-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--done", "--date-format=raw", "--cat-blob-fd=1", "--depth=0"}
