package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// Deliveries lists what GitHub has tried to deliver to the App since then, over
// all installations, the newest first, at most limit. GitHub keeps three days of
// them (seven on Enterprise Server), and does not deliver again by itself.
func (c *Client) Deliveries(ctx context.Context, since time.Time, limit int) ([]task.HookDelivery, error) {
	var out []task.HookDelivery
	opts := &github.ListCursorOptions{PerPage: 100}
	for {
		list, resp, err := c.app(0).Apps.ListHookDeliveries(ctx, opts)
		if err != nil {
			return nil, c.explain("listing the App's deliveries", err)
		}
		for _, d := range list {
			if d.GetDeliveredAt().Before(since) || len(out) == limit {
				return out, nil
			}
			out = append(out, task.HookDelivery{ID: d.GetID(), GUID: d.GetGUID(), Event: d.GetEvent(), At: d.GetDeliveredAt().Time, StatusCode: d.GetStatusCode(), Redelivery: d.GetRedelivery()})
		}
		if resp.Cursor == "" {
			return out, nil
		}
		opts.Cursor = resp.Cursor
	}
}

// Redeliver asks GitHub to deliver an attempt's event again, under the same id.
func (c *Client) Redeliver(ctx context.Context, delivery int64) error {
	_, _, err := c.app(0).Apps.RedeliverHookDelivery(ctx, delivery)
	var accepted *github.AcceptedError
	if errors.As(err, &accepted) {
		return nil
	}
	return c.explain(fmt.Sprintf("asking for delivery %d again", delivery), err)
}

// Installations lists where the App is installed and not suspended.
func (c *Client) Installations(ctx context.Context) ([]int64, error) {
	var out []int64
	opts := &github.ListOptions{PerPage: 100}
	for range maxPages {
		list, resp, err := c.app(0).Apps.ListInstallations(ctx, opts)
		if err != nil {
			return nil, c.explain("listing the App's installations", err)
		}
		for _, in := range list {
			if in.SuspendedAt == nil {
				out = append(out, in.GetID())
			}
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return out, nil
}

// Account is whose installation this is: the login of a user or organisation.
func (c *Client) Account(ctx context.Context, installation int64) (string, error) {
	in, _, err := c.app(installation).Apps.GetInstallation(ctx, installation)
	if err != nil {
		return "", c.explain(fmt.Sprintf("reading installation %d", installation), err)
	}
	return in.GetAccount().GetLogin(), nil
}

// Repositories lists what an installation can reach; archived ones are left out.
func (c *Client) Repositories(ctx context.Context, installation int64) ([]task.Repo, error) {
	g := c.github(&transport{c: c, wire: c.wire, installation: installation, repo: everyRepo, asInstallation: true})
	var out []task.Repo
	opts := &github.ListOptions{PerPage: 100}
	for range maxPages {
		list, resp, err := g.Apps.ListRepos(ctx, opts)
		if err != nil {
			return nil, c.explain(fmt.Sprintf("listing the repositories of installation %d", installation), err)
		}
		for _, r := range list.Repositories {
			one := repoOf(r, installation)
			if !r.GetArchived() && checkRepo(one) == nil {
				out = append(out, one)
			}
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return out, nil
}

// LabelledIssues lists the open issues with this label, pull requests left out, the
// least recently changed first, at most limit.
func (c *Client) LabelledIssues(ctx context.Context, repo task.Repo, label string, limit int) ([]task.Issue, error) {
	g, err := c.rest(repo)
	if err != nil {
		return nil, err
	}
	var out []task.Issue
	opts := &github.IssueListByRepoOptions{State: "open", Labels: []string{label}, Sort: "updated", Direction: "asc", ListOptions: github.ListOptions{PerPage: 100}}
	for range maxPages {
		list, resp, err := g.Issues.ListByRepo(ctx, repo.Owner, repo.Name, opts)
		if err != nil {
			return nil, c.explain("listing the issues of "+repo.Slug()+" with the label "+label, err)
		}
		for _, i := range list {
			if i.IsPullRequest() {
				continue
			}
			if out = append(out, issueOf(i)); len(out) == limit {
				return out, nil
			}
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return out, nil
}

// templatePlaces is where GitHub looks for a pull request template, in its order.
var templatePlaces = []string{".github", "", "docs"}

// Template is the repository's pull request template at a ref, or "": the one that
// GitHub would put into a new pull request. Of a folder with several, none is.
func (c *Client) Template(ctx context.Context, repo task.Repo, ref string) (string, error) {
	g, err := c.rest(repo)
	if err != nil {
		return "", err
	}
	what := "reading the pull request template of " + repo.Slug()
	at := &github.RepositoryContentGetOptions{Ref: ref}
	for _, place := range templatePlaces {
		_, files, _, err := g.Repositories.GetContents(ctx, repo.Owner, repo.Name, place, at)
		if status(err) == http.StatusNotFound {
			continue
		}
		if err != nil {
			return "", c.explain(what, err)
		}
		i := slices.IndexFunc(files, func(f *github.RepositoryContent) bool { return f.GetType() == "file" && isTemplate(f.GetName()) })
		if i < 0 {
			continue
		}
		file, _, _, err := g.Repositories.GetContents(ctx, repo.Owner, repo.Name, path.Join(place, files[i].GetName()), at)
		if err != nil {
			return "", c.explain(what, err)
		}
		text, err := file.GetContent()
		if err != nil {
			return "", c.explain(what, err)
		}
		return text, nil
	}
	return "", nil
}

// File is a text file of the repository at a ref, or "" where there is none.
func (c *Client) File(ctx context.Context, repo task.Repo, ref, name string) (string, error) {
	g, err := c.rest(repo)
	if err != nil {
		return "", err
	}
	file, _, _, err := g.Repositories.GetContents(ctx, repo.Owner, repo.Name, name, &github.RepositoryContentGetOptions{Ref: ref})
	switch {
	case status(err) == http.StatusNotFound:
		return "", nil
	case err != nil:
		return "", c.explain("reading "+name+" of "+repo.Slug(), err)
	case file == nil || file.GetType() != "file": // a folder, a link, a submodule
		return "", nil
	}
	text, err := file.GetContent()
	if err != nil {
		return "", c.explain("reading "+name+" of "+repo.Slug(), err)
	}
	return text, nil
}

func isTemplate(name string) bool {
	low := strings.ToLower(name)
	return low == "pull_request_template" || low == "pull_request_template.md" || low == "pull_request_template.txt"
}
