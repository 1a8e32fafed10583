package forge

import (
	"context"
	"fmt"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// CheckRun leaves one finished check run of this name on the commit. The
// conclusion is one of GitHub's: success, failure, neutral, cancelled, skipped,
// timed_out, action_required. Done again, it updates the one that is there.
func (c *Client) CheckRun(ctx context.Context, repo task.Repo, sha, name, conclusion, title, summary string) error {
	if !hash.MatchString(sha) {
		return fmt.Errorf("forge: %q is not a full commit hash", sha)
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
	out := &github.CheckRunOutput{
		Title:   github.String(c.title(title)),
		Summary: github.String(clip(c.cfg.Funnel.Comment(summary), maxComment)),
	}
	done := github.Timestamp{Time: c.cfg.Now().UTC()}
	var found int64
	err = c.createOnce(ctx, func() (bool, error) {
		found, err = c.findCheck(ctx, g, repo, sha, name)
		return found != 0, err
	}, func() error {
		_, _, err := g.Checks.CreateCheckRun(ctx, repo.Owner, repo.Name, github.CreateCheckRunOptions{
			Name: name, HeadSHA: sha, Status: github.String("completed"), Conclusion: &conclusion, CompletedAt: &done, Output: out,
		})
		return err
	})
	if err == nil && found != 0 {
		_, _, err = g.Checks.UpdateCheckRun(ctx, repo.Owner, repo.Name, found, github.UpdateCheckRunOptions{
			Name: name, Status: github.String("completed"), Conclusion: &conclusion, CompletedAt: &done, Output: out,
		})
	}
	return c.explain("writing check run "+name+" on "+repo.Slug()+"@"+sha[:7], err)
}

// findCheck is the id of the App's own check run of this name, or 0.
func (c *Client) findCheck(ctx context.Context, g *github.Client, repo task.Repo, sha, name string) (int64, error) {
	list, _, err := g.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, sha, &github.ListCheckRunsOptions{
		CheckName: &name, AppID: &c.cfg.AppID, ListOptions: github.ListOptions{PerPage: 100},
	})
	if err != nil {
		return 0, err
	}
	for _, r := range list.CheckRuns {
		if r.GetName() == name && r.GetApp().GetID() == c.cfg.AppID {
			return r.GetID(), nil
		}
	}
	return 0, nil
}
