package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// maxPages bounds every list that is read to its end: a hundred each.
const maxPages = 20

// Reviews lists what was said about a pull request as a whole, the oldest first.
// What was said about lines stands in Threads.
func (c *Client) Reviews(ctx context.Context, repo task.Repo, n int) ([]task.Review, error) {
	g, err := c.rest(repo)
	if err != nil {
		return nil, err
	}
	var out []task.Review
	opts := &github.ListOptions{PerPage: 100}
	for range maxPages {
		list, resp, err := g.PullRequests.ListReviews(ctx, repo.Owner, repo.Name, n, opts)
		if err != nil {
			return nil, c.explain(fmt.Sprintf("reading the reviews of %s#%d", repo.Slug(), n), err)
		}
		for _, r := range list {
			out = append(out, task.Review{ID: r.GetID(), State: strings.ToLower(r.GetState()), Body: r.GetBody(), Author: r.GetUser().GetLogin(), URL: r.GetHTMLURL()})
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return out, nil
}

// ReplyThread answers a thread once: top is the id of its first comment. Where a
// reply of this key stands already, that one's address is returned.
func (c *Client) ReplyThread(ctx context.Context, repo task.Repo, n int, top int64, key, body string) (string, error) {
	g, err := c.rest(repo)
	if err != nil {
		return "", err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return "", err
	}
	defer unlock()
	what := fmt.Sprintf("answering a review of %s#%d", repo.Slug(), n)
	me, err := c.identity(ctx, repo.Installation)
	if err != nil {
		return "", c.explain(what, err)
	}
	marker := c.marker(repo, n, fmt.Sprintf("%s/%d", key, top))
	whole := marker + "\n" + clip(c.cfg.Funnel.Comment(body), maxComment)
	var got comment
	err = c.createOnce(ctx, func() (bool, error) {
		found, err := c.findReply(ctx, g, repo, n, marker, me)
		if found != nil {
			got = *found
		}
		return found != nil, err
	}, func() error {
		path := fmt.Sprintf("repos/%s/%s/pulls/%d/comments/%d/replies", repo.Owner, repo.Name, n, top)
		req, err := g.NewRequest(http.MethodPost, path, map[string]string{"body": whole})
		if err != nil {
			return err
		}
		_, err = g.Do(ctx, req, &got)
		return err
	})
	return got.URL, c.explain(what, err)
}

// findReply looks through the newest comments of a review for ours.
func (c *Client) findReply(ctx context.Context, g *github.Client, repo task.Repo, n int, marker, me string) (*comment, error) {
	query := url.Values{"per_page": {"100"}, "sort": {"created"}, "direction": {"desc"}}
	for page := 1; page != 0 && page <= maxPages; {
		query.Set("page", fmt.Sprint(page))
		req, err := g.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/pulls/%d/comments?%s", repo.Owner, repo.Name, n, query.Encode()), nil)
		if err != nil {
			return nil, err
		}
		var list []comment
		resp, err := g.Do(ctx, req, &list)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			if strings.HasPrefix(x.Body, marker) && c.wroteIt(x, me) {
				return &x, nil
			}
		}
		page = resp.NextPage
	}
	return nil, nil
}

// ReactReview puts a reaction on a comment of a review.
func (c *Client) ReactReview(ctx context.Context, repo task.Repo, comment int64, content string) error {
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	_, _, err = g.Reactions.CreatePullRequestCommentReaction(ctx, repo.Owner, repo.Name, comment, content)
	return c.explain("reacting on a review of "+repo.Slug(), err)
}

// Suggestions are the replacements that a comment of a review proposes for the
// lines it stands on: the insides of its suggestion blocks, each ending in a
// newline, or "" to delete the lines.
func Suggestions(body string) []string {
	var out []string
	fence, taken := "", false
	var text strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		bare := strings.TrimSpace(line)
		switch mark := leading(bare); {
		case fence == "" && len(mark) >= 3:
			fence, taken = mark, strings.TrimSpace(bare[len(mark):]) == "suggestion"
			text.Reset()
		case fence != "" && len(mark) >= len(fence) && bare == mark && mark[0] == fence[0]:
			if taken {
				out = append(out, text.String())
			}
			fence = ""
		case fence != "":
			text.WriteString(line + "\n")
		}
	}
	return out
}

// Pull reads a pull request as it is now.
func (c *Client) Pull(ctx context.Context, repo task.Repo, n int) (task.PullRequest, error) {
	g, err := c.rest(repo)
	if err != nil {
		return task.PullRequest{}, err
	}
	p, _, err := g.PullRequests.Get(ctx, repo.Owner, repo.Name, n)
	if err != nil {
		return task.PullRequest{}, c.explain(fmt.Sprintf("reading pull request %s#%d", repo.Slug(), n), err)
	}
	return pullOf(p), nil
}

// pullOf gives a pull request in our words.
func pullOf(p *github.PullRequest) task.PullRequest {
	out := task.PullRequest{
		Number: p.GetNumber(), URL: p.GetHTMLURL(), Title: p.GetTitle(), Draft: p.GetDraft(), Body: p.GetBody(),
		State: p.GetState(), Author: p.GetUser().GetLogin(), AuthorIsBot: p.GetUser().GetType() == "Bot", Head: p.GetHead().GetRef(), HeadSHA: p.GetHead().GetSHA(),
		HeadRepo: p.GetHead().GetRepo().GetFullName(), Base: p.GetBase().GetRef(), BaseSHA: p.GetBase().GetSHA(),
		Merged: p.GetMerged() || p.MergedAt != nil, MergeState: p.GetMergeableState(),
	}
	if out.Merged {
		out.MergeCommit = p.GetMergeCommitSHA()
	}
	return out
}

// DeleteBranch deletes a branch that stands at this commit; one that is gone, or
// that somebody has moved on, is left. It never deletes a default or protected one.
func (c *Client) DeleteBranch(ctx context.Context, repo task.Repo, branch, at string) (deleted bool, err error) {
	head, ok, err := c.BranchHead(ctx, repo, branch)
	if err != nil || !ok || head != at {
		return false, err
	}
	g, err := c.rest(repo)
	if err != nil {
		return false, err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := c.mayWrite(ctx, g, repo, branch); err != nil {
		return false, err
	}
	_, err = g.Git.DeleteRef(ctx, repo.Owner, repo.Name, "heads/"+branch)
	if status(err) == http.StatusUnprocessableEntity { // it is gone by now
		return false, nil
	}
	return err == nil, c.explain("deleting branch "+branch+" of "+repo.Slug(), err)
}
