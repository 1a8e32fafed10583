package parse

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// What differs between two runs of the same failure, in the order in which it
// is taken out.
var unstable = []struct {
	re *lazyregexp.Regexp
	by string
}{
	{lazyregexp.New(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), "ID"},
	{lazyregexp.New(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?`), "TIME"},
	{lazyregexp.New(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) .{0,4}\d\d:\d\d:\d\d(?: [A-Z]{3,4})?(?: \d{4})?`), "TIME"},
	{lazyregexp.New(`\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b`), "TIME"},
	{lazyregexp.New(`\b0x[0-9a-fA-F]+\b`), "N"},
	{lazyregexp.New(`(^|[^\w.~/\\])(?:[A-Za-z]:|file://|~)?(?:[\\/][\w.@+~%-]+)+[\\/]?`), "${1}PATH"},
	{lazyregexp.New(`\btmp\w{4,}\b`), "TMP"},
	{lazyregexp.New(`\d+(?:[.,]\d+)*(?:e[+-]?\d+)? ?(?:ns|µs|us|ms|s|sec|secs|seconds?|minutes?|hours?)\b`), "TIME"},
	{lazyregexp.New(`-?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?`), "N"},
	{lazyregexp.New(`\s+`), " "},
}

var hexWord = lazyregexp.New(`\b[0-9a-fA-F]{8,}\b`)

// Normalise takes numbers, addresses, paths, times and random ids out of a
// message, so that the same failure reads the same on every machine.
func Normalise(text string) string {
	for i, u := range unstable {
		if i == 6 { // before numbers are taken out, after paths
			text = hexWord.ReplaceAllStringFunc(text, func(w string) string {
				if strings.ContainsAny(w, "0123456789") {
					return "N"
				}
				return w
			})
		}
		text = u.re.ReplaceAllString(text, u.by)
	}
	return strings.TrimSpace(text)
}

var (
	unstableID = []*lazyregexp.Regexp{
		lazyregexp.New(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`),
		lazyregexp.New(`\b0x[0-9a-fA-F]+\b`),
		lazyregexp.New(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?`),
		lazyregexp.New(`\(line \d+\)`),
	}
	anonymous = lazyregexp.New(`\b(?:func)?\d+(?:\.\d+)*\b|\([^)]*\)|\{[^}]*\}`)
)

// Fingerprint is stable over line numbers, paths, addresses, times, ids and
// machines: 16 hex digits over suite, test, kind, exception, the normalised
// message, and file name and function of the innermost frame of the tree.
func Fingerprint(f task.Failure) string {
	test := f.Test
	for _, re := range unstableID {
		test = re.ReplaceAllString(test, "X")
	}
	where := path.Base(f.File)
	for i := len(f.Trace) - 1; i >= 0; i-- {
		if fr := f.Trace[i]; fr.File == f.File && fr.Line == f.Line {
			where += " " + anonymous.ReplaceAllString(fr.Function, "")
			break
		}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Suite, test, string(f.Kind), f.Exception, Normalise(f.Message), where}, "\x00")))
	return hex.EncodeToString(sum[:8])
}
