package pattern

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	endpoint  = lazyregexp.New(`\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (/[\w./:{}<>-]*)`)
	parameter = lazyregexp.New(`\[[^\]]*\]$`)
	idInPath  = lazyregexp.New(`/(\d+|[0-9a-f-]{8,})(/|$)`)
	values    = lazyregexp.New(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|0x[0-9a-fA-F]+|[-+]?\d[\d_.,:e-]*|(?:/[\w.-]+){2,}`)
	words     = lazyregexp.New(`[A-Za-z]{3,}`)
)

// longestShape bounds the message's part of a key, in bytes.
const longestShape = 120

// KeyOf is the key of a failure: the endpoint that it names, else the test, and the
// shape of its message.
func KeyOf(f task.Failure) task.FailureKey {
	k := task.FailureKey{Language: family(code.LanguageOf(f.File)), Subject: parameter.ReplaceAllString(f.Test, ""), Error: f.Kind, Exception: f.Exception, Shape: shape(f.Message)}
	if m := endpoint.FindStringSubmatch(f.Message + " " + f.Test); m != nil {
		k.Subject = m[1] + " " + idInPath.ReplaceAllString(m[2], "/{}$2")
	}
	return k
}

func shape(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return clip(strings.Join(strings.Fields(values.ReplaceAllString(line, "#")), " "), longestShape)
}

// vague are exceptions that say nothing of what went wrong: everything ends in them.
var vague = map[string]bool{"": true, "Error": true, "Exception": true, "RuntimeError": true, "BaseException": true, "InternalServerError": true, "HTTPError": true, "Throwable": true, "panic": true}

// asserted are exceptions of a test's own: they tell that a value is wrong, not why.
var asserted = map[string]bool{"AssertionError": true, "AssertionFailedError": true, "assert": true, "JestAssertionError": true}

// empty are messages that fit every failure.
var empty = lazyregexp.New(`(?i)^\W*(http )?(status )?(code )?(\d{3}|#)?\W*(internal server )?(error|failed|failure|exception|unknown error|something went wrong|server error)?\W*$`)

// Generic tells of a key that fits everything, such as "HTTP 500" or "error". What
// is learned under it would be shown everywhere and help nowhere, so nothing is.
func Generic(k task.FailureKey) bool {
	return k.Subject == "" && (vague[k.Exception] || asserted[k.Exception]) && (k.Shape == "" || empty.MatchString(k.Shape))
}

// exact tells whether two failures are the same: of the same test or endpoint, or
// with the same exception that says what went wrong, in the same words.
func exact(a, b task.FailureKey) bool {
	if a.Language != b.Language || a.Error != b.Error || a.Exception != b.Exception {
		return false
	}
	if a.Subject != "" && a.Subject == b.Subject {
		return true
	}
	return !vague[a.Exception] && !asserted[a.Exception] && a.Shape != "" && a.Shape == b.Shape && !empty.MatchString(a.Shape)
}

// alike is how similar two failures are, 0 to 1.
func alike(a, b task.FailureKey) float64 {
	if a.Language != b.Language {
		return 0
	}
	s := 0.0
	if a.Exception == b.Exception && !vague[a.Exception] {
		s += 0.35
		if asserted[a.Exception] {
			s -= 0.2
		}
	}
	if a.Error == b.Error {
		s += 0.15
	}
	return s + 0.35*shared(a.Shape, b.Shape) + 0.15*shared(a.Subject, b.Subject)
}

// shared is the share of words that two texts have in common.
func shared(a, b string) float64 {
	x, y := wordsOf(a), wordsOf(b)
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if all := len(x) + len(y) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words.FindAllString(s, 64) {
		out[strings.ToLower(w)] = true
	}
	return out
}

// family is the language that rules are written for.
func family(l code.Language) string {
	switch l {
	case code.TypeScript, code.TSX:
		return string(code.JavaScript)
	}
	return string(l)
}
