package forge

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// changes says what an edited thing was before.
type changes struct {
	Base struct {
		Ref struct {
			From string `json:"from"`
		} `json:"ref"`
	} `json:"base"`
	DefaultBranch struct {
		From string `json:"from"`
	} `json:"default_branch"`
	Repository struct {
		Name struct {
			From string `json:"from"`
		} `json:"name"`
	} `json:"repository"`
	Owner struct {
		From struct {
			User         *user `json:"user"`
			Organization *user `json:"organization"`
		} `json:"from"`
	} `json:"owner"`
}

// decodeRepository: Before is what stood there before, owner/name or the default
// branch; After is what stands there now.
func decodeRepository(e task.Event, d delivery) task.Event {
	e.After = e.Repo.Slug()
	switch was := d.Changes; d.Action {
	case "renamed":
		e.Before = e.Repo.Owner + "/" + was.Repository.Name.From
	case "transferred":
		for _, from := range []*user{was.Owner.From.User, was.Owner.From.Organization} {
			if from != nil {
				e.Before = from.Login + "/" + e.Repo.Name
			}
		}
	case "archived", "unarchived", "deleted":
		e.Before = e.After
	case "edited":
		if was.DefaultBranch.From == "" {
			e.Reason = "nothing is done for this change of a repository"
			return e
		}
		e.Action, e.Before, e.After = "default_branch", was.DefaultBranch.From, e.Repo.DefaultBranch
	default:
		e.Reason = "nothing is done for this action on a repository"
		return e
	}
	e.Kind = task.EventRepo
	return e
}

func (c *Client) decodePush(e task.Event, d delivery) task.Event {
	branch, ok := strings.CutPrefix(d.Ref, "refs/heads/")
	switch {
	case !ok:
		e.Reason = "not a branch"
	case c.isMe(d.Sender.Login):
		e.Reason = "our own doing"
	default:
		e.Kind, e.Branch, e.Before, e.After = task.EventPush, branch, d.Before, d.After
	}
	return e
}
