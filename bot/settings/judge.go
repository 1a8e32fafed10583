package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Judge says whose pull requests are judged as they come (SPEC S13). The zero Judge
// judges those that somebody asks about.
type Judge struct {
	Of          []string // of AuthorKinds
	Allow, Deny []string // logins, lower case, whatever Of says
	Required    bool     // all are judged, and the check fails unless the change is plausible at least
}

// AuthorKinds are whom pull requests come from: bots, people of the repository, and
// people whose branch lies in a fork.
var AuthorKinds = []string{"bots", "people", "forks"}

// Wants tells whether a pull request is judged as it comes.
func (j Judge) Wants(repo task.Repo, pr task.PullRequest) bool {
	if j.Required {
		return true
	}
	author := strings.ToLower(pr.Author)
	kind := "people"
	switch {
	case pr.AuthorIsBot:
		author, kind = botLogin(author), "bots"
	case !strings.EqualFold(pr.HeadRepo, repo.Slug()):
		kind = "forks"
	}
	return !slices.Contains(j.Deny, author) && (slices.Contains(j.Of, kind) || slices.Contains(j.Allow, author))
}

func judge(v value) (Judge, error) {
	var j Judge
	logins := func(v value) ([]string, error) {
		list, err := v.strings(loginName)
		for i := range list {
			list[i] = strings.ToLower(list[i])
		}
		return list, err
	}
	err := first(
		v.only(nil, "pull_requests_of", "allow", "deny", "required"),
		set(v, "pull_requests_of", &j.Of, func(v value) ([]string, error) {
			return v.strings(func(s string) error {
				if !slices.Contains(AuthorKinds, s) {
					return fmt.Errorf("must be of %s", strings.Join(AuthorKinds, ", "))
				}
				return nil
			})
		}),
		set(v, "allow", &j.Allow, logins),
		set(v, "deny", &j.Deny, logins),
		set(v, "required", &j.Required, value.boolean),
	)
	if err == nil && j.Required && len(j.Of)+len(j.Allow)+len(j.Deny) > 0 {
		err = v.errorf("required: true has all pull requests judged; leave pull_requests_of, allow and deny out, or required")
	}
	return j, err
}
