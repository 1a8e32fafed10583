package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// delivery is a request whose signature was right.
type delivery struct {
	id, event    string
	installation int64
	payload      []byte // JSON
}

// read takes a verified request apart.
func read(header http.Header, body []byte) (delivery, *refusal) {
	d := delivery{id: header.Get("X-GitHub-Delivery"), event: header.Get("X-GitHub-Event"), payload: body}
	if !deliveryID.MatchString(d.id) || !eventName.MatchString(d.event) {
		return d, &refusal{http.StatusBadRequest, "X-GitHub-Delivery and X-GitHub-Event have to be given"}
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case err == nil && kind == "application/json":
	case err == nil && kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil || !form.Has("payload") {
			return d, &refusal{http.StatusBadRequest, "the form has no field payload"}
		}
		d.payload = []byte(form.Get("payload"))
	default:
		return d, &refusal{http.StatusUnsupportedMediaType, "the content type has to be application/json or application/x-www-form-urlencoded"}
	}
	if !json.Valid(d.payload) || bytes.TrimLeft(d.payload, " \t\r\n")[0] != '{' {
		return d, &refusal{http.StatusBadRequest, "the payload is not a JSON object"}
	}
	d.installation = installationOf(d.payload)
	return d, nil
}

// installationOf is the App installation that a payload speaks of, or 0.
func installationOf(payload []byte) int64 {
	var p struct {
		Installation struct {
			ID int64 `json:"id"`
		} `json:"installation"`
	}
	if json.Unmarshal(payload, &p) != nil {
		return 0
	}
	return p.Installation.ID
}

// Bodies are read by strangers' leave: anybody can send 25 MiB before the
// signature is known to be wrong. So only a few large ones are held at once.
// Those up to smallBody, as nearly all of GitHub's are, need no such place, so
// that no flood of large ones keeps them out; a large one waits for a place as
// long as its request lives. A sender who trickles holds a place for no longer
// than that.
const (
	smallBody   = 1 << 20
	largeAtOnce = 8
)

var (
	errTooLarge = errors.New("body too large")
	errBusy     = errors.New("too many large bodies at once")
)

type bodies struct {
	max   int64
	large chan struct{}
}

func newBodies(maxBytes int64) *bodies {
	return &bodies{max: maxBytes, large: make(chan struct{}, largeAtOnce)}
}

// read reads a body of at most max bytes.
func (b *bodies) read(ctx context.Context, from io.Reader) ([]byte, error) {
	small := min(b.max, smallBody)
	body, err := io.ReadAll(io.LimitReader(from, small+1))
	if err != nil || int64(len(body)) <= small {
		return body, err
	}
	if small == b.max {
		return nil, errTooLarge
	}
	select {
	case b.large <- struct{}{}:
		defer func() { <-b.large }()
	case <-ctx.Done():
		return nil, errBusy
	}
	rest, err := io.ReadAll(io.LimitReader(from, b.max+1-int64(len(body))))
	if err != nil {
		return nil, err
	}
	if body = append(body, rest...); int64(len(body)) > b.max {
		return nil, errTooLarge
	}
	return body, nil
}
