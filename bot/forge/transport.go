package forge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// transport is one HTTP request to GitHub, done well: admitted by the rate
// limits, authenticated, repeated when that is safe, its answer read whole.
type transport struct {
	c              *Client
	wire           http.RoundTripper
	installation   int64
	repo           string
	asInstallation bool // else the wire signs as the App
}

// installationKey is where a request's context has its installation.
type installationKey struct{}

// errServer is an answer of 5xx; the answer itself is kept beside it.
var errServer = errors.New("GitHub answered with a server error")

// RoundTrip implements http.RoundTripper. Its errors are *RateLimited, an
// error of getting a token, or a broken connection.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	if req.URL.Host != t.c.base.Host || req.URL.Scheme != t.c.base.Scheme {
		return nil, fmt.Errorf("forge: refused to send a token to %s, which is not %s", req.URL.Host, t.c.base.Host)
	}
	tries := 1
	if repeatable(req) {
		tries = maxTries
	}
	var last *http.Response
	resp, err := retry(req.Context(), t.c.cfg.RetryPause, tries, func() (*http.Response, error) {
		resp, err := t.authenticated(req, body)
		switch {
		case err != nil:
			last = nil
			return nil, err
		case resp.StatusCode >= 500:
			last = resp
			return nil, errServer
		}
		return resp, nil
	})
	if errors.Is(err, errServer) && last != nil {
		return last, nil
	}
	return resp, err
}

// authenticated sends once, and once more with a new token when the first was
// refused: tokens expire in mid-run.
func (t *transport) authenticated(req *http.Request, body []byte) (*http.Response, error) {
	refused := ""
	for {
		auth := ""
		if t.asInstallation {
			tok, err := t.c.token(req.Context(), t.installation, t.repo, refused)
			if err != nil {
				return nil, backoff.Permanent(err)
			}
			auth = tok
		}
		resp, err := t.send(req, body, auth)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || !t.asInstallation || refused != "" {
			return resp, err
		}
		t.c.cfg.Log.WithField("installation", t.installation).Info("installation token refused; getting a new one")
		refused = auth
	}
}

// send does one exchange within the request timeout and reads the answer whole.
func (t *transport) send(req *http.Request, body []byte, auth string) (*http.Response, error) {
	if err := t.c.flight.Acquire(req.Context(), 1); err != nil {
		return nil, backoff.Permanent(err)
	}
	defer t.c.flight.Release(1)
	if err := t.c.limits.admit(req.Context(), t.installation, points(req), notifies(req)); err != nil {
		return nil, backoff.Permanent(err)
	}
	ctx, cancel := context.WithTimeout(context.WithValue(req.Context(), installationKey{}, t.installation), t.c.cfg.RequestTimeout)
	defer cancel()
	out := req.Clone(ctx)
	if body != nil {
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	if auth != "" {
		out.Header.Set("Authorization", "Bearer "+auth)
	}
	start := t.c.cfg.Now()
	resp, err := t.wire.RoundTrip(out)
	if err != nil {
		return nil, fmt.Errorf("no answer from %s: %w", req.URL.Host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("the answer of %s was cut off: %w", req.URL.Host, err)
	}
	if len(got) > maxAnswer {
		return nil, backoff.Permanent(fmt.Errorf("the answer of %s is larger than %d bytes", req.URL.Host, maxAnswer))
	}
	t.c.cfg.Log.WithFields(map[string]any{"method": req.Method, "path": req.URL.Path, "status": resp.StatusCode, "elapsed": t.c.cfg.Now().Sub(start)}).Debug("github")
	if err := t.c.limits.learn(req.Context(), t.installation, resp, got); err != nil {
		return nil, backoff.Permanent(err)
	}
	if resp.StatusCode >= 300 || strings.HasSuffix(req.URL.Path, "/graphql") {
		// What an error says is logged and stored, and a proxy may repeat the
		// request's headers in it.
		got = t.c.cfg.Funnel.JSON(got)
	}
	// go-github would otherwise block by itself, by the wall clock, unasked.
	resp.Header.Del("X-RateLimit-Reset")
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(got)), int64(len(got))
	return resp, nil
}

// takeBody reads the request's body so that it can be sent more than once.
func takeBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	defer func() { _ = req.Body.Close() }()
	return io.ReadAll(req.Body)
}

// repeatable tells whether a request done twice leaves what it leaves once.
// Of the creations that holds for Git objects (named by their content), for
// tokens, reactions, labels on an issue, and our GraphQL mutations.
func repeatable(req *http.Request) bool {
	if req.Method != http.MethodPost {
		return true
	}
	p := req.URL.Path
	for _, end := range []string{"/access_tokens", "/git/blobs", "/git/trees", "/git/commits", "/reactions", "/graphql"} {
		if strings.HasSuffix(p, end) {
			return true
		}
	}
	return strings.Contains(p, "/issues/") && strings.HasSuffix(p, "/labels")
}

// points is what a request counts for against GitHub's limit of a minute.
func points(req *http.Request) int {
	if req.Method == http.MethodGet {
		return 1
	}
	return changePoints
}

// notifies tells whether a request makes content that people see, which GitHub
// wants paced. Git objects that no ref names yet do not.
func notifies(req *http.Request) bool {
	p := req.URL.Path
	switch {
	case req.Method == http.MethodGet, strings.HasSuffix(p, "/access_tokens"):
		return false
	case strings.HasSuffix(p, "/git/blobs"), strings.HasSuffix(p, "/git/trees"), strings.HasSuffix(p, "/git/commits"),
		strings.HasPrefix(p[strings.LastIndex(p, "/app/")+1:], "app/hook/"):
		return false
	}
	return true
}

// retry calls do up to tries times with growing pauses from first on. It stops
// at once at a permanent error and when ctx ends.
func retry[T any](ctx context.Context, first time.Duration, tries int, do func() (T, error)) (T, error) {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = first, 20*first
	v, err := backoff.Retry(ctx, do, backoff.WithBackOff(b), backoff.WithMaxTries(uint(tries)))
	var p *backoff.PermanentError
	if errors.As(err, &p) {
		err = p.Err
	}
	return v, err
}

// createOnce makes something that GitHub would make twice if asked twice: it
// looks for it, creates it, and after a failure that may have been a success
// looks again before it tries again.
func (c *Client) createOnce(ctx context.Context, look func() (bool, error), create func() error) error {
	var failed error
	made := 0
	_, err := retry(ctx, c.cfg.RetryPause, maxTries+1, func() (struct{}, error) {
		found, err := look()
		if err != nil {
			return struct{}{}, backoff.Permanent(err)
		}
		if found {
			return struct{}{}, nil
		}
		if made++; made > maxTries {
			return struct{}{}, backoff.Permanent(failed)
		}
		if failed = create(); failed == nil || unsure(failed) {
			return struct{}{}, failed
		}
		return struct{}{}, backoff.Permanent(failed)
	})
	return err
}
