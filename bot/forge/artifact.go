package forge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// Artifact is what a run of a workflow has left behind.
type Artifact struct {
	ID      int64
	Created time.Time
	Run     WorkflowRun
}

// WorkflowRun is whose an artifact is. Only jobs of the run itself could write it.
type WorkflowRun struct {
	ID   int64
	Path string // of the workflow's file
	// Own: the run is of a commit of this repository, and not of a fork.
	Own    bool
	Event  string
	Branch string
}

const (
	maxArtifacts  = 100       // of a page
	artifactPages = 10        // of one name that are looked at
	maxArchive    = 256 << 20 // bytes
)

// Artifact is the newest artifact of a name that has not expired and whose run is
// wanted, with that run; nil where there is none.
func (c *Client) Artifact(ctx context.Context, repo task.Repo, name string, wanted func(WorkflowRun) bool) (*Artifact, error) {
	g, err := c.rest(repo)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("listing the artifacts %s of %s", name, repo.Slug())
	for page := 1; page <= artifactPages; page++ {
		var list struct {
			Artifacts []*github.Artifact `json:"artifacts"`
		}
		req, err := g.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/artifacts?per_page=%d&page=%d&name=%s", repo.Owner, repo.Name, maxArtifacts, page, url.QueryEscape(name)), nil)
		if err != nil {
			return nil, err
		}
		if _, err := g.Do(ctx, req, &list); err != nil {
			return nil, c.explain(what, err)
		}
		for _, a := range list.Artifacts {
			of := a.GetWorkflowRun() // runs of forks stand in the list as well, and anybody can make many
			if a.GetExpired() || a.GetName() != name || of.GetRepositoryID() != of.GetHeadRepositoryID() {
				continue
			}
			run, err := workflowRun(ctx, g, repo, of.GetID())
			switch {
			case status(err) == http.StatusNotFound:
				continue // it was deleted
			case err != nil:
				return nil, c.explain(what, err)
			}
			if wanted(run) {
				return &Artifact{ID: a.GetID(), Created: a.GetCreatedAt().Time, Run: run}, nil
			}
		}
		if len(list.Artifacts) < maxArtifacts {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("%s: none of the newest %d is from a run of this workflow here; delete those of others and start the job again", what, artifactPages*maxArtifacts)
}

// workflowRun reads a run. go-github v60 lacks its path.
func workflowRun(ctx context.Context, g *github.Client, repo task.Repo, id int64) (WorkflowRun, error) {
	type numbered struct {
		ID int64 `json:"id"`
	}
	var r struct {
		ID     int64    `json:"id"`
		Path   string   `json:"path"`
		Event  string   `json:"event"`
		Branch string   `json:"head_branch"`
		Repo   numbered `json:"repository"`
		Head   numbered `json:"head_repository"`
	}
	req, err := g.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/runs/%d", repo.Owner, repo.Name, id), nil)
	if err == nil {
		_, err = g.Do(ctx, req, &r)
	}
	return WorkflowRun{ID: r.ID, Path: r.Path, Event: r.Event, Branch: r.Branch, Own: r.Repo.ID != 0 && r.Repo.ID == r.Head.ID}, err
}

// Archive is the zip file of an artifact.
func (c *Client) Archive(ctx context.Context, repo task.Repo, artifact int64) ([]byte, error) {
	g, err := c.rest(repo)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("fetching artifact %d of %s", artifact, repo.Slug())
	at, _, err := g.Actions.DownloadArtifact(ctx, repo.Owner, repo.Name, artifact, 0)
	if err != nil {
		return nil, c.explain(what, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	resp, err := (&http.Client{Transport: c.wire, Timeout: 5 * time.Minute}).Do(req) // without the token: it is another host's
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the address is a secret while it is valid
		}
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: the storage answered %s", what, resp.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxArchive+1))
	if err == nil && len(raw) > maxArchive {
		err = fmt.Errorf("it is larger than %d bytes", maxArchive)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return raw, nil
}
