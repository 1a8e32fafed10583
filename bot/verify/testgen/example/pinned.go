package example

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// pinned lists the lines of the base's tests that hold an example's call to
// something else than the issue expects: a change that does what the issue asks
// turns them red. Only assertions on one line are seen.
func pinned(base fs.FS, list []Example) []string {
	var out []string
	files := 0
	_ = fs.WalkDir(base, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read pins nothing
		}
		if d.IsDir() {
			if name := d.Name(); p != "." && (code.Foreign(name) || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if files++; files > maxFiles || !d.Type().IsRegular() || !code.IsTest(p) || len(out) >= maxPinned {
			return nil
		}
		src, err := fs.ReadFile(base, p)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		n := 0
		for line := range strings.Lines(string(src)) {
			n++
			for _, e := range list {
				if call, text := squeezed(e.Call), squeezed(line); e.Want != "" && e.Got != "" && strings.Contains(text, call) {
					rest := strings.Replace(text, call, "", 1)
					if has(rest, squeezed(e.Got)) && !has(rest, squeezed(e.Want)) {
						out = append(out, fmt.Sprintf("%s:%d passes and holds %s to be %s, which the issue calls wrong", p, n, e.Call, e.Got))
					}
				}
			}
		}
		return nil
	})
	return out[:min(len(out), maxPinned)]
}

const maxPinned = 3

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// has tells whether a literal stands in a text, and not as a part of a longer one.
func has(text, literal string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], literal)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(literal)
		if (from == 0 || !inWord(text[from-1])) && (to == len(text) || !inWord(text[to])) {
			return true
		}
		at = from + 1
	}
}

func inWord(c byte) bool {
	return c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
