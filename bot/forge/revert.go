package forge

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// ErrFirst is a commit that has nothing before it on its branch to go back to.
var ErrFirst = errors.New("there is no commit before it")

// Revert takes back the commit head, which fettle made and the branch points to: a
// commit of the tree before it is put on top, so that the branch only moves
// forward. *Conflict says that the branch stands elsewhere, or that the commit is
// somebody else's. Called again after a crash it returns the commit that it made.
func (c *Client) Revert(ctx context.Context, repo task.Repo, branch, head, message string, ledger Ledger) (string, error) {
	if err := CheckBranch(branch); err != nil {
		return "", err
	}
	if !hash.MatchString(head) {
		return "", fmt.Errorf("forge: the head %q has to be a full commit hash", head)
	}
	w := &committer{repo: repo, branch: branch, base: head, expect: head, ledger: ledger}
	return c.committing(ctx, w, message, "taking back the last commit on "+branch+" of "+repo.Slug(), w.back)
}

// back makes the commit, unless it is there.
func (w *committer) back(ctx context.Context) (string, error) {
	at, ours, err := w.inspect(ctx, w.expect)
	if err != nil {
		return "", err
	}
	if !ours {
		return "", &Conflict{Branch: w.branch, Want: w.expect, Head: w.expect}
	}
	if len(at.Parents) == 0 {
		return "", ErrFirst
	}
	before, _, err := w.inspect(ctx, at.Parents[0].GetSHA())
	if err != nil {
		return "", err
	}
	w.tree = before.GetTree().GetSHA()
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	if head != w.expect {
		return w.alreadyDone(ctx, head)
	}
	return w.make(ctx)
}
