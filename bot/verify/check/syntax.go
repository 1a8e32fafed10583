package check

import (
	"context"
	"fmt"
	"path"
	"slices"

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
	for _, f := range w.tree.Files {
		if w.opt.Profile == Fast && len(w.opt.Changed) > 0 && !slices.Contains(w.opt.Changed, f) {
			continue
		}
		if !sources[path.Ext(f)] || onPurpose(f) || ctx.Err() != nil {
			continue
		}
		src := w.tree.Read(f)
		if len(src) >= 512<<10 || src == "" {
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
	out.Detail = count(files, "file")
	if out.Failed = len(out.Failures); out.Failed > 0 {
		out.Status = Failed
		out.Detail = fmt.Sprintf("%d of %s cannot be parsed", out.Failed, out.Detail)
	}
	if files == 0 {
		return Check{}
	}
	return out
}

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
