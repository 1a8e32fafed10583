package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// inside is where the tree stands in the sandbox.
const inside = "/work"

// Caps of what a failure keeps.
const (
	maxExcerpt = 4 << 10
	maxMessage = 2 << 10
	maxFrames  = 40
)

// relative turns a path seen inside the sandbox into one from the tree's root;
// ok is false for a path that lies outside. A relative path is taken from dir.
func relative(p, dir string) (string, bool) {
	p = strings.TrimPrefix(p, "file://")
	if !path.IsAbs(p) {
		p = path.Join(inside, dir, p)
	}
	p = path.Clean(p)
	if rest, ok := strings.CutPrefix(p, inside+"/"); ok {
		return rest, true
	}
	return p, false
}

// clip keeps head and tail of a text and makes it valid UTF-8.
func clip(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	const gap = "\n[...]\n"
	half := (limit - len(gap)) / 2
	return strings.ToValidUTF8(text[:half], "") + gap + strings.ToValidUTF8(text[len(text)-half:], "")
}

// locate sets File and Line to the innermost frame inside the tree, when the
// trace has one and it is not in an installed dependency.
func locate(f *task.Failure) {
	for i := len(f.Trace) - 1; i >= 0; i-- {
		fr := f.Trace[i]
		if fr.Foreign() {
			continue
		}
		f.File, f.Line = fr.File, fr.Line
		return
	}
}

// finish caps a failure's texts and computes its fingerprint.
func finish(f task.Failure) task.Failure {
	f.Message = clip(strings.TrimSpace(f.Message), maxMessage)
	f.Excerpt = clip(f.Excerpt, maxExcerpt)
	if len(f.Trace) > maxFrames {
		f.Trace = append(append([]task.Frame{}, f.Trace[:10]...), f.Trace[len(f.Trace)-maxFrames+10:]...)
	}
	f.Fingerprint = fingerprint(f)
	return f
}

// What differs between two runs of the same failure.
var unstable = []struct {
	re *lazyregexp.Regexp
	by string
}{
	{lazyregexp.New(`\b0x[0-9a-fA-F]+\b`), "ADDR"},
	{lazyregexp.New(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?`), "TIME"},
	{lazyregexp.New(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), "UUID"},
	{lazyregexp.New(`(?:[A-Za-z]:)?(?:/[\w.@+-]+){2,}`), "PATH"},
	{lazyregexp.New(`\b[0-9a-f]{12,}\b`), "HEX"},
	{lazyregexp.New(`\d+(?:\.\d+)?(?:e[+-]?\d+)?`), "N"},
	{lazyregexp.New(`\s+`), " "},
}

// normalise takes numbers, addresses, paths and times out of a message.
func normalise(text string) string {
	for _, u := range unstable {
		text = u.re.ReplaceAllString(text, u.by)
	}
	return strings.TrimSpace(text)
}

// fingerprint is stable over line numbers, paths, addresses and times: 16 hex
// digits over the test, the kind, the exception, the normalised message and
// the innermost function.
func fingerprint(f task.Failure) string {
	where := path.Base(f.File)
	if n := len(f.Trace); n > 0 {
		where += " " + f.Trace[n-1].Function
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{
		f.Suite, f.Test, string(f.Kind), f.Exception, normalise(f.Message), where}, "\x00")))
	return hex.EncodeToString(sum[:8])
}
