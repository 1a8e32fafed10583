package forge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// SignedOff begins the trailer with which a commit's author vouches for it (DCO).
const SignedOff = "Signed-off-by: "

// message is a commit's message as it may leave. The App's own sign-off is set
// behind what the funnel has passed, which would see a mention in its address.
func (c *Client) message(whole string) string {
	whole, own := strings.TrimSpace(whole), c.signature.Load()
	signed := false
	if own != nil {
		whole, signed = strings.CutSuffix(whole, "\n"+SignedOff+*own)
	}
	out := strings.TrimSpace(c.cfg.Funnel.Message(whole))
	if signed {
		out += "\n" + SignedOff + *own
	}
	return out + "\n"
}

// Signature is the App as the author of a commit that is made through the API:
// name and address, as Signed-off-by needs them. The number in the address is the
// bot's user id, which GitHub tells with each comment of it; issue is one that the
// App may react on, where none was seen yet.
func (c *Client) Signature(ctx context.Context, repo task.Repo, issue int) (string, error) {
	login, err := c.identity(ctx, repo.Installation)
	if err != nil {
		return "", err
	}
	id := c.userID.Load()
	if id == 0 {
		g, err := c.rest(repo)
		if err != nil {
			return "", err
		}
		r, _, err := g.Reactions.CreateIssueReaction(ctx, repo.Owner, repo.Name, issue, "eyes") // it stands there already
		if err != nil {
			return "", c.explain("asking GitHub for the App's user id", err)
		}
		id = r.GetUser().GetID()
		c.userID.Store(id)
	}
	host := strings.TrimPrefix(c.base.Hostname(), "api.")
	if !strings.Contains(host, ".") || loopback(host) { // the simulator
		host = "github.com"
	}
	who := fmt.Sprintf("%s <%d+%s@users.noreply.%s>", login, id, login, host)
	c.signature.Store(&who)
	return who, nil
}

// Verified tells whether GitHub shows a commit as verified.
func (c *Client) Verified(ctx context.Context, repo task.Repo, sha string) (bool, error) {
	g, err := c.rest(repo)
	if err != nil {
		return false, err
	}
	at, _, err := g.Git.GetCommit(ctx, repo.Owner, repo.Name, sha)
	if err != nil {
		return false, c.explain("reading commit "+sha, err)
	}
	return at.GetVerification().GetVerified(), nil
}

// Labeller is who put a label on an issue last: its login, and whether it is a
// bot. An error where GitHub does not tell.
func (c *Client) Labeller(ctx context.Context, repo task.Repo, issue int, label string) (login string, bot bool, err error) {
	g, err := c.rest(repo)
	if err != nil {
		return "", false, err
	}
	what := fmt.Sprintf("asking who labelled %s#%d", repo.Slug(), issue)
	opts := &github.ListOptions{PerPage: 100}
	for range maxPages {
		list, resp, err := g.Issues.ListIssueEvents(ctx, repo.Owner, repo.Name, issue, opts)
		if err != nil {
			return "", false, c.explain(what, err)
		}
		for _, e := range list { // the oldest first
			if e.GetEvent() == "labeled" && e.GetLabel().GetName() == label {
				login, bot = e.GetActor().GetLogin(), e.GetActor().GetType() == "Bot"
			}
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	if login == "" {
		return "", false, fmt.Errorf("%s: %w", what, errors.New("GitHub names nobody; put the label on again"))
	}
	return login, bot, nil
}
