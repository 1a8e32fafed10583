package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// Class is why a call gave no usable answer.
type Class string

// The classes of failed calls.
const (
	Refused     Class = "refused"      // connection refused, 4xx: trying again cannot help
	NotOffered  Class = "not_offered"  // the provider does not have this model (any more)
	RateLimited Class = "rate_limited" // 429
	Server      Class = "server"       // 5xx, an error in mid stream, a connection cut before the answer began
	Stalled     Class = "stalled"      // nothing came, no more came, or the call's time was up
	TooLarge    Class = "too_large"    // the answer was over 4 MiB, or what surrounds it over 64 MiB
	Malformed   Class = "malformed"    // not a chat completion, cut, or not UTF-8
	Empty       Class = "empty"        // a completion without text
	Cancelled   Class = "cancelled"    // the caller gave up
)

// Error is a call that gave no usable answer.
type Error struct {
	Class      Class
	Tier       task.Tier
	Retryable  bool
	RetryAfter time.Duration // as the provider asked
	Down       bool          // the provider, not the request, is the trouble: a substitute may help
	Charged    bool          // the provider may have charged for it
	Cost       task.USD      // what it charged, where that is known; else the worst case counts
	Err        error
}

func (e *Error) Error() string {
	return fmt.Sprintf("asking the model of %s: %s: %v", e.Tier, e.Class, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Causes that a call's context ends with.
var (
	errFirst   = errors.New("nothing came in time")
	errBetween = errors.New("no more came in time")
	errTotal   = errors.New("the answer was not complete in time")
)

// Faults of an answer's body.
var (
	errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxText>>20)
	errCut      = errors.New("the answer ends in the middle")
	errUTF8     = errors.New("the answer is not UTF-8; code with replaced characters is never used")
)

// maxErrorText bounds what a provider says about a failure, in bytes: it is
// stored with the attempt and shown.
const maxErrorText = 2000

// short cuts the text of an error; a provider's page of HTML is no message.
func short(err error) error {
	if text := err.Error(); len(text) > maxErrorText {
		return fmt.Errorf("%s… (%d bytes)", strings.ToValidUTF8(text[:maxErrorText], ""), len(text))
	}
	return err
}

// classify makes one kind of error out of whatever went wrong.
func classify(ctx context.Context, tier task.Tier, d *doer, now time.Time, err error) *Error {
	e := &Error{Tier: tier, Err: short(redact.New(d.key).Error(err))} // some providers say which key they refuse
	cause := context.Cause(ctx)
	sent := d.sent.Load()
	switch {
	case errors.Is(err, errTooLarge):
		e.Class, e.Charged = TooLarge, true
	case errors.Is(cause, errFirst), errors.Is(cause, errBetween), errors.Is(cause, errTotal), errors.Is(cause, context.DeadlineExceeded):
		e.Class, e.Charged, e.Err = Stalled, sent, cause
		e.Down = !errors.Is(cause, errBetween) && !d.answered()
	case cause != nil:
		e.Class, e.Charged = Cancelled, sent
	case d.status >= 400:
		refusal(e, d, now, err)
	case d.status == 0 && sent:
		e.Class, e.Charged, e.Down = Server, true, true // and the answer never came
	case d.status == 0: // never sent: connection refused, no route, bad URL
		e.Class, e.Down = Refused, true
	case isAPI(err): // said in the middle of the stream
		e.Class, e.Charged = Server, true
	default:
		e.Class, e.Charged = Malformed, true
	}
	return e
}

func isAPI(err error) bool {
	var api *openai.APIError
	return errors.As(err, &api)
}

// refusal is an answer with an error's status: nothing was charged.
func refusal(e *Error, d *doer, now time.Time, err error) {
	text := strings.ToLower(err.Error())
	var api *openai.APIError
	if errors.As(err, &api) {
		text += fmt.Sprint(" ", api.Code, " ", api.Type)
	}
	switch {
	case d.status == http.StatusTooManyRequests && !strings.Contains(text, "insufficient_quota"):
		e.Class, e.Retryable, e.Down, e.RetryAfter = RateLimited, true, true, retryAfter(d.header, now)
	case d.status == http.StatusTooManyRequests, d.status == http.StatusPaymentRequired: // no money: waiting does not help
		e.Class, e.Down = Refused, true
	case d.status >= 500, d.status == http.StatusRequestTimeout:
		e.Class, e.Retryable, e.Down, e.RetryAfter = Server, true, true, retryAfter(d.header, now)
	case d.status == http.StatusGone, d.status == http.StatusNotFound && strings.Contains(text, "model"):
		e.Class, e.Down = NotOffered, true
	default:
		e.Class = Refused
	}
}

// retryAfter reads the header in both forms of RFC 9110, seconds and date, and
// the milliseconds that some providers add. A date counts from the server's
// own clock where it tells it.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		if s >= 0 && s < 1e9 { // not NaN either
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if server, err := http.ParseTime(h.Get("Date")); err == nil {
		now = server
	}
	return max(at.Sub(now), 0)
}
