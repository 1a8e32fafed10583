package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// Standing is what GitHub says of the App now.
type Standing struct {
	Slug, Owner string
	Lacks       []Need   // permissions of the table that the App does not ask for
	Deaf        []Need   // events of the table that it does not hear
	Surplus     []string // permissions that it asks for and that fettle does not use
	Settings    string   // page where they are changed
	Install     string   // page where it is installed
	Installed   []Installed
}

// Installed is an installation of the App.
type Installed struct {
	ID        int64
	Account   string
	Lacks     []Need // permissions that its owner has not granted
	Grant     string // page where they are
	Suspended bool
}

// Hook is where GitHub delivers.
type Hook struct {
	URL      string
	JSON     bool
	Secret   bool // one is set; GitHub does not say which
	Insecure bool // certificates are not verified
}

// Inspect asks GitHub about the App and its installations.
func (c *Client) Inspect(ctx context.Context) (Standing, error) {
	a, _, err := c.app(0).Apps.Get(ctx, "")
	if err != nil {
		if status(err) == http.StatusUnauthorized {
			return Standing{}, fmt.Errorf("GitHub does not accept this App's key; check github.app_id, the private key and this machine's clock: %w", err)
		}
		return Standing{}, c.explain("asking GitHub about the App", err)
	}
	organisation := a.GetOwner().GetType() == "Organization"
	s := Standing{Slug: a.GetSlug(), Owner: a.GetOwner().GetLogin(), Lacks: missing(a.Permissions)}
	s.Settings = settingsURL(c.base, s.Slug, s.Owner, organisation)
	s.Install = webURL(c.base, "/apps/"+s.Slug+"/installations/new").String()
	for _, e := range Events() {
		if !slices.Contains(a.Events, e.Name) {
			s.Deaf = append(s.Deaf, e)
		}
	}
	s.Surplus = surplus(a.Permissions)
	opts := &github.ListOptions{PerPage: 100}
	for range maxPages {
		list, resp, err := c.app(0).Apps.ListInstallations(ctx, opts)
		if err != nil {
			return s, c.explain("listing the App's installations", err)
		}
		for _, in := range list {
			s.Installed = append(s.Installed, Installed{ID: in.GetID(), Account: in.GetAccount().GetLogin(), Lacks: missing(in.Permissions), Grant: c.grantURL(in.GetID()), Suspended: in.SuspendedAt != nil})
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return s, nil
}

// Hook asks where GitHub delivers.
func (c *Client) Hook(ctx context.Context) (Hook, error) {
	h, _, err := c.app(0).Apps.GetHookConfig(ctx)
	if err != nil {
		return Hook{}, c.explain("asking for the App's webhook", err)
	}
	return Hook{URL: h.GetURL(), JSON: h.GetContentType() == "json", Secret: h.GetSecret() != "", Insecure: h.GetInsecureSSL() == "1"}, nil
}

// Skew is how far this machine's clock is ahead of the server's, by the Date header
// of an answer that needs no credentials. It is known to about a second.
func (c *Client) Skew(ctx context.Context) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath("rate_limit").String(), nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("User-Agent", "fettle")
	before := c.cfg.Now()
	resp, err := bounded{c.wire}.RoundTrip(req)
	if err != nil {
		return 0, fmt.Errorf("asking %s for the time: %w", c.base.Host, err)
	}
	defer resp.Body.Close()
	there, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return 0, fmt.Errorf("%s answered without a date: %w", c.base.Host, err)
	}
	middle := before.Add(c.cfg.Now().Sub(before) / 2)
	return middle.Sub(there.Add(500 * time.Millisecond)), nil // the header has whole seconds, cut off
}

// ErrNotInstalled says that the App cannot reach a repository.
var ErrNotInstalled = errors.New("the App is not installed there")

// Find gives a repository as the App sees it.
func (c *Client) Find(ctx context.Context, owner, name string) (task.Repo, error) {
	repo := task.Repo{Owner: owner, Name: name}
	if err := checkRepo(repo); err != nil {
		return repo, err
	}
	in, _, err := c.app(0).Apps.FindRepositoryInstallation(ctx, owner, name)
	if status(err) == http.StatusNotFound {
		return repo, ErrNotInstalled
	}
	if err != nil {
		return repo, c.explain("looking for the App on "+repo.Slug(), err)
	}
	repo.Installation = in.GetID()
	return c.Repo(ctx, repo)
}

// Protected tells whether a rule or a ruleset protects a branch.
func (c *Client) Protected(ctx context.Context, repo task.Repo, branch string) (bool, error) {
	g, err := c.rest(repo)
	if err != nil {
		return false, err
	}
	b, _, err := g.Repositories.GetBranch(ctx, repo.Owner, repo.Name, branch, 1)
	if err != nil {
		return false, c.explain("reading branch "+branch+" of "+repo.Slug(), err)
	}
	if b.GetProtected() {
		return true, nil
	}
	rules, _, err := g.Repositories.GetRulesForBranch(ctx, repo.Owner, repo.Name, branch)
	if err != nil {
		return false, c.explain("reading the rules of branch "+branch+" of "+repo.Slug(), err)
	}
	return len(rules) > 0, nil
}

// HasLabel tells whether the repository has a label.
func (c *Client) HasLabel(ctx context.Context, repo task.Repo, label string) (bool, error) {
	g, err := c.rest(repo)
	if err != nil {
		return false, err
	}
	_, _, err = g.Issues.GetLabel(ctx, repo.Owner, repo.Name, label)
	if status(err) == http.StatusNotFound {
		return false, nil
	}
	return err == nil, c.explain("reading the label "+label+" of "+repo.Slug(), err)
}
