package forge

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// maxComment is below GitHub's limit of 65,536 characters for a comment or a
// body, so that the marker fits.
const maxComment = 65000

// StatusComment writes the one comment of this key on the issue: it edits the
// comment that stands there, or makes it. An equal body is not sent again.
func (c *Client) StatusComment(ctx context.Context, repo task.Repo, issue int, key, body string) (int64, string, error) {
	got, err := c.comment(ctx, repo, issue, key, body, true)
	return got.ID, got.URL, err
}

// Comment makes a comment once: when one of this key stands on the issue
// already, that one is returned as it is.
func (c *Client) Comment(ctx context.Context, repo task.Repo, issue int, key, body string) (string, error) {
	got, err := c.comment(ctx, repo, issue, key, body, false)
	return got.URL, err
}

// comment is what we have to know of a comment. go-github v60 lacks the App
// that wrote it.
type comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	URL  string `json:"html_url"`
	User struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
		Type  string `json:"type"`
	} `json:"user"`
	App *struct {
		ID int64 `json:"id"`
	} `json:"performed_via_github_app"`
}

func (c *Client) comment(ctx context.Context, repo task.Repo, issue int, key, body string, edit bool) (comment, error) {
	g, err := c.rest(repo)
	if err != nil {
		return comment{}, err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return comment{}, err
	}
	defer unlock()
	w := commentWriter{c: c, g: g, repo: repo, issue: issue, marker: c.marker(repo, issue, key)}
	whole := w.marker + "\n" + clip(c.cfg.Funnel.Comment(body), maxComment)
	got, ok := c.known.get(w.marker)
	if ok && !edit {
		return got, nil
	}
	if !ok {
		if got, err = w.findOrCreate(ctx, whole); err != nil {
			return comment{}, c.explain(fmt.Sprintf("commenting on %s#%d", repo.Slug(), issue), err)
		}
	}
	if edit && !sameText(got.Body, whole) {
		if got, err = w.edit(ctx, got, whole); err != nil {
			return comment{}, c.explain(fmt.Sprintf("editing the status comment on %s#%d", repo.Slug(), issue), err)
		}
	}
	c.known.put(w.marker, got)
	if got.User.ID != 0 { // ours, or it would not be edited or known
		c.userID.Store(got.User.ID)
	}
	return got, nil
}

// commentWriter writes the one comment that carries a marker.
type commentWriter struct {
	c      *Client
	g      *github.Client
	repo   task.Repo
	issue  int
	marker string
}

func (w commentWriter) findOrCreate(ctx context.Context, whole string) (comment, error) {
	var got comment
	err := w.c.createOnce(ctx, func() (found bool, err error) {
		got, found, err = w.find(ctx)
		return found, err
	}, func() error {
		return w.send(ctx, http.MethodPost, fmt.Sprintf("repos/%s/%s/issues/%d/comments", w.repo.Owner, w.repo.Name, w.issue), whole, &got)
	})
	return got, err
}

func (w commentWriter) edit(ctx context.Context, old comment, whole string) (comment, error) {
	got := comment{}
	err := w.send(ctx, http.MethodPatch, fmt.Sprintf("repos/%s/%s/issues/comments/%d", w.repo.Owner, w.repo.Name, old.ID), whole, &got)
	if status(err) != http.StatusNotFound {
		return got, err
	}
	// Somebody deleted it: it is made again.
	w.c.known.drop(w.marker)
	return w.findOrCreate(ctx, whole)
}

func (w commentWriter) send(ctx context.Context, method, path, body string, into *comment) error {
	req, err := w.g.NewRequest(method, path, map[string]string{"body": body})
	if err != nil {
		return err
	}
	_, err = w.g.Do(ctx, req, into)
	return err
}

// find looks through all comments for the oldest of ours with the marker.
func (w commentWriter) find(ctx context.Context) (comment, bool, error) {
	me, err := w.c.identity(ctx, w.repo.Installation)
	if err != nil {
		return comment{}, false, err
	}
	for page := 1; page != 0; {
		path := fmt.Sprintf("repos/%s/%s/issues/%d/comments?per_page=100&page=%d", w.repo.Owner, w.repo.Name, w.issue, page)
		req, err := w.g.NewRequest(http.MethodGet, path, nil)
		if err != nil {
			return comment{}, false, err
		}
		var list []comment
		resp, err := w.g.Do(ctx, req, &list)
		if err != nil {
			return comment{}, false, err
		}
		for _, x := range list {
			if strings.HasPrefix(x.Body, w.marker) && w.c.wroteIt(x, me) {
				return x, true, nil
			}
		}
		page = resp.NextPage
	}
	return comment{}, false, nil
}

// wroteIt tells whether the App itself is the author. A person who comments
// through the App (user token) is not.
func (c *Client) wroteIt(x comment, me string) bool {
	if x.User.Type != "Bot" {
		return false
	}
	return strings.EqualFold(x.User.Login, me) || x.App != nil && x.App.ID == c.cfg.AppID
}

// marker is the first line of a comment of ours. It is bound to repository,
// issue and key; without the key of the HMAC nobody can make one.
func (c *Client) marker(repo task.Repo, issue int, key string) string {
	m := hmac.New(sha256.New, c.cfg.MarkerKey)
	_, _ = fmt.Fprintf(m, "%d\x00%s\x00%d\x00%s", repo.Installation, strings.ToLower(repo.Slug()), issue, key)
	shown := strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r == '/' || r == '#' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, key)
	shown = shown[:min(len(shown), 60)]
	return fmt.Sprintf("<!-- fettle:%s:%s -->", shown, hex.EncodeToString(m.Sum(nil)[:16]))
}

// sameText compares as GitHub stores: line ends and final blanks may change.
func sameText(a, b string) bool {
	norm := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return norm(a) == norm(b)
}

// clip cuts a text to at most limit characters, at a line's end, closes an
// open code fence and says how much was left out.
func clip(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	const room = 200
	kept := string(runes[:limit-room])
	if i := strings.LastIndexByte(kept, '\n'); i > len(kept)/2 {
		kept = kept[:i]
	}
	fence := ""
	for line := range strings.Lines(kept) {
		line = strings.TrimSpace(line)
		switch mark := leading(line); {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "" && strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "":
			fence = ""
		}
	}
	if len(fence) > room/2 {
		fence = "" // no text of ours has such a fence
	}
	if fence != "" {
		kept += "\n" + fence
	}
	return fmt.Sprintf("%s\n\n… %d more characters were cut here.", kept, len(runes)-len([]rune(kept)))
}

// leading is the run of backticks or tildes that a line begins with.
func leading(line string) string {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	return line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
}

// knownComments spares the search for a comment that this process wrote. It
// is only a short cut: what is not in it is looked for.
type knownComments struct {
	mu  sync.Mutex
	all map[string]comment
}

const maxKnown = 2048

func newKnownComments() *knownComments { return &knownComments{all: map[string]comment{}} }

func (k *knownComments) get(marker string) (comment, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	x, ok := k.all[marker]
	return x, ok
}

func (k *knownComments) put(marker string, x comment) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.all) >= maxKnown {
		clear(k.all)
	}
	k.all[marker] = x
}

func (k *knownComments) drop(marker string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.all, marker)
}
