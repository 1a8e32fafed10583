package patch

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// latin1 is a Python file's declaration that its bytes are Latin-1 (PEP 263).
var latin1 = lazyregexp.New(`^[ \t\f]*#.*?coding[:=][ \t]*(?i:latin-?1|latin_1|iso-?8859-1|iso_8859_1|l1)\b`)

// encode fits the new code to the encoding of the file. UTF-16 is refused;
// in a file that is not UTF-8 new code has to be ASCII, or in Latin-1 where
// the file says that it is.
func (f *file) encode() error {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(f.before, []byte(mark)) {
			return refuse(f.path, "", RuleEncoding, "the file is UTF-16 or UTF-32; only UTF-8, ASCII and single-byte files are edited")
		}
	}
	if bytes.IndexByte(f.before[:min(len(f.before), 8000)], 0) >= 0 {
		return refuse(f.path, "", RuleEncoding, "the file is binary; only text is edited")
	}
	plain := utf8.Valid(f.before)
	for i, e := range f.edits {
		if strings.ContainsRune(e.Code, utf8.RuneError) && utf8.ValidString(e.Code) && !bytes.Contains(f.before, []byte("\uFFFD")) {
			return refuse(f.path, e.Region, RuleEncoding, "the code holds U+FFFD, which only stands for bytes that could not be shown; leave the lines that hold it out of the edit")
		}
		if plain || ascii(e.Code) || !utf8.ValidString(e.Code) {
			continue
		}
		text, ok := toLatin1(e.Code)
		if !ok || !f.isLatin1() {
			return refuse(f.path, e.Region, RuleEncoding, "the file is not UTF-8, and the code holds characters that are not ASCII; write them as escapes")
		}
		f.edits[i].Code = text
	}
	return nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isLatin1 looks for the declaration in the first two lines.
func (f *file) isLatin1() bool {
	for i, line := range bytes.SplitN(f.before, []byte("\n"), 3) {
		if i < 2 && latin1.Match(line) {
			return true
		}
	}
	return false
}

func toLatin1(s string) (string, bool) {
	var out strings.Builder
	for _, r := range s {
		if r > 0xff {
			return "", false
		}
		out.WriteByte(byte(r))
	}
	return out.String(), true
}
