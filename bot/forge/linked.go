package forge

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// linkedPages bounds how many pull requests are looked through: a hundred each.
const linkedPages = 10

// Linked is the number of an open pull request for an issue, or 0: one from a
// branch of the repository whose name begins with prefix, or one whose text
// would close the issue when it is merged.
func (c *Client) Linked(ctx context.Context, repo task.Repo, issue int, prefix string) (int, error) {
	g, err := c.rest(repo)
	if err != nil {
		return 0, err
	}
	closes := closing(repo, issue)
	opts := &github.PullRequestListOptions{State: "open", ListOptions: github.ListOptions{PerPage: 100}}
	for range linkedPages {
		list, resp, err := g.PullRequests.List(ctx, repo.Owner, repo.Name, opts)
		if err != nil {
			return 0, c.explain(fmt.Sprintf("looking for pull requests for %s#%d", repo.Slug(), issue), err)
		}
		for _, p := range list {
			own := strings.HasPrefix(p.GetHead().GetRef()+"-", prefix+"-") && strings.EqualFold(p.GetHead().GetRepo().GetFullName(), repo.Slug())
			if own || closes.MatchString(p.GetTitle()+"\n"+p.GetBody()) {
				return p.GetNumber(), nil
			}
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return 0, nil
}

// closingWords are those by which GitHub closes an issue.
const closingWords = `(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+`

// closesOwn finds the first issue of its own repository that a pull request's text closes.
var closesOwn = regexp.MustCompile(closingWords + `#([1-9][0-9]{0,8})\b`)

// Closing is the issue that a pull request's text says it closes, or 0.
func Closing(body string) int {
	m := closesOwn.FindStringSubmatch(body)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // nine digits always fit
	return n
}

// closing matches the words with which GitHub links a pull request to an issue.
func closing(repo task.Repo, issue int) *regexp.Regexp {
	slug := regexp.QuoteMeta(repo.Slug())
	return regexp.MustCompile(closingWords + fmt.Sprintf(`(?:(?:%s)?#|https?://\S+/%s/issues/)%d(?:\D|$)`, slug, slug, issue))
}
