package loop

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

const (
	withheld      = "(withheld)"
	shortestPiece = 8       // bytes; shorter words stand everywhere
	largestSecret = 1 << 20 // bytes of a file that is never sent, as far as it is looked at
	mostPieces    = 20_000
)

var (
	quotedPiece   = lazyregexp.New(`"([^"\n]{8,})"|'([^'\n]{8,})'|` + "`([^`\n]{8,})`")
	assignedPiece = lazyregexp.New(`[=:]\s*([^\s"'` + "`" + `,;(){}]{8,})`)
)

// withholder takes out of what tests print the pieces of files that are never
// sent: their lines, their quoted texts, what they assign. A test, or a change
// that a model wrote, can read such a file and print it. It finds pieces as
// they stand, not ones that were encoded or taken apart.
type withholder struct{ words *strings.Replacer }

// Withholder gives what takes the pieces of files that are never sent out of a text.
func Withholder(base fs.FS, files, never []string) func(string) string {
	return newWithholder(base, files, never).text
}

func newWithholder(base fs.FS, files, never []string) *withholder {
	pieces := map[string]bool{}
	for _, name := range files {
		if !patch.Match(never, name) {
			continue
		}
		src, err := fs.ReadFile(base, name)
		if err != nil {
			continue // what cannot be read cannot be printed by anybody either
		}
		piecesOf(string(first(src, largestSecret)), pieces)
	}
	if len(pieces) == 0 {
		return nil
	}
	longest := slices.SortedFunc(maps.Keys(pieces), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, p := range longest {
		pairs = append(pairs, p, withheld)
		if escaped := strings.Trim(fmt.Sprintf("%q", p), `"`); escaped != p {
			pairs = append(pairs, escaped, withheld)
		}
	}
	return &withholder{strings.NewReplacer(pairs...)}
}

func piecesOf(src string, into map[string]bool) {
	for line := range strings.Lines(src) {
		if len(into) > mostPieces {
			return
		}
		var found []string
		for _, re := range []*lazyregexp.Regexp{quotedPiece, assignedPiece} {
			for _, m := range re.FindAllStringSubmatch(line, -1) {
				found = append(found, m[1:]...)
			}
		}
		if line = strings.TrimSpace(line); len(line) >= 2*shortestPiece {
			found = append(found, line)
		}
		for _, p := range found {
			if len(p) >= shortestPiece {
				into[p] = true
			}
		}
	}
}

func (w *withholder) text(s string) string {
	if w == nil {
		return s
	}
	return w.words.Replace(s)
}

func (w *withholder) failures(all []task.Failure) {
	if w == nil {
		return
	}
	for i := range all {
		w.failure(&all[i])
	}
}

func (w *withholder) failure(f *task.Failure) {
	f.Exception, f.Message, f.Cause, f.Excerpt = w.text(f.Exception), w.text(f.Message), w.text(f.Cause), w.text(f.Excerpt)
	f.Missing = slices.Clone(f.Missing)
	for i := range f.Missing {
		f.Missing[i] = w.text(f.Missing[i])
	}
}

func (w *withholder) checks(all []task.Check) {
	for i := range all {
		all[i].Detail = w.text(all[i].Detail)
	}
}

func (w *withholder) report(r *verify.Report) {
	if w == nil {
		return
	}
	w.failures(r.Broken)
	w.checks(r.Checks)
	for i := range r.Tests {
		if f := r.Tests[i].Failure; f != nil {
			w.failure(f)
		}
	}
}

func (w *withholder) verdict(v *verify.Verdict) {
	w.failures(v.Failures)
	w.checks(v.Checks)
	for i := range v.Reasons {
		v.Reasons[i] = w.text(v.Reasons[i])
	}
}
