package prepare

import (
	"context"
	"fmt"

	"github.com/fettle-dev/fettle/bot/checkout"
)

// Prepared is what was done for a tree.
type Prepared struct {
	Nothing  bool     `json:"nothing,omitempty"` // there is nothing to install
	Commands []string `json:"commands,omitempty"`
	Result   Result   `json:"result"`
}

// Tree has what the tests of a laid-out tree need installed: by the commands of the
// request, which are the repository's own, else, where the tree pins dependencies and
// neither it nor the folder that it was taken from holds any, by those that were
// detected. What the folder has installed is shown, or copied into the tree. Of the
// request it sets what the tree tells. Without a Session nothing is run or shown.
func (s *Session) Tree(ctx context.Context, tree *checkout.Tree, req Request, detected []string) (Prepared, error) {
	req.Dir, req.Tree, req.Named = tree.Dir(), tree.BaseFS(), true
	installed := tree.Installed()
	switch lacking := Pinned(req.Tree, installed...); {
	case !lacking && len(installed) > 0: // whoever works here did it
		req.Commands, req.Named = nil, false
	case lacking && len(req.Commands) == 0:
		req.Commands, req.Named = detected, false
	}
	if len(req.Commands) == 0 && len(installed) == 0 {
		return Prepared{Nothing: true}, nil
	}
	out := Prepared{Commands: req.Commands, Result: Result{State: NotRun, Named: req.Named, Reason: "nothing here runs setup commands"}}
	var err error
	req.Folder = tree.Folder()
	if req.Installed, err = s.Installed(ctx, tree); err != nil {
		return out, err
	}
	if s == nil || len(req.Commands) == 0 && len(req.Installed) == 0 {
		out.Nothing = len(req.Commands) == 0
		return out, nil
	}
	if out.Result, err = s.Prepare(ctx, req); err != nil {
		return out, fmt.Errorf("installing dependencies: %w", err)
	}
	return out, nil
}
