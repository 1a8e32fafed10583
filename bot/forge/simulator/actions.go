package simulator

import (
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Of GitHub Actions there is what a job meets: its token, the runs of workflows,
// and their artifacts. Nothing runs here; a test plays the runner.

// JobToken is a token for one repository, as a job of GitHub Actions or somebody
// who asked an App for one has it. Its bearer acts as the App of the simulator:
// Config.AppSlug github-actions makes it the job's own.
func (s *Server) JobToken(owner, name string, permissions map[string]string) (string, error) {
	s.mu.Lock()
	token, err := s.mintFor(owner, name, permissions)
	s.mu.Unlock()
	return token, errors.Join(err, s.save())
}

func (s *Server) mintFor(owner, name string, permissions map[string]string) (string, error) {
	r := s.state.repo(owner, name)
	if r == nil {
		return "", fmt.Errorf("there is no repository %s/%s", owner, name)
	}
	held := map[string]string{"metadata": "read"}
	for k, v := range permissions {
		held[k] = v
	}
	defer s.changed()
	return s.mint(&token{Installation: s.state.installationOf(owner).ID, Repos: []int64{r.ID}, Permissions: held, ExpiresAt: s.now().Add(s.cfg.TokenTTL)})
}

// RepoID is GitHub's number of a repository, 0 where there is none.
func (s *Server) RepoID(owner, name string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.state.repo(owner, name); r != nil {
		return r.ID
	}
	return 0
}

// WorkflowRun is one run of a workflow.
type WorkflowRun struct {
	ID       int64     `json:"id"`
	Path     string    `json:"path"`
	Event    string    `json:"event"`
	Branch   string    `json:"branch"`
	HeadRepo int64     `json:"head_repo"` // the repository's own where 0
	Created  time.Time `json:"created"`
}

// artifact is what a run has uploaded.
type artifact struct {
	ID      int64     `json:"id"`
	Name    string    `json:"name"`
	Run     int64     `json:"run"`
	Zip     []byte    `json:"zip"`
	Created time.Time `json:"created"`
	Expired bool      `json:"expired,omitempty"`
}

// Upload is what a job leaves behind: a zip file under a name, in the run. An
// earlier one of the run under this name is replaced.
func (s *Server) Upload(owner, name string, run WorkflowRun, artifactName string, zip []byte) error {
	s.mu.Lock()
	err := s.upload(owner, name, run, artifactName, zip)
	s.mu.Unlock()
	return errors.Join(err, s.save())
}

func (s *Server) upload(owner, name string, run WorkflowRun, artifactName string, zip []byte) error {
	r := s.state.repo(owner, name)
	if r == nil {
		return fmt.Errorf("there is no repository %s/%s", owner, name)
	}
	if run.HeadRepo == 0 {
		run.HeadRepo = r.ID
	}
	run.Created = s.now()
	if r.Workflows == nil {
		r.Workflows = map[int64]WorkflowRun{}
	}
	r.Workflows[run.ID] = run
	kept := r.Artifacts[:0]
	for _, a := range r.Artifacts {
		if a.Run != run.ID || a.Name != artifactName {
			kept = append(kept, a)
		}
	}
	r.Artifacts = append(kept, &artifact{ID: s.state.nextID(), Name: artifactName, Run: run.ID, Zip: zip, Created: s.now()})
	s.changed()
	return nil
}

func (s *Server) listArtifacts(c *call) (answer, error) {
	want := c.r.URL.Query().Get("name")
	all := []*artifact{}
	for _, a := range c.repo.Artifacts {
		if want == "" || a.Name == want {
			all = append(all, a)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID > all[j].ID })
	out := []obj{}
	for _, a := range page(c, s.url, all) {
		out = append(out, s.artifactShape(c.repo, a))
	}
	return ok(obj{"total_count": len(all), "artifacts": out})
}

func (s *Server) artifactShape(r *repository, a *artifact) obj {
	at := s.api("/repos/%s/%s/actions/artifacts/%d", r.Owner, r.Name, a.ID)
	run := r.Workflows[a.Run]
	return obj{"id": a.ID, "node_id": nodeID("MDg6QXJ0aWZhY3Q", a.ID), "name": a.Name, "size_in_bytes": len(a.Zip), "url": at,
		"archive_download_url": at + "/zip", "expired": a.Expired, "created_at": stamp(a.Created), "updated_at": stamp(a.Created), "expires_at": stamp(a.Created.AddDate(0, 0, 90)),
		"workflow_run": obj{"id": a.Run, "repository_id": r.ID, "head_repository_id": run.HeadRepo, "head_branch": run.Branch, "head_sha": strings.Repeat("0", 40)}}
}

// getArtifact sends whoever asks on to where the file lies, without a token.
func (s *Server) getArtifact(c *call) (answer, error) {
	id, err := c.number("artifact_id")
	if err != nil {
		return answer{}, err
	}
	for _, a := range c.repo.Artifacts {
		if a.ID != id {
			continue
		}
		if a.Expired {
			return answer{}, problem(http.StatusGone, "Artifact has expired")
		}
		return answer{status: http.StatusFound, header: http.Header{"Location": {fmt.Sprintf("%s/_stored/%d", s.url, a.ID)}}}, nil
	}
	return answer{}, notFound()
}

// stored gives the file of an artifact to whoever knows its address, as GitHub's
// storage does; credentials that it gets are a mistake of the client.
func (s *Server) stored(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") != "" {
		http.Error(w, "InvalidAuthenticationInfo", http.StatusForbidden)
		return
	}
	for _, repo := range s.state.Repos {
		for _, a := range repo.Artifacts {
			if strconv.FormatInt(a.ID, 10) == r.PathValue("id") {
				w.Header().Set("Content-Type", "application/zip")
				_, _ = w.Write(a.Zip) // the client may have gone
				return
			}
		}
	}
	http.NotFound(w, r)
}

func (s *Server) getWorkflowRun(c *call) (answer, error) {
	id, err := c.number("run_id")
	if err != nil {
		return answer{}, err
	}
	run, there := c.repo.Workflows[id]
	if !there {
		return answer{}, notFound()
	}
	at, html := s.api("/repos/%s/%s/actions/runs/%d", c.repo.Owner, c.repo.Name, id), fmt.Sprintf("%s/actions/runs/%d", s.repoHTML(c.repo), id)
	head := s.repoShape(c.repo)
	head["id"] = run.HeadRepo
	sha := strings.Repeat("0", 40)
	out := obj{"id": id, "name": "fettle", "node_id": nodeID("WFR", id), "head_branch": run.Branch, "head_sha": sha, "path": run.Path, "run_number": 1, "event": run.Event,
		"status": "completed", "conclusion": "success", "workflow_id": 1, "url": at, "html_url": html, "pull_requests": []obj{}, "created_at": stamp(run.Created), "updated_at": stamp(run.Created),
		"display_title": "fettle", "head_commit": nil, "repository": s.repoShape(c.repo), "head_repository": head}
	for _, one := range []string{"jobs_url", "logs_url", "check_suite_url", "artifacts_url", "cancel_url", "rerun_url", "workflow_url"} {
		out[one] = at + "/" + strings.TrimSuffix(one, "_url")
	}
	return ok(out)
}
