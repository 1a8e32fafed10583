package loop

import (
	"context"
	"strings"

	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// setup has the dependencies installed that the checks need, apart from them
// (SPEC C1): by the commands of the repository's own file, else, where the tree
// pins dependencies and holds none, by those that were detected. From then on
// all commands of the run's sandbox see what was installed. A run that is taken
// up again does it again, and mostly finds it in the cache.
func (r *run) setup(ctx context.Context) error {
	if err := r.progress(ctx, "setup", "", "looking for dependencies to install"); err != nil {
		return err
	}
	got, err := r.prepare(ctx, preparing{
		Needs: r.in.Needs, Repo: r.in.Task.Repo, Commands: r.in.Setup, Default: r.in.DefaultBranch,
		progress: func(note string) {
			if err := r.show(ctx, "setup", "", note); err != nil {
				r.log.WithError(err).Warn("progress was not stored")
			}
		},
	})
	if err != nil || got.Nothing {
		return err
	}
	res := got.Result
	r.installed = res
	r.state.Setup = ""
	if res.Named {
		r.state.Setup = join(res.Words(), res.Do)
	}
	return r.note(ctx, "setup", string(res.State), map[string]any{
		"commands": got.Commands, "named": res.Named, "reason": res.Reason, "output": res.Output, "hosts": res.Visits, "notes": res.Notes, "kept": res.Kept, "seconds": res.Seconds,
	})
}

// preparing is what the installer of dependencies is asked.
type preparing struct {
	Repo     task.Repo
	Commands []string       // of the repository's own file
	Default  bool           // the tree is a commit of the default branch
	Needs    settings.Needs `json:",omitzero"`

	progress func(note string)
}

// prepared is what it did.
type prepared prepare.Prepared

func (h *real) prepare(ctx context.Context, p preparing) (prepared, error) {
	tree, err := detect.Scan(h.tree.BaseFS())
	if err != nil {
		return prepared{}, err
	}
	if h.Setup != nil {
		if err := h.Setup.Need(p.Needs, tree.WantsGit()); err != nil {
			return prepared{}, err
		}
	}
	got, err := h.Setup.Tree(ctx, h.tree, prepare.Request{
		Installation: p.Repo.Installation, Repo: p.Repo.Slug(), Commands: p.Commands, Default: p.Default, Progress: p.progress,
	}, tree.Plan().Setup)
	return prepared(got), err
}

// withSetup adds to a reason what went wrong when the dependencies were to be
// installed: it is mostly why.
func (r *run) withSetup(reason string) string {
	words := r.installed.Words()
	if words == "" {
		return reason
	}
	if !r.installed.Named {
		words += " (the commands were detected)"
	}
	text := reason + ". The " + join(words, r.installed.Do) + "."
	if r.installed.Output != "" {
		text += " It printed last:\n" + r.installed.Output
	}
	return text
}

func join(words, do string) string {
	if words == "" || do == "" {
		return words
	}
	return strings.TrimSuffix(words, ".") + "; " + do
}
