package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// A client may be given the token of one repository instead of an App's key: that
// of a job of GitHub Actions, or one that somebody made for the job. Then it
// cannot act as the App, so nothing of a sweep works, and a token that is refused
// is not renewed.

// JobLogin is whose token every job of GitHub Actions has.
const JobLogin = "github-actions[bot]"

// ErrPerson says that a token is that of a person.
var ErrPerson = errors.New("the token belongs to a person, and what fettle writes could not be told from what that person writes; give the job's own token, or one that a GitHub App made")

// withoutKey answers where only the App itself could ask.
type withoutKey struct{}

func (withoutKey) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("forge: %s %s can only be asked by the App itself, and there is a token of one repository instead of its key", r.Method, r.URL.Path)
}

// givenToken is the token of the configuration, for its repository alone.
func (c *Client) givenToken(installation int64, repo, refused string) (string, error) {
	_, name, _ := strings.Cut(c.cfg.TokenFor.Slug(), "/")
	if installation != c.cfg.TokenFor.Installation || !strings.EqualFold(repo, name) {
		return "", fmt.Errorf("forge: the token is for %s and not for another repository (%q)", c.cfg.TokenFor.Slug(), repo)
	}
	if refused != "" {
		return "", fmt.Errorf("GitHub does not accept the token for %s (any more): a job's ends with the job, one that an App made ends after an hour; start the job again", c.cfg.TokenFor.Slug())
	}
	return c.cfg.Token, nil
}

// Login is whom GitHub takes this client for, such as fettle[bot]. A token of a
// person is an error: what fettle writes must be told from what people write.
func (c *Client) Login(ctx context.Context, repo task.Repo) (string, error) {
	me, err := c.identity(ctx, repo.Installation)
	if err != nil {
		return "", err
	}
	if !strings.HasSuffix(me, "[bot]") {
		return "", fmt.Errorf("%w: %s", ErrPerson, me)
	}
	return me, nil
}

// viewer asks whose the given token is; REST does not tell a token of an App.
func (c *Client) viewer(ctx context.Context) (string, error) {
	g, err := c.rest(c.cfg.TokenFor)
	if err != nil {
		return "", err
	}
	var data struct {
		Viewer struct {
			Login string `json:"login"`
		} `json:"viewer"`
	}
	if err := c.graphql(ctx, g, c.cfg.TokenFor, "asking whose the token is", "query{viewer{login}}", nil, &data); err != nil {
		return "", c.explain("asking GitHub whose the token is", err)
	}
	if data.Viewer.Login == "" {
		return "", errors.New("forge: GitHub did not say whose the token is")
	}
	return data.Viewer.Login, nil
}

// InstallationOf is the App's installation on a repository.
func (c *Client) InstallationOf(ctx context.Context, repo task.Repo) (int64, error) {
	if err := checkRepo(repo); err != nil {
		return 0, err
	}
	in, _, err := c.app(0).Apps.FindRepositoryInstallation(ctx, repo.Owner, repo.Name)
	if err != nil {
		return 0, c.explain("looking for the App's installation on "+repo.Slug(), err)
	}
	return in.GetID(), nil
}
