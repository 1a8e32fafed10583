package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// askedCheck is the body that creates or updates a check run.
type askedCheck struct {
	Name        *string    `json:"name"`
	HeadSHA     *string    `json:"head_sha"`
	Status      *string    `json:"status"`
	Conclusion  *string    `json:"conclusion"`
	DetailsURL  *string    `json:"details_url"`
	ExternalID  *string    `json:"external_id"`
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *struct {
		Title       *string         `json:"title"`
		Summary     *string         `json:"summary"`
		Text        *string         `json:"text"`
		Annotations json.RawMessage `json:"annotations"`
	} `json:"output"`
}

var (
	checkStatuses    = []string{"queued", "in_progress", "completed", "waiting", "requested", "pending"}
	checkConclusions = []string{"action_required", "cancelled", "failure", "neutral", "success", "skipped", "stale", "timed_out"}
)

func (s *Server) createCheck(c *call) (answer, error) {
	var ask askedCheck
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.Name == nil {
		return answer{}, missing("name")
	}
	if ask.HeadSHA == nil {
		return answer{}, missing("head_sha")
	}
	kind, err := s.kind(c.r.Context(), c.repo, *ask.HeadSHA)
	if err != nil {
		return answer{}, err
	}
	if kind != "commit" {
		return answer{}, unprocessable("No commit found for SHA: " + *ask.HeadSHA)
	}
	k := &checkRun{Name: *ask.Name, HeadSHA: *ask.HeadSHA, Status: "queued", StartedAt: s.now()}
	if err := s.fillCheck(k, ask); err != nil {
		return answer{}, err
	}
	k.ID = s.state.nextID()
	c.repo.Checks = append(c.repo.Checks, k)
	s.changed()
	if k.Status == "completed" {
		if err := s.checkEnded(c.r.Context(), c.repo, k); err != nil {
			return answer{}, err
		}
	}
	return created(s.checkShape(c.repo, k))
}

// fillCheck checks everything first and changes k only when all is well.
func (s *Server) fillCheck(k *checkRun, ask askedCheck) error {
	next := *k
	if ask.Status != nil {
		if !slices.Contains(checkStatuses, *ask.Status) {
			return unprocessable(fmt.Sprintf("Invalid request.\n\n%s is not a member of %q.", *ask.Status, checkStatuses))
		}
		next.Status = *ask.Status
	}
	if ask.Conclusion != nil {
		if !slices.Contains(checkConclusions, *ask.Conclusion) {
			return unprocessable(fmt.Sprintf("Invalid request.\n\n%s is not a member of %q.", *ask.Conclusion, checkConclusions))
		}
		next.Status, next.Conclusion = "completed", *ask.Conclusion
	}
	if next.Status == "completed" && next.Conclusion == "" {
		return unprocessable("Invalid request.\n\n\"conclusion\" wasn't supplied.")
	}
	for _, field := range []struct{ from, to *string }{{ask.Name, &next.Name}, {ask.DetailsURL, &next.DetailsURL}, {ask.ExternalID, &next.ExternalID}} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	if ask.StartedAt != nil {
		next.StartedAt = ask.StartedAt.UTC()
	}
	if ask.CompletedAt != nil {
		next.CompletedAt = ask.CompletedAt.UTC()
	} else if next.Status == "completed" && next.CompletedAt.IsZero() {
		next.CompletedAt = s.now()
	}
	if err := fillOutput(&next, ask); err != nil {
		return err
	}
	*k = next
	return nil
}

func fillOutput(k *checkRun, ask askedCheck) error {
	if ask.Output == nil {
		return nil
	}
	if ask.Output.Summary == nil {
		return missing("summary")
	}
	k.Summary = *ask.Output.Summary
	if ask.Output.Title != nil {
		k.Title = *ask.Output.Title
	}
	if ask.Output.Text != nil {
		k.Text = *ask.Output.Text
	}
	if len(k.Summary) > 65535 || len(k.Text) > 65535 {
		return invalid(obj{"resource": "CheckRun", "code": "custom", "field": "output", "message": "is too long (maximum is 65535 characters)"})
	}
	var more []json.RawMessage
	if ask.Output.Annotations != nil && json.Unmarshal(ask.Output.Annotations, &more) != nil {
		return unprocessable("Invalid request.\n\nFor 'annotations', it is not an array.")
	}
	if len(more) > 50 {
		return unprocessable("Invalid request.\n\nNo more than 50 items are allowed; annotations.")
	}
	if len(more) == 0 {
		return nil
	}
	var all []json.RawMessage
	if len(k.Annotations) > 0 {
		if err := json.Unmarshal(k.Annotations, &all); err != nil {
			return err
		}
	}
	all = append(all, more...) // as on GitHub: an update adds
	joined, err := json.Marshal(all)
	k.Annotations, k.Notes = bytes.Clone(joined), len(all)
	return err
}

func (s *Server) checkIn(c *call) (*checkRun, error) {
	id, err := c.number("check_run_id")
	if err != nil {
		return nil, err
	}
	for _, k := range c.repo.Checks {
		if k.ID == id {
			return k, nil
		}
	}
	return nil, notFound()
}

