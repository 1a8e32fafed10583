package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// The labels that mirror a run's state on its issue (SPEC S2).
const (
	LabelWorking = "agent:working"
	LabelReady   = "agent:pr-ready"
	LabelHuman   = "agent:needs-human"
)

// stateLabels are the states with the colour and description of their labels.
var stateLabels = []struct{ name, colour, description string }{
	{LabelWorking, "fbca04", "fettle is working on this"},
	{LabelReady, "0e8a16", "fettle has opened a pull request for this"},
	{LabelHuman, "d93f0b", "fettle needs a human to look at this"},
}

// StateLabel leaves exactly this one of the state labels on the issue, or none
// for "". Other labels are not touched; what is right already is not sent.
func (c *Client) StateLabel(ctx context.Context, repo task.Repo, issue int, label string) error {
	if label != "" && !isState(label) {
		return fmt.Errorf("forge: %q is not a state label", label)
	}
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := c.Issue(ctx, repo, issue)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("setting the state label of %s#%d", repo.Slug(), issue)
	if label != "" && !now.HasLabel(label) {
		if err := c.addLabels(ctx, g, repo, issue, label); err != nil {
			return c.explain(what, err)
		}
	}
	for _, l := range now.Labels {
		if l == label || !isState(l) {
			continue
		}
		_, err := g.Issues.RemoveLabelForIssue(ctx, repo.Owner, repo.Name, issue, url.PathEscape(l))
		if err != nil && status(err) != http.StatusNotFound {
			return c.explain(what, err)
		}
	}
	return nil
}

func isState(label string) bool {
	for _, s := range stateLabels {
		if s.name == label {
			return true
		}
	}
	return false
}

// AddLabels puts labels on an issue or pull request that lacks them. A label that
// the repository does not know yet is made, as GitHub does.
func (c *Client) AddLabels(ctx context.Context, repo task.Repo, n int, labels ...string) error {
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := c.Issue(ctx, repo, n)
	if err != nil {
		return err
	}
	labels = slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return strings.TrimSpace(l) == "" || now.HasLabel(l) })
	if len(labels) == 0 {
		return nil
	}
	return c.explain(fmt.Sprintf("labelling %s#%d", repo.Slug(), n), c.addLabels(ctx, g, repo, n, labels...))
}

// addLabels puts the labels on the issue, having made the definitions of our own
// where the repository lacks them. The body is the object of GitHub's description,
// not the bare array that go-github v60 sends.
func (c *Client) addLabels(ctx context.Context, g *github.Client, repo task.Repo, issue int, labels ...string) error {
	for _, label := range labels {
		if err := c.defineLabel(ctx, g, repo, label); err != nil {
			return err
		}
	}
	path := fmt.Sprintf("repos/%s/%s/issues/%d/labels", repo.Owner, repo.Name, issue)
	req, err := g.NewRequest(http.MethodPost, path, map[string][]string{"labels": labels})
	if err != nil {
		return err
	}
	_, err = g.Do(ctx, req, nil)
	return err
}

// defineLabel gives a missing state label its colour. That it is there already, or
// that GitHub will not have it made, is no reason to fail: putting it on the
// issue makes it too, without the colour.
func (c *Client) defineLabel(ctx context.Context, g *github.Client, repo task.Repo, label string) error {
	i := slices.IndexFunc(stateLabels, func(s struct{ name, colour, description string }) bool { return s.name == label })
	if i < 0 {
		return nil
	}
	path := fmt.Sprintf("repos/%s/%s/labels/%s", repo.Owner, repo.Name, url.PathEscape(label))
	req, err := g.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if _, err = g.Do(ctx, req, nil); status(err) != http.StatusNotFound {
		return err
	}
	def := stateLabels[i]
	_, _, err = g.Issues.CreateLabel(ctx, repo.Owner, repo.Name, &github.Label{Name: &def.name, Color: &def.colour, Description: &def.description})
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && (status(err) == http.StatusUnprocessableEntity || status(err) == http.StatusNotFound) {
		return nil
	}
	return err
}

// RemoveLabel takes a label off an issue; one that is not there is no error.
func (c *Client) RemoveLabel(ctx context.Context, repo task.Repo, n int, label string) error {
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	_, err = g.Issues.RemoveLabelForIssue(ctx, repo.Owner, repo.Name, n, url.PathEscape(label))
	if status(err) == http.StatusNotFound {
		return nil
	}
	return c.explain(fmt.Sprintf("taking a label off %s#%d", repo.Slug(), n), err)
}
