package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// PullRequest leaves one open pull request from head (a branch of the same
// repository) into base: the open one is found by its head and brought up to
// date in title, body and draft state, else one is made. Where a repository
// knows no drafts, the title says WIP instead and Draft is false.
//
// Merging it closes the issue closes (0: none) and no other: title and body
// hold no closing keyword when they leave, and this one is set behind them. A draft
// refers to the issue and does not close it.
func (c *Client) PullRequest(ctx context.Context, repo task.Repo, head, base, title, body string, closes int, draft bool) (task.PullRequest, error) {
	g, err := c.rest(repo)
	if err != nil {
		return task.PullRequest{}, err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return task.PullRequest{}, err
	}
	defer unlock()
	p := pull{c: c, g: g, repo: repo, head: head, base: base, draft: draft}
	p.title = c.title(title)
	p.body = clip(c.cfg.Funnel.Comment(body), maxComment)
	if closes > 0 {
		keyword := "Fixes"
		if draft {
			keyword = "Refs"
		}
		p.body = strings.TrimRight(p.body, "\n") + ends(keyword, closes)
	}
	got, err := p.findOrCreate(ctx)
	if err == nil {
		got, err = p.update(ctx, got)
	}
	if err != nil {
		return task.PullRequest{}, c.explain(fmt.Sprintf("opening the pull request %s into %s of %s", head, base, repo.Slug()), err)
	}
	return pullOf(got), nil
}

// ends is the last line of a pull request's text.
func ends(keyword string, issue int) string { return fmt.Sprintf("\n\n%s #%d\n", keyword, issue) }

// Closes makes a pull request, which as a draft only referred to the issue, close it
// when it is merged. A text whose end somebody changed stays as it is.
func (c *Client) Closes(ctx context.Context, repo task.Repo, n, issue int) error {
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return err
	}
	defer unlock()
	got, _, err := g.PullRequests.Get(ctx, repo.Owner, repo.Name, n)
	if err == nil {
		text, was := strings.TrimSpace(strings.ReplaceAll(got.GetBody(), "\r\n", "\n")), strings.TrimSpace(ends("Refs", issue))
		if head, ok := strings.CutSuffix(text, "\n"+was); ok {
			text = strings.TrimRight(head, "\n") + ends("Fixes", issue)
			_, _, err = g.PullRequests.Edit(ctx, repo.Owner, repo.Name, n, &github.PullRequest{Body: &text})
		}
	}
	return c.explain(fmt.Sprintf("making %s#%d close #%d", repo.Slug(), n, issue), err)
}

// pull is one pull request as it should be.
type pull struct {
	c           *Client
	g           *github.Client
	repo        task.Repo
	head, base  string
	title, body string
	draft       bool
}

func (p *pull) findOrCreate(ctx context.Context) (*github.PullRequest, error) {
	var got *github.PullRequest
	err := p.c.createOnce(ctx, func() (found bool, err error) {
		got, err = p.find(ctx)
		return got != nil, err
	}, func() (err error) {
		got, err = p.create(ctx, p.draft)
		if p.draft && refusedFor(err, "draft") {
			p.withoutDrafts()
			got, err = p.create(ctx, false)
		}
		if refusedFor(err, "already exists") {
			if got, err = p.find(ctx); err == nil && got == nil {
				err = errors.New("GitHub says that the pull request exists, but lists none that is open")
			}
		}
		return err
	})
	return got, err
}

// find looks through the open pull requests; GitHub ignores a head filter that
// it does not understand, so the answer is checked.
func (p *pull) find(ctx context.Context) (*github.PullRequest, error) {
	opts := &github.PullRequestListOptions{State: "open", Head: p.repo.Owner + ":" + p.head, ListOptions: github.ListOptions{PerPage: 100}}
	for {
		list, resp, err := p.g.PullRequests.List(ctx, p.repo.Owner, p.repo.Name, opts)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			if x.GetHead().GetRef() == p.head && strings.EqualFold(x.GetHead().GetRepo().GetFullName(), p.repo.Slug()) {
				return x, nil
			}
		}
		if resp.NextPage == 0 {
			return nil, nil
		}
		opts.Page = resp.NextPage
	}
}

func (p *pull) create(ctx context.Context, draft bool) (*github.PullRequest, error) {
	got, _, err := p.g.PullRequests.Create(ctx, p.repo.Owner, p.repo.Name, &github.NewPullRequest{
		Title: &p.title, Head: &p.head, Base: &p.base, Body: &p.body, Draft: &draft,
		MaintainerCanModify: nil, // only for forks
	})
	return got, err
}

// withoutDrafts says in the title what the missing draft state cannot.
func (p *pull) withoutDrafts() {
	p.draft = false
	if !strings.HasPrefix(p.title, "WIP: ") {
		p.title = p.c.title("WIP: " + p.title)
	}
}

// update brings title, body and draft state to what they should be.
func (p *pull) update(ctx context.Context, got *github.PullRequest) (*github.PullRequest, error) {
	if p.draft && !got.GetDraft() {
		err := p.c.setDraft(ctx, p.g, p.repo, got.GetNodeID(), true)
		switch {
		case err == nil:
			got.Draft = github.Bool(true)
		case strings.Contains(strings.ToLower(err.Error()), "draft") && !IsGone(err):
			p.withoutDrafts()
		default:
			return nil, err
		}
	}
	if !sameText(got.GetTitle(), p.title) || !sameText(got.GetBody(), p.body) {
		edited, _, err := p.g.PullRequests.Edit(ctx, p.repo.Owner, p.repo.Name, got.GetNumber(), &github.PullRequest{Title: &p.title, Body: &p.body})
		if err != nil {
			return nil, err
		}
		got = edited
	}
	if !p.draft && got.GetDraft() {
		if err := p.c.setDraft(ctx, p.g, p.repo, got.GetNodeID(), false); err != nil {
			return nil, err
		}
		got.Draft = github.Bool(false)
	}
	return got, nil
}

// refusedFor tells whether GitHub found a request invalid for this reason.
func refusedFor(err error, word string) bool {
	var e *github.ErrorResponse
	if !errors.As(err, &e) || status(err) != http.StatusUnprocessableEntity {
		return false
	}
	all := e.Message
	for _, x := range e.Errors {
		all += " " + x.Message
	}
	return strings.Contains(strings.ToLower(all), word)
}

// title is a text as it may be a title: the funnel is the last that it passes,
// for what was harmless on several lines or before a cut need not be after.
func (c *Client) title(s string) string {
	s = c.cfg.Funnel.Message(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > 250 {
		s = c.cfg.Funnel.Message(string(r[:240]) + "…")
	}
	return s
}
