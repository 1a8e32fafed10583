package simulator

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"
)

// What follows is done by humans and by the App alike: it changes the state,
// writes the timeline and sends the webhook. Call with s.mu held.

func (s *Server) openIssue(r *repository, title, body, author string, labels []string) *issue {
	now := s.now()
	r.LastNumber++
	i := &issue{ID: s.state.nextID(), Number: r.LastNumber, Title: title, Body: body, Author: author, State: "open", CreatedAt: now, UpdatedAt: now}
	r.Issues = append(r.Issues, i)
	s.know(author)
	for _, name := range labels {
		i.Labels = append(i.Labels, s.ensureLabel(r, name).ID)
		i.note("labeled", author, name, now)
	}
	s.changed()
	s.emitIssue(r, i, "opened", author, nil)
	for _, name := range labels {
		s.emitIssue(r, i, "labeled", author, obj{"label": s.labelShape(r, r.labelNamed(name))})
	}
	return i
}

func (s *Server) ensureLabel(r *repository, name string) *label {
	if l := r.labelNamed(name); l != nil {
		return l
	}
	l := &label{ID: s.state.nextID(), Name: name, Color: "ededed"}
	r.Labels = append(r.Labels, l)
	s.changed()
	return l
}

func (s *Server) label(r *repository, i *issue, name, actor string) {
	l := s.ensureLabel(r, name)
	if slices.Contains(i.Labels, l.ID) {
		return // as on GitHub: no event
	}
	i.Labels = append(i.Labels, l.ID)
	i.note("labeled", actor, l.Name, s.now())
	s.know(actor)
	s.changed()
	s.emitIssue(r, i, "labeled", actor, obj{"label": s.labelShape(r, l)})
}

func (s *Server) unlabel(r *repository, i *issue, name, actor string) bool {
	l := r.labelNamed(name)
	if l == nil || !slices.Contains(i.Labels, l.ID) {
		return false
	}
	i.Labels = slices.DeleteFunc(i.Labels, func(id int64) bool { return id == l.ID })
	i.note("unlabeled", actor, l.Name, s.now())
	s.know(actor)
	s.changed()
	s.emitIssue(r, i, "unlabeled", actor, obj{"label": s.labelShape(r, l)})
	return true
}

func (s *Server) setState(r *repository, i *issue, state, reason, actor string) {
	if i.State == state {
		return
	}
	i.State, i.StateReason = state, reason
	action := "closed"
	if state == "open" {
		action, i.ClosedAt, i.ClosedBy = "reopened", time.Time{}, ""
		if i.Pull == nil {
			i.StateReason = "reopened"
		}
	} else {
		i.ClosedAt, i.ClosedBy = s.now(), actor
		if reason == "" && i.Pull == nil {
			i.StateReason = "completed"
		}
	}
	i.note(action, actor, i.StateReason, s.now())
	s.know(actor)
	s.changed()
	s.emitIssue(r, i, action, actor, nil)
}

func (s *Server) editText(r *repository, i *issue, title, body *string, actor string) {
	changes := obj{}
	if title != nil && *title != i.Title {
		changes["title"] = obj{"from": i.Title}
		i.Title = *title
	}
	if body != nil && *body != i.Body {
		changes["body"] = obj{"from": i.Body}
		i.Body = *body
	}
	if len(changes) == 0 {
		return
	}
	i.note("edited", actor, "", s.now())
	s.know(actor)
	s.changed()
	s.emitIssue(r, i, "edited", actor, obj{"changes": changes})
}

func (s *Server) addComment(r *repository, i *issue, body, author string) *comment {
	now := s.now()
	c := &comment{ID: s.state.nextID(), Body: body, Author: author, CreatedAt: now, UpdatedAt: now}
	i.Comments = append(i.Comments, c)
	i.UpdatedAt = now
	s.know(author)
	s.changed()
	s.emitComment(r, i, c, "created", author, nil)
	return c
}

// The handlers of the REST API.

func (s *Server) issueIn(c *call) (*issue, error) {
	n, err := c.number("issue_number")
	if err != nil {
		return nil, err
	}
	i := c.repo.issue(int(n))
	if i == nil {
		return nil, notFound()
	}
	level := "write"
	if c.r.Method == http.MethodGet {
		level = "read"
	}
	if i.Pull == nil && !c.tok.may("issues:"+level) { // on a pull request either permission will do
		return nil, problem(http.StatusForbidden, "Resource not accessible by integration")
	}
	return i, nil
}

func (s *Server) getIssue(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	return ok(s.fullIssue(c.repo, i))
}

func (s *Server) fullIssue(r *repository, i *issue) obj {
	out := s.issueShape(r, i)
	out["closed_by"] = nil
	if i.ClosedBy != "" {
		out["closed_by"] = s.user(i.ClosedBy)
	}
	return out
}

func (s *Server) listIssues(c *call) (answer, error) {
	q := c.r.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	var want []string
	if names := q.Get("labels"); names != "" {
		want = strings.Split(names, ",")
	}
	since, _ := time.Parse(time.RFC3339, q.Get("since"))
	var found []*issue
	for _, i := range c.repo.Issues {
		if (state != "all" && i.State != state) || i.UpdatedAt.Before(since) || !c.repo.hasAll(i, want) ||
			(q.Get("creator") != "" && !strings.EqualFold(q.Get("creator"), i.Author)) {
			continue
		}
		found = append(found, i)
	}
	order(found, q.Get("sort"), q.Get("direction"))
	out := []obj{}
	for _, i := range page(c, s.url, found) {
		out = append(out, s.issueShape(c.repo, i))
	}
	return ok(out)
}

