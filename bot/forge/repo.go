package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// Repo asks GitHub what the repository is now: its name as written, clone URL
// (without credentials) and default branch.
func (c *Client) Repo(ctx context.Context, repo task.Repo) (task.Repo, error) {
	g, err := c.rest(repo)
	if err != nil {
		return task.Repo{}, err
	}
	r, _, err := g.Repositories.Get(ctx, repo.Owner, repo.Name)
	if err != nil {
		return task.Repo{}, c.explain("reading repository "+repo.Slug(), err)
	}
	out := repoOf(r, repo.Installation)
	if err := checkRepo(out); err != nil {
		return task.Repo{}, err
	}
	return out, nil
}

func repoOf(r *github.Repository, installation int64) task.Repo {
	return task.Repo{
		Installation: installation, Owner: r.GetOwner().GetLogin(), Name: r.GetName(),
		CloneURL: r.GetCloneURL(), HTMLURL: r.GetHTMLURL(), DefaultBranch: r.GetDefaultBranch(),
	}
}

// Issue reads an issue or pull request as it is now.
func (c *Client) Issue(ctx context.Context, repo task.Repo, n int) (task.Issue, error) {
	g, err := c.rest(repo)
	if err != nil {
		return task.Issue{}, err
	}
	i, _, err := g.Issues.Get(ctx, repo.Owner, repo.Name, n)
	if err != nil {
		return task.Issue{}, c.explain(fmt.Sprintf("reading issue %s#%d", repo.Slug(), n), err)
	}
	return issueOf(i), nil
}

func issueOf(i *github.Issue) task.Issue {
	out := task.Issue{
		Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody(), State: i.GetState(),
		URL: i.GetHTMLURL(), Author: i.GetUser().GetLogin(), IsPullRequest: i.IsPullRequest(),
	}
	for _, l := range i.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	return out
}

// login matches GitHub's user names, those of enterprise-managed users (with
// an underscore) and those of Apps.
var login = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})(?:\[bot\])?$`)

// Permission asks what the login may do in the repository: admin, write, read
// or none. GitHub counts the role maintain as write and triage as read.
func (c *Client) Permission(ctx context.Context, repo task.Repo, user string) (string, error) {
	if !login.MatchString(user) {
		return "none", nil
	}
	g, err := c.rest(repo)
	if err != nil {
		return "", err
	}
	p, _, err := g.Repositories.GetPermissionLevel(ctx, repo.Owner, repo.Name, url.PathEscape(user))
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && status(err) == http.StatusNotFound {
		return c.noPermission(ctx, repo, err)
	}
	if err != nil {
		return "", c.explain("asking for the permission of "+user+" on "+repo.Slug(), err)
	}
	switch level := p.GetPermission(); level {
	case "admin", "write", "read":
		return level, nil
	default:
		return "none", nil
	}
}

// noPermission tells an unknown user (none) from a repository that is gone.
func (c *Client) noPermission(ctx context.Context, repo task.Repo, cause error) (string, error) {
	if _, err := c.Repo(ctx, repo); err != nil {
		return "", c.explain("asking for a permission on "+repo.Slug(), cause)
	}
	return "none", nil
}

// React puts a reaction ("eyes", "+1", "rocket", …) on a comment, or on the
// issue itself when comment is 0. Doing it again changes nothing.
func (c *Client) React(ctx context.Context, repo task.Repo, issue int, comment int64, content string) error {
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	if comment != 0 {
		_, _, err = g.Reactions.CreateIssueCommentReaction(ctx, repo.Owner, repo.Name, comment, content)
	} else {
		_, _, err = g.Reactions.CreateIssueReaction(ctx, repo.Owner, repo.Name, issue, content)
	}
	return c.explain(fmt.Sprintf("reacting on %s#%d", repo.Slug(), issue), err)
}
