package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Class is why a call gave no usable answer.
type Class string

// The classes of failed calls.
const (
	Refused     Class = "refused"      // connection refused, 4xx: trying again cannot help
	RateLimited Class = "rate_limited" // 429
	Server      Class = "server"       // 5xx, cut connection
	Stalled     Class = "stalled"      // the call's time was up
	TooLarge    Class = "too_large"    // the answer was over 64 MiB
	Malformed   Class = "malformed"    // not a chat completion
	Empty       Class = "empty"        // a completion without text
	Cancelled   Class = "cancelled"    // the caller gave up
)

// Error is a call that gave no usable answer.
type Error struct {
	Class      Class
	Tier       task.Tier
	Retryable  bool
	RetryAfter time.Duration
	Charged    bool     // the provider may have charged for it
	Cost       task.USD // what it charged, where that is known; else the worst case counts
	Err        error
}

func (e *Error) Error() string {
	return fmt.Sprintf("asking the model of %s: %s: %v", e.Tier, e.Class, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// doer is the HTTP client handed to go-openai: it bounds the body and keeps
// the headers of error answers, which go-openai drops.
type doer struct {
	client *http.Client
	status int
	header http.Header
	body   *boundedBody
}

func (d *doer) Do(req *http.Request) (*http.Response, error) {
	resp, err := d.client.Do(req) //nolint:gosec // the operator names the endpoint
	if err != nil {
		return nil, err
	}
	d.status, d.header = resp.StatusCode, resp.Header
	d.body = &boundedBody{ReadCloser: resp.Body, left: maxReplyBytes}
	resp.Body = d.body
	return resp, nil
}

var errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxReplyBytes>>20)

type boundedBody struct {
	io.ReadCloser
	left int64
	over bool
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.over = true
		return 0, errTooLarge
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}

// maxErrorText bounds what a provider says about a failure, in bytes: it is
// stored with the attempt and shown.
const maxErrorText = 2000

func classify(ctx context.Context, tier task.Tier, d *doer, err error) *Error {
	e := &Error{Tier: tier, Err: err}
	if text := err.Error(); len(text) > maxErrorText { // a provider's page of HTML is no message
		e.Err = fmt.Errorf("%s… (%d bytes)", strings.ToValidUTF8(text[:maxErrorText], ""), len(text))
	}
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	var dial *net.OpError
	switch {
	case d.body != nil && d.body.over:
		e.Class, e.Charged = TooLarge, true
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Class, e.Charged = Stalled, true
	case ctx.Err() != nil:
		e.Class, e.Charged = Cancelled, true
	case d.status == http.StatusTooManyRequests:
		e.Class, e.Retryable, e.RetryAfter = RateLimited, true, retryAfter(d.header)
	case d.status >= 500:
		e.Class, e.Retryable, e.RetryAfter = Server, true, retryAfter(d.header)
	case d.status >= 400:
		e.Class = Refused
	case d.status == 0 && errors.As(err, &dial) && dial.Op != "dial":
		e.Class, e.Charged = Server, true // sent, and the answer never came
	case d.status == 0 && errors.Is(err, io.EOF):
		e.Class, e.Charged = Server, true
	case d.status == 0: // never sent: connection refused, no route, bad URL
		e.Class = Refused
	case errors.As(err, &syntax), errors.As(err, &typ), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Class, e.Charged = Malformed, true
	default:
		e.Class, e.Charged = Malformed, true
	}
	return e
}

// retryAfter reads the header in its form of seconds; providers do not use the
// form with a date for completions.
func retryAfter(h http.Header) time.Duration {
	s, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || s < 0 {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}