func (r *repository) hasAll(i *issue, names []string) bool {
	for _, name := range names {
		l := r.labelNamed(strings.TrimSpace(name))
		if l == nil || !slices.Contains(i.Labels, l.ID) {
			return false
		}
	}
	return true
}

// order sorts as GitHub does: newest first unless asked otherwise.
func order(list []*issue, by, direction string) {
	key := func(i *issue) time.Time {
		if by == "updated" {
			return i.UpdatedAt
		}
		return i.CreatedAt
	}
	sort.SliceStable(list, func(a, b int) bool {
		if ka, kb := key(list[a]), key(list[b]); !ka.Equal(kb) {
			return ka.Before(kb) == (direction == "asc")
		}
		return (list[a].Number < list[b].Number) == (direction == "asc")
	})
}

func (s *Server) createIssue(c *call) (answer, error) {
	var ask struct {
		Title  *string  `json:"title"`
		Body   string   `json:"body"`
		Labels []string `json:"labels"`
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.Title == nil {
		return answer{}, missing("title")
	}
	if strings.TrimSpace(*ask.Title) == "" {
		return answer{}, invalid(fieldError("Issue", "title", "missing_field"))
	}
	return created(s.fullIssue(c.repo, s.openIssue(c.repo, *ask.Title, ask.Body, s.botLogin(), ask.Labels)))
}

func (s *Server) editIssue(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	var ask struct {
		Title       *string   `json:"title"`
		Body        *string   `json:"body"`
		State       string    `json:"state"`
		StateReason string    `json:"state_reason"`
		Labels      *[]string `json:"labels"`
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.State != "" && ask.State != "open" && ask.State != "closed" {
		return answer{}, invalid(fieldError("Issue", "state", "invalid"))
	}
	bot := s.botLogin()
	s.editText(c.repo, i, ask.Title, ask.Body, bot)
	if ask.Labels != nil {
		s.replaceLabels(c.repo, i, *ask.Labels, bot)
	}
	if ask.State != "" {
		s.setState(c.repo, i, ask.State, ask.StateReason, bot)
	}
	return ok(s.fullIssue(c.repo, i))
}

const maxComment = 65536

func commentBody(c *call) (string, error) {
	var ask struct {
		Body *string `json:"body"`
	}
	if err := c.decode(&ask); err != nil {
		return "", err
	}
	if ask.Body == nil {
		return "", missing("body")
	}
	if strings.TrimSpace(*ask.Body) == "" {
		return "", invalid(obj{"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "Body cannot be blank"})
	}
	if len([]rune(*ask.Body)) > maxComment {
		return "", invalid(obj{"resource": "IssueComment", "code": "unprocessable", "field": "data",
			"message": fmt.Sprintf("Body is too long (maximum is %d characters)", maxComment)})
	}
	return *ask.Body, nil
}

func (s *Server) createComment(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	body, err := commentBody(c)
	if err != nil {
		return answer{}, err
	}
	if i.Locked {
		return answer{}, locked()
	}
	return created(s.commentShape(c.repo, i, s.addComment(c.repo, i, body, s.botLogin())))
}

func (s *Server) listComments(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	since, _ := time.Parse(time.RFC3339, c.r.URL.Query().Get("since"))
	var found []*comment
	for _, m := range i.Comments {
		if !m.UpdatedAt.Before(since) {
			found = append(found, m)
		}
	}
	out := []obj{}
	for _, m := range page(c, s.url, found) {
		out = append(out, s.commentShape(c.repo, i, m))
	}
	return ok(out)
}

func (s *Server) commentIn(c *call) (*issue, *comment, error) {
	id, err := c.number("comment_id")
	if err != nil {
		return nil, nil, err
	}
	i, m := c.repo.comment(id)
	if m == nil {
		return nil, nil, notFound()
	}
	return i, m, nil
}

func (s *Server) getComment(c *call) (answer, error) {
	i, m, err := s.commentIn(c)
	if err != nil {
		return answer{}, err
	}
	return ok(s.commentShape(c.repo, i, m))
}

func (s *Server) editComment(c *call) (answer, error) {
	i, m, err := s.commentIn(c)
	if err != nil {
		return answer{}, err
	}
	body, err := commentBody(c)
	if err != nil {
		return answer{}, err
	}
	s.editedComment(c.repo, i, m, body, s.botLogin())
	return ok(s.commentShape(c.repo, i, m))
}

func (s *Server) editedComment(r *repository, i *issue, m *comment, body, actor string) {
	before := m.Body
	m.Body, m.UpdatedAt, i.UpdatedAt = body, s.now(), s.now()
	m.Edits++
	s.changed()
	s.emitComment(r, i, m, "edited", actor, obj{"changes": obj{"body": obj{"from": before}}})
}

func (s *Server) deleteComment(c *call) (answer, error) {
	i, m, err := s.commentIn(c)
	if err != nil {
		return answer{}, err
	}
	i.Comments = slices.DeleteFunc(i.Comments, func(x *comment) bool { return x == m })
	s.changed()
	return noContent()
}
