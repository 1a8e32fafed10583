package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// wrong is an interpreter of another version than a manifest asks for.
type wrong struct {
	detect.Want
	have string
}

func (w wrong) note() string {
	return fmt.Sprintf("%s:%d asks for %s %s, and %s is there", w.File, w.Line, w.Language, w.Range, w.have)
}

func (w wrong) do() string {
	return fmt.Sprintf("install %s %s, or change %s in %s", w.Language, w.Range, w.Key, w.File)
}

var printed = lazyregexp.New(`\d+(?:\.\d+)+`)

// versions asks the interpreters of the plan for their versions, each once, and
// notes those that the manifests do not allow. One that is not there is for the
// checks to tell.
func (w *run) versions(ctx context.Context) error {
	seen := map[[2]string]string{}
	for _, want := range w.opt.Plan.Wants {
		key := [2]string{want.Program}
		dir := "."
		if strings.Contains(want.Program, "/") {
			key[1], dir = want.Dir, want.Dir
		}
		have, asked := seen[key]
		if !asked {
			argv := []string{want.Program, "--version"}
			if want.Language == "Go" {
				argv = []string{want.Program, "version"}
			}
			res, err := w.box.Run(ctx, sandbox.Command{Dir: dir, Argv: argv, Env: map[string]string{"GOTOOLCHAIN": "local", "GOWORK": "off"}})
			if err = runner.IgnoreMissing(err); err != nil {
				return fmt.Errorf("asking %s for its version: %w", want.Program, err)
			}
			if res.OK() {
				have = printed.FindString(string(res.Stdout))
			}
			seen[key] = have
		}
		if ok, known := detect.Allows(want.Range, have); known && !ok {
			bad := wrong{want, have}
			w.wrong = append(w.wrong, bad)
			w.result.Notes = append(w.result.Notes, bad.note())
		}
	}
	return nil
}

// outdated is what to do about the interpreter of a command, "" where it is of
// a version that the manifests allow.
func (w *run) outdated(c detect.Command) string {
	i := slices.IndexFunc(w.wrong, func(bad wrong) bool {
		return bad.Dir == c.Dir && slices.ContainsFunc(c.Needs, func(n detect.Need) bool { return n.Program == bad.Program || n.Python == bad.Program })
	})
	if i < 0 {
		return ""
	}
	return w.wrong[i].note() + ": " + w.wrong[i].do()
}
