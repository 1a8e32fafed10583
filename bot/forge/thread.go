package forge

import (
	"context"
	"fmt"
	"net/http"

	"github.com/fettle-dev/fettle/bot/task"
)

// maxSaid bounds the comments of an issue that are read.
const maxSaid = 100

// Said is what somebody wrote under an issue. The words are foreign.
type Said struct {
	Author, Body string
}

// Thread reads the first hundred comments of an issue, the oldest first.
func (c *Client) Thread(ctx context.Context, repo task.Repo, n int) ([]Said, error) {
	g, err := c.rest(repo)
	if err != nil {
		return nil, err
	}
	req, err := g.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/issues/%d/comments?per_page=%d", repo.Owner, repo.Name, n, maxSaid), nil)
	if err != nil {
		return nil, err
	}
	var list []comment
	if _, err := g.Do(ctx, req, &list); err != nil {
		return nil, c.explain(fmt.Sprintf("reading the comments of %s#%d", repo.Slug(), n), err)
	}
	var out []Said
	for _, x := range list {
		out = append(out, Said{Author: x.User.Login, Body: x.Body})
	}
	return out, nil
}
