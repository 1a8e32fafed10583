package loop

import (
	"context"
	"fmt"
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
type prepared struct {
	Nothing  bool           `json:"nothing,omitempty"` // there is nothing to install
	Commands []string       `json:"commands,omitempty"`
	Result   prepare.Result `json:"result"`
}

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
	req := prepare.Request{
		Installation: p.Repo.Installation, Repo: p.Repo.Slug(), Dir: h.tree.Dir(), Tree: h.tree.BaseFS(),
		Commands: p.Commands, Named: true, Default: p.Default, Progress: p.progress,
	}
	installed := h.tree.Installed()
	switch lacking := prepare.Pinned(req.Tree, installed...); {
	case !lacking && len(installed) > 0: // whoever works here did it
		req.Commands, req.Named = nil, false
	case lacking && len(req.Commands) == 0:
		req.Commands, req.Named = tree.Plan().Setup, false
	}
	if len(req.Commands) == 0 && len(installed) == 0 {
		return prepared{Nothing: true}, nil
	}
	out := prepared{Commands: req.Commands, Result: prepare.Result{State: prepare.NotRun, Named: req.Named, Reason: "nothing here runs setup commands"}}
	var copied []string
	for _, f := range installed {
		if req.Folder = h.tree.Folder(); h.Setup != nil && h.Setup.CanShow(f) {
			req.Installed = append(req.Installed, f)
		} else {
			copied = append(copied, f)
		}
	}
	if err := h.tree.CopyInstalled(ctx, copied); err != nil {
		return out, err
	}
	if h.Setup == nil || len(req.Commands) == 0 && len(req.Installed) == 0 {
		out.Nothing = len(req.Commands) == 0
		return out, nil
	}
	if out.Result, err = h.Setup.Prepare(ctx, req); err != nil {
		return out, fmt.Errorf("installing dependencies: %w", err)
	}
	return out, nil
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
