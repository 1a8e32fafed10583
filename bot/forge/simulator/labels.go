package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// labelNames reads the two bodies that GitHub takes: {"labels": [...]} and a
// bare list; a label is a name or an object with a name.
func labelNames(c *call) ([]string, error) {
	var list []json.RawMessage
	var wrapped struct {
		Labels *[]json.RawMessage `json:"labels"`
	}
	if json.Unmarshal(c.body, &list) != nil {
		if err := c.decode(&wrapped); err != nil {
			return nil, err
		}
		if wrapped.Labels == nil {
			return nil, missing("labels")
		}
		list = *wrapped.Labels
	}
	names := []string{}
	for _, raw := range list {
		var name string
		var named struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &name) != nil {
			if json.Unmarshal(raw, &named) != nil {
				return nil, unprocessable("Invalid request.\n\nFor 'items', a label must be a string or an object.")
			}
			name = named.Name
		}
		if strings.TrimSpace(name) == "" {
			return nil, invalid(fieldError("Label", "name", "missing_field"))
		}
		if len([]rune(name)) > 50 {
			return nil, invalid(obj{"resource": "Label", "code": "custom", "field": "name", "message": "name is too long (maximum is 50 characters)"})
		}
		names = append(names, name)
	}
	return names, nil
}

func (s *Server) replaceLabels(r *repository, i *issue, names []string, actor string) {
	for _, l := range r.labelsOf(i) {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, l.Name) }) {
			s.unlabel(r, i, l.Name, actor)
		}
	}
	for _, name := range names {
		s.label(r, i, name, actor)
	}
}

func (s *Server) issueLabels(r *repository, i *issue) (answer, error) {
	return ok(s.labelShapes(r, r.labelsOf(i)))
}

func (s *Server) listIssueLabels(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	return ok(s.labelShapes(c.repo, page(c, s.url, c.repo.labelsOf(i))))
}

// listEvents lists who labelled an issue, the oldest first; GitHub lists more.
func (s *Server) listEvents(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	all := []obj{}
	for n, e := range i.Timeline {
		if e.Kind != "labeled" && e.Kind != "unlabeled" {
			continue
		}
		colour := "ededed"
		if l := c.repo.labelNamed(e.Detail); l != nil {
			colour = l.Color
		}
		id := i.ID*1000 + int64(n)
		all = append(all, obj{"id": id, "node_id": nodeID("LabeledEvent", id), "url": fmt.Sprintf("%s/issues/events/%d", s.repoAPI(c.repo), id), "actor": s.user(e.Actor), "event": e.Kind,
			"commit_id": nil, "commit_url": nil, "created_at": stamp(e.At), "label": obj{"name": e.Detail, "color": colour}, "performed_via_github_app": nil})
	}
	return ok(page(c, s.url, all))
}

func (s *Server) addLabels(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	names, err := labelNames(c)
	if err != nil {
		return answer{}, err
	}
	for _, name := range names {
		s.label(c.repo, i, name, s.botLogin())
	}
	return s.issueLabels(c.repo, i)
}

func (s *Server) setLabels(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	names, err := labelNames(c)
	if err != nil {
		return answer{}, err
	}
	s.replaceLabels(c.repo, i, names, s.botLogin())
	return s.issueLabels(c.repo, i)
}

func (s *Server) clearLabels(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	s.replaceLabels(c.repo, i, nil, s.botLogin())
	return noContent()
}

func (s *Server) removeLabel(c *call) (answer, error) {
	i, err := s.issueIn(c)
	if err != nil {
		return answer{}, err
	}
	if !s.unlabel(c.repo, i, c.vars["name"], s.botLogin()) {
		return answer{}, problem(http.StatusNotFound, "Label does not exist")
	}
	return s.issueLabels(c.repo, i)
}

func (s *Server) listLabels(c *call) (answer, error) {
	return ok(s.labelShapes(c.repo, page(c, s.url, c.repo.Labels)))
}

func (s *Server) getLabel(c *call) (answer, error) {
	l := c.repo.labelNamed(c.vars["name"])
	if l == nil {
		return answer{}, notFound()
	}
	return ok(s.labelShape(c.repo, l))
}

var colorShape = regexp.MustCompile(`^[0-9a-fA-F]{6}$`)

func (s *Server) createLabel(c *call) (answer, error) {
	var ask struct{ Name, Color, Description string }
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if strings.TrimSpace(ask.Name) == "" {
		return answer{}, invalid(fieldError("Label", "name", "missing_field"))
	}
	if c.repo.labelNamed(ask.Name) != nil {
		return answer{}, invalid(fieldError("Label", "name", "already_exists"))
	}
	if ask.Color == "" {
		ask.Color = "ededed"
	}
	if !colorShape.MatchString(ask.Color) {
		return answer{}, invalid(fieldError("Label", "color", "invalid"))
	}
	if len([]rune(ask.Description)) > 100 {
		return answer{}, invalid(obj{"resource": "Label", "code": "custom", "field": "description", "message": "description is too long (maximum is 100 characters)"})
	}
	l := s.ensureLabel(c.repo, ask.Name)
	l.Color, l.Description = strings.ToLower(ask.Color), ask.Description
	return created(s.labelShape(c.repo, l))
}

// reactionsIn finds the list of reactions that a route speaks of.
func (s *Server) reactionsIn(c *call) (*[]reaction, error) {
	if _, onComment := c.vars["comment_id"]; onComment {
		_, m, err := s.commentIn(c)
		if err != nil {
			return nil, err
		}
		return &m.Reactions, nil
	}
	i, err := s.issueIn(c)
	if err != nil {
		return nil, err
	}
	return &i.Reactions, nil
}

func (s *Server) listReactions(c *call) (answer, error) {
	list, err := s.reactionsIn(c)
	if err != nil {
		return answer{}, err
	}
	want := c.r.URL.Query().Get("content")
	out := []obj{}
	for _, r := range page(c, s.url, *list) {
		if want == "" || r.Content == want {
			out = append(out, s.reactionShape(r))
		}
	}
	return ok(out)
}

// createReaction answers 201 for a new reaction and 200 for one that is there.
func (s *Server) createReaction(c *call) (answer, error) {
	list, err := s.reactionsIn(c)
	if err != nil {
		return answer{}, err
	}
	return s.react(c, list)
}

func (s *Server) react(c *call, list *[]reaction) (answer, error) {
	var ask struct {
		Content *string `json:"content"`
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.Content == nil {
		return answer{}, missing("content")
	}
	if !slices.Contains(reactionKinds, *ask.Content) {
		return answer{}, invalid(fieldError("Reaction", "content", "invalid"))
	}
	bot := s.botLogin()
	for _, r := range *list {
		if r.User == bot && r.Content == *ask.Content {
			return ok(s.reactionShape(r))
		}
	}
	r := reaction{ID: s.state.nextID(), Content: *ask.Content, User: bot, CreatedAt: s.now()}
	*list = append(*list, r)
	s.changed()
	return created(s.reactionShape(r))
}
