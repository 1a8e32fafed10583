package forge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// delivery is what we read of a payload; everything else in it is skipped.
// Field by field it follows GitHub's "Webhook events and payloads".
type delivery struct {
	Action       string       `json:"action"`
	Installation *installed   `json:"installation"`
	Repository   *repository  `json:"repository"`
	Removed      []repository `json:"repositories_removed"`
	Sender       user         `json:"sender"`
	Issue        *issue       `json:"issue"`
	Pull         *pullRequest `json:"pull_request"`
	Review       *review      `json:"review"`
	CheckRun     *checkRun    `json:"check_run"`
	CheckSuite   *checkSuite  `json:"check_suite"`
	Changes      changes      `json:"changes"`
	Ref          string       `json:"ref"`
	Before       string       `json:"before"`
	After        string       `json:"after"`
	Label        *struct {
		Name string `json:"name"`
	} `json:"label"`
	Comment *struct {
		ID   int64  `json:"id"`
		Body string `json:"body"`
		User user   `json:"user"`
		App  *struct {
			ID int64 `json:"id"`
		} `json:"performed_via_github_app"`
		Review int64 `json:"pull_request_review_id"`
	} `json:"comment"`
}

type installed struct {
	ID int64 `json:"id"`
}

type user struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type repository struct {
	Name          string `json:"name"`
	FullName      string `json:"full_name"`
	CloneURL      string `json:"clone_url"`
	HTMLURL       string `json:"html_url"`
	DefaultBranch string `json:"default_branch"`
}

type issue struct {
	Number  int    `json:"number"`
	Title   string `json:"title"`
	Body    string `json:"body"`
	State   string `json:"state"`
	HTMLURL string `json:"html_url"`
	User    user   `json:"user"`
	Labels  []struct {
		Name string `json:"name"`
	} `json:"labels"`
	PullRequest *struct{} `json:"pull_request"`
}

// Decode says what a delivery means to us. Events and actions that mean
// nothing are of kind ignored, with the reason; an error means that the
// payload is not what GitHub describes, and decoding it again is of no use.
// Where a delivery removes several repositories, this is the first; DecodeAll
// gives them all.
func (c *Client) Decode(event, id string, payload []byte) (task.Event, error) {
	all, err := c.DecodeAll(event, id, payload)
	if err != nil {
		return task.Event{}, err
	}
	return all[0], nil
}

// DecodeAll is Decode for deliveries that speak of several repositories. It
// returns at least one event when there is no error.
func (c *Client) DecodeAll(event, id string, payload []byte) ([]task.Event, error) {
	e := task.Event{Kind: task.EventIgnored, Delivery: id}
	switch event {
	case "ping":
		e.Kind = task.EventPing
		return []task.Event{e}, nil
	case "issues", "issue_comment", "installation", "installation_repositories",
		"pull_request", "pull_request_review", "pull_request_review_comment", "check_run", "check_suite", "push", "repository":
	default:
		e.Reason = "nothing is done for this event"
		return []task.Event{e}, nil
	}
	var d delivery
	if err := json.Unmarshal(payload, &d); err != nil {
		return nil, fmt.Errorf("forge: delivery %s (%s) is not what GitHub describes: %w", id, event, err)
	}
	e.Action, e.Actor, e.ActorIsBot = d.Action, d.Sender.Login, d.Sender.Type == "Bot"
	if d.Installation != nil {
		e.Repo.Installation = d.Installation.ID
	}
	switch event {
	case "installation":
		return []task.Event{decodeInstallation(e, d)}, nil
	case "installation_repositories":
		return decodeRemoved(e, d)
	}
	e, err := c.decodeInRepo(event, e, d)
	if err != nil {
		return nil, fmt.Errorf("forge: delivery %s (%s): %w", id, event, err)
	}
	return []task.Event{e}, nil
}

// decodeInRepo decodes what happened in one repository.
func (c *Client) decodeInRepo(event string, e task.Event, d delivery) (task.Event, error) {
	if d.Repository == nil {
		return e, errors.New("no repository")
	}
	repo, err := d.Repository.task(e.Repo.Installation)
	if err != nil {
		return e, err
	}
	e.Repo = repo
	switch event {
	case "check_run", "check_suite": // their sender is whoever pushed the commit, we among others
		return c.decodeCheck(e, d)
	case "repository":
		return decodeRepository(e, d), nil
	case "push":
		return c.decodePush(e, d), nil
	case "issues", "issue_comment":
		err = fillIssue(&e, d)
	default:
		err = fillPull(&e, d)
	}
	switch {
	case err != nil:
		return e, err
	case c.isMe(d.Sender.Login) && !judgeable(event, d.Action):
		e.Reason = "our own doing"
		return e, nil
	}
	switch event {
	case "issues":
		return c.decodeIssues(e, d), nil
	case "issue_comment":
		return c.decodeComment(e, d), nil
	case "pull_request":
		return c.decodePull(e, d), nil
	case "pull_request_review":
		return c.decodeReview(e, d), nil
	}
	return c.decodeReviewComment(e, d), nil
}

