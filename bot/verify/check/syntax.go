package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// What the syntax level leaves alone: sources that are wrong on purpose.
var wrongOnPurpose = []string{"testdata", "fixtures", "__fixtures__", "fixture", "corpus", "data"}

// syntax parses the sources of the tree, or those that changed. Nothing is run
// for it.
func (w *run) syntax(ctx context.Context) Check {
	out := Check{Name: "syntax", Kind: "syntax", Required: true, Status: Passed}
	begun := w.cfg.Now()
	files := 0
	var large []string
	for _, f := range w.tree.Files {
		if w.opt.Profile == Fast && len(w.opt.Changed) > 0 && !slices.Contains(w.opt.Changed, f) {
			continue
		}
		if onPurpose(f) || ctx.Err() != nil {
			continue
		}
		if bad, ok := w.tree.Fault(f); ok {
			out.Failures = append(out.Failures, syntaxFailure(f, code.SyntaxError{Line: bad.Line, Message: bad.Message}))
			files++
			continue
		}
		if !sources[path.Ext(f)] {
			continue
		}
		src := w.tree.Read(f)
		if len(src) >= tooLarge {
			large = append(large, f)
		}
		if len(src) >= tooLarge || src == "" {
			continue
		}
		files++
		errs, err := code.Check(ctx, f, []byte(src))
		if err != nil {
			continue // a language or size that the parser does not take: no finding
		}
		if len(errs) > 0 {
			out.Failures = append(out.Failures, syntaxFailure(f, errs[0]))
		}
	}
	out.Seconds = seconds(w.cfg.Now().Sub(begun))
	out.Detail = task.Count(files, "file")
	if out.Failed = len(out.Failures); out.Failed > 0 {
		out.Status = Failed
		out.Detail = fmt.Sprintf("%d of %s cannot be parsed", out.Failed, out.Detail)
	}
	if len(large) > 0 {
		out.Detail += fmt.Sprintf("; not parsed, as larger than 512 KiB: %s", strings.Join(large[:min(len(large), 5)], ", "))
		if more := len(large) - 5; more > 0 {
			out.Detail += fmt.Sprintf(" and %d more", more)
		}
	}
	if files == 0 && len(large) == 0 {
		return Check{}
	}
	return out
}

// tooLarge is what Read gives at most: the end of such a file is not known.
const tooLarge = 512 << 10

var sources = map[string]bool{".py": true, ".js": true, ".mjs": true, ".cjs": true, ".jsx": true, ".ts": true, ".tsx": true, ".mts": true, ".cts": true, ".go": true}

func onPurpose(f string) bool {
	for d := path.Dir(f); d != "."; d = path.Dir(d) {
		if slices.Contains(wrongOnPurpose, path.Base(d)) {
			return true
		}
	}
	return false
}

func syntaxFailure(file string, e code.SyntaxError) task.Failure {
	f := task.Failure{Suite: "syntax", Kind: task.FailSyntax, Exception: "SyntaxError", File: file, Line: e.Line, Message: e.Message}
	f.Fingerprint = parse.Fingerprint(f)
	return f
}
