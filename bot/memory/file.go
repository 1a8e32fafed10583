package memory

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// file is one content under one path, as the index holds it.
type file struct {
	id        int64
	path      string
	blob      string
	skipped   string
	class     string
	generated bool
	used      int64
	pieces    []piece
	imports   []string
}

// piece is what the index knows of a piece without its text.
type piece struct {
	kind, name, qualified, id, signature string
	start, end, bytes                    int
	uses                                 []string
}

const perFile = mostChunks // rows of words that a file may have: its id times this, and on

// row is the number of a piece in the table of words.
func row(file int64, n int) int64 { return file*perFile + int64(n) }

// note writes a piece as a line.
func (c chunk) note() string {
	line := strings.Join([]string{c.Kind, c.Name, c.QualifiedName, c.ID, strconv.Itoa(c.StartLine), strconv.Itoa(c.EndLine), strconv.Itoa(c.EndByte - c.StartByte),
		flat(c.Signature), strings.Join(c.uses, " ")}, "\t")
	return line
}

// flat takes out of a text what parts lines and columns.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

const generatedMark = "generated"

// restore reads the lines back.
func (f *file) restore(pieces, imports string) error {
	if imports != "" {
		f.imports = strings.Split(imports, " ")
	}
	if rest, ok := strings.CutPrefix(pieces, generatedMark+"\n"); ok {
		f.generated, pieces = true, rest
	}
	f.class = classOfFile(f.path, f.generated)
	if pieces == "" {
		return nil
	}
	lines := strings.Split(pieces, "\n")
	f.pieces = make([]piece, len(lines))
	for i, line := range lines {
		col := strings.Split(line, "\t")
		if len(col) != 9 {
			return fmt.Errorf("%w: a piece of %s has %d columns", errVersion, f.path, len(col))
		}
		p := &f.pieces[i]
		p.kind, p.name, p.qualified, p.id, p.signature = col[0], col[1], col[2], col[3], col[7]
		p.start, _ = strconv.Atoi(col[4]) // we wrote them
		p.end, _ = strconv.Atoi(col[5])
		p.bytes, _ = strconv.Atoi(col[6])
		if col[8] != "" {
			p.uses = strings.Split(col[8], " ")
		}
	}
	return nil
}

// stem is the name by which others import the file.
func (f *file) stem() string {
	name := strings.TrimSuffix(path.Base(f.path), path.Ext(f.path))
	switch name {
	case "__init__", "index", "mod", "lib", "main":
		if dir := path.Base(path.Dir(f.path)); dir != "." {
			return dir
		}
	}
	return name
}

// defines tells whether a piece gives its name to what others use.
func (p *piece) defines() bool {
	switch p.kind {
	case code.KindFunction, code.KindMethod, code.KindClass, code.KindType, code.KindModule:
		return len(p.name) > 2
	}
	return false
}