// judgeable tells of what is looked at whoever did it: our changes are judged, too.
func judgeable(event, action string) bool {
	return event == "pull_request" && (action == "opened" || action == "synchronize")
}

func (c *Client) isMe(login string) bool {
	me := c.knownIdentity()
	return me != "" && strings.EqualFold(login, me)
}

func fillIssue(e *task.Event, d delivery) error {
	if d.Issue == nil || d.Issue.Number <= 0 {
		return errors.New("no issue")
	}
	e.Issue = task.Issue{
		Number: d.Issue.Number, Title: d.Issue.Title, Body: d.Issue.Body, State: d.Issue.State,
		URL: d.Issue.HTMLURL, Author: d.Issue.User.Login, IsPullRequest: d.Issue.PullRequest != nil,
	}
	for _, l := range d.Issue.Labels {
		e.Issue.Labels = append(e.Issue.Labels, l.Name)
	}
	return nil
}

// task gives the repository in our words, having checked its name.
func (r repository) task(installation int64) (task.Repo, error) {
	owner, name, _ := strings.Cut(r.FullName, "/")
	out := task.Repo{
		Installation: installation, Owner: owner, Name: name,
		CloneURL: r.CloneURL, HTMLURL: r.HTMLURL, DefaultBranch: r.DefaultBranch,
	}
	return out, checkRepo(out)
}

func (c *Client) decodeIssues(e task.Event, d delivery) task.Event {
	switch d.Action {
	case "opened":
		if !e.Issue.HasLabel(c.cfg.Label) {
			e.Reason = "opened without the label " + c.cfg.Label
			return e
		}
		e.Kind, e.Label = task.EventLabeled, c.cfg.Label
	case "labeled", "unlabeled":
		if d.Label == nil || !strings.EqualFold(d.Label.Name, c.cfg.Label) {
			e.Reason = "another label"
			return e
		}
		e.Kind, e.Label = task.EventLabeled, c.cfg.Label
		if d.Action == "unlabeled" {
			e.Kind = task.EventUnlabeled
		}
	case "closed":
		e.Kind = task.EventClosed
	case "deleted", "transferred":
		e.Kind, e.Issue.State, e.Reason = task.EventClosed, "closed", "the issue was "+d.Action
	case "reopened":
		e.Kind = task.EventReopened
	case "edited":
		e.Kind, e.Reason = task.EventEdited, "edits are not obeyed: the text counts as it was at the trigger"
	default:
		e.Reason = "nothing is done for this action on an issue"
	}
	return e
}

func (c *Client) decodeComment(e task.Event, d delivery) task.Event {
	if d.Action != "created" {
		e.Reason = "edited and deleted comments are not obeyed"
		return e
	}
	if d.Comment == nil {
		e.Reason = "a comment event without a comment"
		return e
	}
	e.CommentID, e.Comment = d.Comment.ID, d.Comment.Body
	if d.Comment.User.Login != "" {
		e.Actor, e.ActorIsBot = d.Comment.User.Login, d.Comment.User.Type == "Bot"
	}
	byUs := d.Comment.App != nil && d.Comment.App.ID == c.cfg.AppID && e.ActorIsBot
	if byUs || c.isMe(e.Actor) {
		e.Reason = "our own comment"
		return e
	}
	e.Kind = task.EventComment
	return e
}

// decodeInstallation: the whole installation is gone or suspended; the event's
// repository then has no name.
func decodeInstallation(e task.Event, d delivery) task.Event {
	switch d.Action {
	case "deleted", "suspend":
		e.Kind, e.Reason = task.EventRemoved, "installation: "+d.Action
	default:
		e.Reason = "nothing is done for this action on an installation"
	}
	return e
}

func decodeRemoved(e task.Event, d delivery) ([]task.Event, error) {
	if d.Action != "removed" || len(d.Removed) == 0 {
		e.Reason = "no repository was removed"
		return []task.Event{e}, nil
	}
	var out []task.Event
	for _, r := range d.Removed {
		repo, err := r.task(e.Repo.Installation)
		if err != nil {
			return nil, fmt.Errorf("forge: delivery %s: %w", e.Delivery, err)
		}
		one := e
		one.Kind, one.Repo, one.Reason = task.EventRemoved, repo, "the repository was taken from the installation"
		out = append(out, one)
	}
	return out, nil
}
