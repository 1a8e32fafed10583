package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// graphql sends one query and reads its data. What GraphQL refuses, with status
// 200, gets the meaning that REST's refusals have.
func (c *Client) graphql(ctx context.Context, g *github.Client, repo task.Repo, name, query string, vars map[string]any, data any) error {
	req, err := g.NewRequest(http.MethodPost, "../graphql", map[string]any{"query": query, "variables": vars})
	if err != nil {
		return err
	}
	answer := struct {
		Data   any          `json:"data"`
		Errors []graphError `json:"errors"`
	}{Data: data}
	if _, err := g.Do(ctx, req, &answer); err != nil {
		return err
	}
	if len(answer.Errors) == 0 {
		return nil
	}
	first := answer.Errors[0]
	err = fmt.Errorf("%s: GitHub refused it: %s", name, first.Message)
	switch first.Type {
	case "RATE_LIMITED":
		return c.limits.block(ctx, repo.Installation, unstatedPause, "GraphQL")
	case "NOT_FOUND":
		return &goneError{what: name, err: err}
	case "FORBIDDEN":
		return &MissingPermission{What: name, Permission: "pull_requests=write", Grant: c.grant(repo.Installation), err: err}
	}
	return err
}

type graphError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// SetDraft makes a pull request a draft, or ready for review; only GraphQL can.
// Done again, it changes nothing.
func (c *Client) SetDraft(ctx context.Context, repo task.Repo, n int, draft bool) error {
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return err
	}
	defer unlock()
	what := fmt.Sprintf("making %s#%d ready for review", repo.Slug(), n)
	if draft {
		what = fmt.Sprintf("making %s#%d a draft", repo.Slug(), n)
	}
	got, _, err := g.PullRequests.Get(ctx, repo.Owner, repo.Name, n)
	if err == nil && got.GetDraft() != draft {
		err = c.setDraft(ctx, g, repo, got.GetNodeID(), draft)
	}
	return c.explain(what, err)
}

func (c *Client) setDraft(ctx context.Context, g *github.Client, repo task.Repo, node string, draft bool) error {
	name := "markPullRequestReadyForReview"
	if draft {
		name = "convertPullRequestToDraft"
	}
	query := "mutation($id:ID!){" + name + "(input:{pullRequestId:$id}){pullRequest{isDraft}}}"
	var data map[string]struct {
		PullRequest struct {
			IsDraft bool `json:"isDraft"`
		} `json:"pullRequest"`
	}
	if err := c.graphql(ctx, g, repo, name, query, map[string]any{"id": node}, &data); err != nil {
		return err
	}
	if data[name].PullRequest.IsDraft != draft {
		return fmt.Errorf("%s changed nothing; look at the pull request's draft state", name)
	}
	return nil
}

// threadsQuery asks for a page of a pull request's threads.
const threadsQuery = `query($owner:String!,$name:String!,$number:Int!,$after:String){
repository(owner:$owner,name:$name){pullRequest(number:$number){reviewThreads(first:50,after:$after){
pageInfo{hasNextPage endCursor}
nodes{id isResolved isOutdated path line startLine comments(first:100){
nodes{fullDatabaseId body diffHunk author{login __typename} pullRequestReview{fullDatabaseId}}}}}}}}`

type threadPage struct {
	Repository struct {
		PullRequest *struct {
			ReviewThreads struct {
				PageInfo struct {
					HasNextPage bool   `json:"hasNextPage"`
					EndCursor   string `json:"endCursor"`
				} `json:"pageInfo"`
				Nodes []struct {
					ID         string `json:"id"`
					IsResolved bool   `json:"isResolved"`
					IsOutdated bool   `json:"isOutdated"`
					Path       string `json:"path"`
					Line       int    `json:"line"`
					StartLine  int    `json:"startLine"`
					Comments   struct {
						Nodes []threadComment `json:"nodes"`
					} `json:"comments"`
				} `json:"nodes"`
			} `json:"reviewThreads"`
		} `json:"pullRequest"`
	} `json:"repository"`
}

type threadComment struct {
	ID       int64  `json:"fullDatabaseId,string"` // databaseId ends at 32 bits, which ids of comments do not
	Body     string `json:"body"`
	DiffHunk string `json:"diffHunk"`
	Author   *struct {
		Login string `json:"login"`
		Type  string `json:"__typename"`
	} `json:"author"`
	Review *struct {
		ID int64 `json:"fullDatabaseId,string"`
	} `json:"pullRequestReview"`
}

// maxThreadPages bounds how many threads are looked at: fifty a page.
const maxThreadPages = 20

// Threads lists the review threads of a pull request, the resolved ones among
// them, each with its first hundred comments.
func (c *Client) Threads(ctx context.Context, repo task.Repo, n int) ([]task.Thread, error) {
	g, err := c.rest(repo)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("reading the review threads of %s#%d", repo.Slug(), n)
	vars := map[string]any{"owner": repo.Owner, "name": repo.Name, "number": n, "after": nil}
	var out []task.Thread
	for range maxThreadPages {
		var page threadPage
		if err := c.graphql(ctx, g, repo, "reviewThreads", threadsQuery, vars, &page); err != nil {
			return nil, c.explain(what, err)
		}
		p := page.Repository.PullRequest
		if p == nil {
			return nil, &goneError{what: what, err: errors.New("GitHub knows no such pull request")}
		}
		for _, x := range p.ReviewThreads.Nodes {
			t := task.Thread{ID: x.ID, Path: x.Path, Line: x.Line, StartLine: x.StartLine, Resolved: x.IsResolved, Outdated: x.IsOutdated}
			for _, m := range x.Comments.Nodes {
				t.Comments = append(t.Comments, m.task())
			}
			out = append(out, t)
		}
		if !p.ReviewThreads.PageInfo.HasNextPage {
			break
		}
		vars["after"] = p.ReviewThreads.PageInfo.EndCursor
	}
	return out, nil
}

// task gives the comment in our words; GraphQL names an App without the [bot]
// that REST and webhooks put behind its login.
func (m threadComment) task() task.ReviewComment {
	out := task.ReviewComment{ID: m.ID, Body: m.Body, Hunk: m.DiffHunk}
	if m.Review != nil {
		out.Review = m.Review.ID
	}
	if m.Author != nil {
		out.Author, out.IsBot = m.Author.Login, m.Author.Type == "Bot"
		if out.IsBot {
			out.Author += "[bot]"
		}
	}
	return out
}

// ResolveThread marks a thread of a review, by its id, as resolved. Done again,
// it changes nothing.
func (c *Client) ResolveThread(ctx context.Context, repo task.Repo, id string) error {
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	const name = "resolveReviewThread"
	var data map[string]struct {
		Thread struct {
			IsResolved bool `json:"isResolved"`
		} `json:"thread"`
	}
	query := "mutation($id:ID!){" + name + "(input:{threadId:$id}){thread{isResolved}}}"
	err = c.graphql(ctx, g, repo, name, query, map[string]any{"id": id}, &data)
	if err == nil && !data[name].Thread.IsResolved {
		err = fmt.Errorf("%s changed nothing; look at the thread", name)
	}
	return c.explain("resolving a review thread of "+repo.Slug(), err)
}
