package forge

import (
	"errors"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

type pullRequest struct {
	Number   int    `json:"number"`
	Title    string `json:"title"`
	Body     string `json:"body"`
	State    string `json:"state"`
	HTMLURL  string `json:"html_url"`
	Draft    bool   `json:"draft"`
	Merged   bool   `json:"merged"`
	MergedAt string `json:"merged_at"`
	MergeSHA string `json:"merge_commit_sha"`
	Merge    string `json:"mergeable_state"`
	User     user   `json:"user"`
	Head     side   `json:"head"`
	Base     side   `json:"base"`
	Labels   []struct {
		Name string `json:"name"`
	} `json:"labels"`
}

type side struct {
	Ref  string      `json:"ref"`
	SHA  string      `json:"sha"`
	Repo *repository `json:"repo"`
}

type review struct {
	ID      int64  `json:"id"`
	State   string `json:"state"`
	Body    string `json:"body"`
	HTMLURL string `json:"html_url"`
	User    user   `json:"user"`
}

type checkSuite struct {
	ID         int64  `json:"id"`
	HeadSHA    string `json:"head_sha"`
	HeadBranch string `json:"head_branch"`
	Conclusion string `json:"conclusion"`
	App        struct {
		ID int64 `json:"id"`
	} `json:"app"`
	Pulls []struct {
		Number int `json:"number"`
	} `json:"pull_requests"`
}

type checkRun struct {
	checkSuite        // what a run has in common with a suite
	Name       string `json:"name"`
	HTMLURL    string `json:"html_url"`
	Output     struct {
		Title   string `json:"title"`
		Summary string `json:"summary"`
	} `json:"output"`
	Suite struct {
		HeadBranch string `json:"head_branch"`
	} `json:"check_suite"`
}

// task gives a pull request in our words.
func (p pullRequest) task() task.PullRequest {
	out := task.PullRequest{
		Number: p.Number, URL: p.HTMLURL, Title: p.Title, Body: p.Body, Draft: p.Draft, State: p.State, Author: p.User.Login, AuthorIsBot: p.User.Type == "Bot",
		Head: p.Head.Ref, HeadSHA: p.Head.SHA, Base: p.Base.Ref, BaseSHA: p.Base.SHA,
		Merged: p.Merged || p.MergedAt != "", MergeState: p.Merge,
	}
	if p.Head.Repo != nil {
		out.HeadRepo = p.Head.Repo.FullName
	}
	if out.Merged {
		out.MergeCommit = p.MergeSHA
	}
	return out
}

func fillPull(e *task.Event, d delivery) error {
	p := d.Pull
	if p == nil || p.Number <= 0 {
		return errors.New("no pull request")
	}
	shown := p.task()
	e.Pull = &shown
	e.Issue = task.Issue{Number: p.Number, Title: p.Title, Body: p.Body, State: p.State, URL: p.HTMLURL, Author: p.User.Login, IsPullRequest: true}
	for _, l := range p.Labels {
		e.Issue.Labels = append(e.Issue.Labels, l.Name)
	}
	return nil
}

func (c *Client) decodePull(e task.Event, d delivery) task.Event {
	switch d.Action {
	case "labeled", "unlabeled":
		if d.Label == nil || !strings.EqualFold(d.Label.Name, c.cfg.Label) {
			e.Reason = "another label"
			return e
		}
		e.Kind, e.Label = task.EventPull, c.cfg.Label
	case "synchronize":
		e.Kind, e.Branch, e.Before, e.After = task.EventPull, e.Pull.Head, d.Before, d.After
	case "opened", "closed", "reopened", "edited", "ready_for_review", "converted_to_draft":
		e.Kind, e.Before = task.EventPull, d.Changes.Base.Ref.From
	default:
		e.Reason = "nothing is done for this action on a pull request"
	}
	return e
}

func (c *Client) decodeReview(e task.Event, d delivery) task.Event {
	switch {
	case d.Review == nil || d.Review.ID <= 0:
		e.Reason = "a review event without a review"
	case d.Action != "submitted":
		e.Reason = "edited and dismissed reviews are not obeyed"
	default:
		r := d.Review
		e.Kind = task.EventReview
		e.Review = &task.Review{ID: r.ID, State: strings.ToLower(r.State), Body: r.Body, Author: r.User.Login, URL: r.HTMLURL}
		c.said(&e, r.User)
	}
	return e
}

// decodeReviewComment: GitHub sends one for each comment of a review, beside the
// review itself, and an empty review beside a reply.
func (c *Client) decodeReviewComment(e task.Event, d delivery) task.Event {
	switch {
	case d.Comment == nil || d.Comment.ID <= 0:
		e.Reason = "a comment event without a comment"
	case d.Action != "created":
		e.Reason = "edited and deleted comments are not obeyed"
	default:
		e.Kind, e.CommentID, e.Comment = task.EventReview, d.Comment.ID, d.Comment.Body
		e.Review = &task.Review{ID: d.Comment.Review, State: task.ReviewCommented, Author: d.Comment.User.Login}
		c.said(&e, d.Comment.User)
	}
	return e
}

// said makes the author of a text the actor, and what is ours ignored.
func (c *Client) said(e *task.Event, author user) {
	if author.Login != "" {
		e.Actor, e.ActorIsBot = author.Login, author.Type == "Bot"
	}
	if c.isMe(e.Actor) {
		e.Kind, e.Reason = task.EventIgnored, "our own comment"
	}
}

func (c *Client) decodeCheck(e task.Event, d delivery) (task.Event, error) {
	end := task.CheckEnd{Suite: d.CheckRun == nil}
	suite := d.CheckSuite
	if d.CheckRun != nil {
		suite = &d.CheckRun.checkSuite
		end.Name, end.Title, end.Summary, end.URL = d.CheckRun.Name, d.CheckRun.Output.Title, d.CheckRun.Output.Summary, d.CheckRun.HTMLURL
		suite.HeadBranch = d.CheckRun.Suite.HeadBranch
	}
	if suite == nil || suite.ID <= 0 || !hash.MatchString(suite.HeadSHA) {
		return e, errors.New("no check of a commit")
	}
	end.ID, end.HeadSHA, end.Branch, end.Conclusion, end.AppID = suite.ID, suite.HeadSHA, suite.HeadBranch, suite.Conclusion, suite.App.ID
	for _, p := range suite.Pulls {
		end.Pulls = append(end.Pulls, p.Number)
	}
	switch {
	case d.Action != "completed":
		e.Reason = "the check has not ended"
	case end.AppID == c.cfg.AppID:
		e.Reason = "our own check"
	default:
		e.Kind, e.Check = task.EventCheck, &end
	}
	return e, nil
}
