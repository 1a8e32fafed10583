package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// BranchHead is the commit a branch points to; ok is false when there is no
// such branch.
func (c *Client) BranchHead(ctx context.Context, repo task.Repo, branch string) (sha string, ok bool, err error) {
	if err := CheckBranch(branch); err != nil {
		return "", false, err
	}
	g, err := c.rest(repo)
	if err != nil {
		return "", false, err
	}
	ref, _, err := g.Git.GetRef(ctx, repo.Owner, repo.Name, "heads/"+branch)
	if s := status(err); s == http.StatusNotFound || s == http.StatusConflict { // 409: an empty repository
		if _, gone := c.Repo(ctx, repo); gone != nil {
			return "", false, gone
		}
		return "", false, nil
	}
	if err != nil {
		return "", false, c.explain("reading branch "+branch+" of "+repo.Slug(), err)
	}
	sha = ref.GetObject().GetSHA()
	if !hash.MatchString(sha) {
		return "", false, fmt.Errorf("reading branch %s of %s: GitHub answered with %q, which is not a commit", branch, repo.Slug(), sha)
	}
	return sha, true, nil
}

// mayWrite refuses default and protected branches.
func (c *Client) mayWrite(ctx context.Context, g *github.Client, repo task.Repo, branch string) error {
	now, err := c.Repo(ctx, repo)
	if err != nil {
		return err
	}
	if strings.EqualFold(branch, now.DefaultBranch) {
		return fmt.Errorf("refused to write to %s: it is the default branch of %s", branch, repo.Slug())
	}
	req, err := g.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/branches/%s", repo.Owner, repo.Name, url.PathEscape(branch)), nil)
	if err != nil {
		return err
	}
	var b github.Branch
	_, err = g.Do(ctx, req, &b)
	switch {
	case status(err) == http.StatusNotFound:
		return nil
	case err != nil:
		return c.explain("asking whether branch "+branch+" is protected", err)
	case b.GetProtected():
		return &Ruled{Branch: branch, Words: "it is a protected branch", Where: c.rulesURL(repo)}
	}
	return nil
}

// CheckBranch refuses what git check-ref-format --branch would refuse, and
// what could be taken for an option or a hash.
func CheckBranch(name string) error {
	bad := func(why string) error { return fmt.Errorf("%q is not a branch name: %s", name, why) }
	switch {
	case name == "" || len(name) > 200:
		return bad("it has to have 1 to 200 bytes")
	case name == "HEAD" || name == "@" || hash.MatchString(name):
		return bad("it means something else to Git")
	case strings.HasPrefix(name, "-") || strings.HasPrefix(name, "refs/"):
		return bad("its beginning means something else to Git")
	case strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, "."):
		return bad("it holds .., @{ or ends in a full stop")
	}
	for _, r := range name {
		if r <= ' ' || r == 0x7f || r == 0xfffd || strings.ContainsRune(`~^:?*[\`, r) {
			return bad("it holds a character that Git forbids")
		}
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return bad("a part of it is empty, begins with a full stop or ends in .lock")
		}
	}
	return nil
}
