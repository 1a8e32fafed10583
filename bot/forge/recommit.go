package forge

import (
	"context"
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// Recommit puts a commit of the same tree with another message on top of head,
// which fettle made and the branch points to. It is how CI is asked to run that
// the message of head asked to skip: the branch only moves forward. *Conflict
// says that the branch stands elsewhere. Called again after a crash it returns
// the commit that it made.
func (c *Client) Recommit(ctx context.Context, repo task.Repo, branch, head, message string, ledger Ledger) (string, error) {
	if err := CheckBranch(branch); err != nil {
		return "", err
	}
	if !hash.MatchString(head) {
		return "", fmt.Errorf("forge: the head %q has to be a full commit hash", head)
	}
	w := &committer{repo: repo, branch: branch, base: head, expect: head, ledger: ledger}
	return c.committing(ctx, w, message, "committing to "+branch+" of "+repo.Slug()+" once more", w.again)
}

// again makes the commit, unless it is there.
func (w *committer) again(ctx context.Context) (string, error) {
	at, ours, err := w.inspect(ctx, w.expect)
	if err != nil {
		return "", err
	}
	if !ours {
		return "", &Conflict{Branch: w.branch, Want: w.expect, Head: w.expect}
	}
	w.tree = at.GetTree().GetSHA()
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	if head != w.expect {
		return w.alreadyDone(ctx, head)
	}
	return w.make(ctx)
}