func (s *Server) getCheck(c *call) (answer, error) {
	k, err := s.checkIn(c)
	if err != nil {
		return answer{}, err
	}
	return ok(s.checkShape(c.repo, k))
}

func (s *Server) updateCheck(c *call) (answer, error) {
	k, err := s.checkIn(c)
	if err != nil {
		return answer{}, err
	}
	var ask askedCheck
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if k.App != "" {
		return answer{}, problem(http.StatusForbidden, "Resource not accessible by integration")
	}
	ended := k.Status == "completed"
	if err := s.fillCheck(k, ask); err != nil {
		return answer{}, err
	}
	s.changed()
	if k.Status == "completed" && !ended {
		if err := s.checkEnded(c.r.Context(), c.repo, k); err != nil {
			return answer{}, err
		}
	}
	return ok(s.checkShape(c.repo, k))
}

func (s *Server) listChecks(c *call) (answer, error) {
	sha, err := s.resolve(c.r.Context(), c.repo, c.vars["ref"])
	if err != nil {
		return answer{}, err
	}
	if sha == "" {
		return answer{}, unprocessable("No commit found for SHA: " + c.vars["ref"])
	}
	q := c.r.URL.Query()
	var found []*checkRun
	for _, k := range c.repo.Checks {
		if app := q.Get("app_id"); app != "" && app != fmt.Sprint(s.checkApp(k)["id"]) {
			continue
		}
		if k.HeadSHA != sha || (q.Get("check_name") != "" && k.Name != q.Get("check_name")) ||
			(q.Get("status") != "" && k.Status != q.Get("status")) {
			continue
		}
		if q.Get("filter") != "all" { // the latest of each name
			found = slices.DeleteFunc(found, func(old *checkRun) bool { return old.Name == k.Name && old.App == k.App })
		}
		found = append(found, k)
	}
	out := []obj{}
	for _, k := range page(c, s.url, found) {
		out = append(out, s.checkShape(c.repo, k))
	}
	return ok(obj{"total_count": len(found), "check_runs": out})
}

// checkApp is the App whose check it is.
func (s *Server) checkApp(k *checkRun) obj {
	out := s.appShape(s.app)
	if k.App != "" {
		out["id"], out["slug"], out["name"], out["node_id"] = userID(k.App), k.App, k.App, nodeID("A", userID(k.App))
		out["owner"], out["html_url"], out["external_url"] = s.user(k.App+"-owner"), s.url+"/apps/"+k.App, s.url
	}
	return out
}

// listAnnotations shows them as GitHub does, with the fields that were not sent.
func (s *Server) listAnnotations(c *call) (answer, error) {
	k, err := s.checkIn(c)
	if err != nil {
		return answer{}, err
	}
	var all []obj
	if len(k.Annotations) > 0 {
		if err := json.Unmarshal(k.Annotations, &all); err != nil {
			return answer{}, err
		}
	}
	out := []obj{}
	for _, a := range page(c, s.url, all) {
		one := obj{"start_column": nil, "end_column": nil, "title": nil, "raw_details": nil,
			"blob_href": fmt.Sprintf("%s/blob/%s/%v", s.repoHTML(c.repo), k.HeadSHA, a["path"])}
		for field, value := range a {
			one[field] = value
		}
		out = append(out, one)
	}
	return ok(out)
}

// checkPulls are the open pull requests of a check's commit.
func (s *Server) checkPulls(r *repository, k *checkRun) []obj {
	pulls := []obj{}
	for _, i := range r.Issues {
		if i.Pull == nil || i.State != "open" || i.Pull.HeadSHA != k.HeadSHA || i.Pull.Fork != "" {
			continue
		}
		repo := obj{"id": r.ID, "url": s.repoAPI(r), "name": r.Name}
		pulls = append(pulls, obj{"id": i.Pull.ID, "number": i.Number, "url": fmt.Sprintf("%s/pulls/%d", s.repoAPI(r), i.Number),
			"head": obj{"ref": i.Pull.Head, "sha": i.Pull.HeadSHA, "repo": repo},
			"base": obj{"ref": i.Pull.Base, "sha": i.Pull.BaseSHA, "repo": repo}})
	}
	return pulls
}

func (s *Server) checkShape(r *repository, k *checkRun) obj {
	api := fmt.Sprintf("%s/check-runs/%d", s.repoAPI(r), k.ID)
	return obj{"id": k.ID, "node_id": nodeID("CR", k.ID), "name": k.Name, "head_sha": k.HeadSHA, "status": k.Status,
		"conclusion": orNull(k.Conclusion), "external_id": k.ExternalID, "url": api,
		"html_url":    fmt.Sprintf("%s/runs/%d", s.repoHTML(r), k.ID),
		"details_url": orNull(k.DetailsURL), "started_at": stamp(k.StartedAt), "completed_at": stamp(k.CompletedAt),
		"output": obj{"title": orNull(k.Title), "summary": orNull(k.Summary), "text": orNull(k.Text),
			"annotations_count": k.Notes, "annotations_url": api + "/annotations"},
		"check_suite": obj{"id": userID(k.App + k.HeadSHA)}, "app": s.checkApp(k), "pull_requests": s.checkPulls(r, k)}
}
