package parse

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// What differs between two runs of the same failure, in the order in which it
// is taken out.
var unstable = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), "ID"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?`), "TIME"},
	{regexp.MustCompile(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) .{0,4}\d\d:\d\d:\d\d(?: [A-Z]{3,4})?(?: \d{4})?`), "TIME"},
	{regexp.MustCompile(`\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b`), "TIME"},
	{regexp.MustCompile(`\b0x[0-9a-fA-F]+\b`), "N"},
	{regexp.MustCompile(`(^|[^\w.~/\\])(?:[A-Za-z]:|file://|~)?(?:[\\/][\w.@+~%-]+)+[\\/]?`), "${1}PATH"},
	{regexp.MustCompile(`\btmp\w{4,}\b`), "TMP"},
	{regexp.MustCompile(`\d+(?:[.,]\d+)*(?:e[+-]?\d+)? ?(?:ns|µs|us|ms|s|sec|secs|seconds?|minutes?|hours?)\b`), "TIME"},
	{regexp.MustCompile(`-?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?`), "N"},
	{regexp.MustCompile(`\s+`), " "},
}

var hexWord = regexp.MustCompile(`\b[0-9a-fA-F]{8,}\b`)

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
	unstableID = []*regexp.Regexp{
		regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`),
		regexp.MustCompile(`\b0x[0-9a-fA-F]+\b`),
		regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?`),
		regexp.MustCompile(`\(line \d+\)`),
	}
	anonymous = regexp.MustCompile(`\b(?:func)?\d+(?:\.\d+)*\b|\([^)]*\)|\{[^}]*\}`)
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
