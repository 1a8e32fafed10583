package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// GitHub asks for at most 80 content-generating requests a minute and 500 an
// hour (docs.github.com, "Rate limits for the REST API", secondary limits).
const (
	writesPerMinute = 80
	writesPerHour   = 500
	unstatedPause   = 60 * time.Second

	// and for at most 900 points a minute: a read is one, a change five
	pointsPerMinute = 900
	changePoints    = 5
)

// Pace keeps what was sent for each installation where every process that works for it
// sees it: GitHub counts them together. Change hands f what is kept (nil: nothing yet) and
// keeps what f returns, one caller of an installation at a time; an error of f's is
// returned, and nothing is kept.
type Pace interface {
	Change(ctx context.Context, installation int64, f func(old []byte) ([]byte, error)) error
}

// ownPace is the Pace of one process.
type ownPace struct {
	mu   sync.Mutex
	each map[int64][]byte
}

// Change implements Pace.
func (p *ownPace) Change(_ context.Context, installation int64, f func([]byte) ([]byte, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, err := f(p.each[installation])
	if err == nil {
		p.each[installation] = kept
	}
	return err
}

// limits knows, for each installation, until when nothing may be sent, and what was
// sent in the last hour.
type limits struct {
	now  func() time.Time
	pace Pace
}

// sent is what went out for an installation, as it is kept.
type sent struct {
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason,omitempty"`
	Writes window    `json:"writes,omitempty"` // of an hour
	Points window    `json:"points,omitempty"` // of a minute
}

// window is what was spent, the oldest first: when (Unix µs) and how much, what falls into
// one second being one entry with its last moment.
type window [][2]int64

// free is when n more can be spent where a span takes most of them: now, or later.
func (w window) free(now time.Time, span time.Duration, most, n int64) time.Time {
	begin := now.Add(-span).UnixMicro()
	for _, e := range w {
		if e[0] > begin {
			n += e[1]
		}
	}
	for _, e := range w {
		if n <= most {
			break
		}
		if e[0] > begin {
			n -= e[1]
			now = time.UnixMicro(e[0]).Add(span)
		}
	}
	return now
}

// add spends n, and drops what is older than span.
func (w window) add(now time.Time, span time.Duration, n int64) window {
	begin := now.Add(-span).UnixMicro()
	w = slices.DeleteFunc(w, func(e [2]int64) bool { return e[0] <= begin })
	if last := len(w) - 1; last >= 0 && time.UnixMicro(w[last][0]).Unix() == now.Unix() {
		w[last] = [2]int64{max(now.UnixMicro(), w[last][0]), w[last][1] + n}
		return w
	}
	return append(w, [2]int64{now.UnixMicro(), n})
}

func newLimits(now func() time.Time, pace Pace) *limits {
	if pace == nil {
		pace = &ownPace{each: map[int64][]byte{}}
	}
	return &limits{now: now, pace: pace}
}

func (l *limits) change(ctx context.Context, installation int64, f func(now time.Time, s *sent) error) error {
	return l.pace.Change(ctx, installation, func(old []byte) ([]byte, error) {
		var s sent
		if len(old) > 0 {
			if err := json.Unmarshal(old, &s); err != nil {
				s = sent{} // a later version's; GitHub's own answers hold
			}
		}
		if err := f(l.now(), &s); err != nil {
			return nil, err
		}
		return json.Marshal(s)
	})
}

// admit says whether a request may be sent now: one that only reads, that changes
// something, or that makes content which people see.
func (l *limits) admit(ctx context.Context, installation int64, points int, write bool) error {
	return l.change(ctx, installation, func(now time.Time, s *sent) error {
		if now.Before(s.Until) {
			return &RateLimited{Until: s.Until, Installation: installation, Reason: s.Reason}
		}
		if write {
			for _, w := range []struct {
				most int64
				span time.Duration
			}{{writesPerMinute, time.Minute}, {writesPerHour, time.Hour}} {
				if free := s.Writes.free(now, w.span, w.most, 1); free.After(now) {
					return &RateLimited{Until: free, Installation: installation, Reason: "own pace of writes, " + strconv.FormatInt(w.most, 10) + " in " + w.span.String()}
				}
			}
		}
		if installation != 0 { // else the App's own list of deliveries, which the sweep bounds
			if free := s.Points.free(now, time.Minute, pointsPerMinute, int64(points)); free.After(now) {
				return &RateLimited{Until: free, Installation: installation, Reason: "own pace, " + strconv.Itoa(pointsPerMinute) + " points a minute"}
			}
			s.Points = s.Points.add(now, time.Minute, int64(points))
		}
		if write {
			s.Writes = s.Writes.add(now, time.Hour, 1)
		}
		return nil
	})
}

// block forbids everything for an installation for d from now.
func (l *limits) block(ctx context.Context, installation int64, d time.Duration, reason string) error {
	limited := &RateLimited{Installation: installation}
	if err := l.change(ctx, installation, func(now time.Time, s *sent) error {
		if until := now.Add(d); until.After(s.Until) {
			s.Until, s.Reason = until, reason
		}
		limited.Until, limited.Reason = s.Until, s.Reason
		return nil
	}); err != nil {
		return err
	}
	return limited
}

// learn reads an answer and says whether it was a refusal for the rate. A good
// answer that used up the last request blocks what comes after it.
func (l *limits) learn(ctx context.Context, installation int64, resp *http.Response, body []byte) error {
	wait, stated := l.stated(resp.Header)
	if !limited(resp, body) {
		if resp.Header.Get("X-RateLimit-Remaining") == "0" && wait > 0 {
			var limited *RateLimited
			if err := l.block(ctx, installation, wait, "last request of the window used"); !errors.As(err, &limited) {
				return err
			}
		}
		return nil
	}
	if !stated {
		wait = unstatedPause
	}
	reason := "answered " + strconv.Itoa(resp.StatusCode)
	if !stated {
		reason += " with no time stated"
	}
	return l.block(ctx, installation, wait, reason)
}

// limited tells a rate limit from a refusal for want of permission.
func limited(resp *http.Response, body []byte) bool {
	h := resp.Header
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return true
	case resp.StatusCode >= 500:
		return h.Get("Retry-After") != ""
	case resp.StatusCode != http.StatusForbidden:
		return false
	case h.Get("Retry-After") != "", h.Get("X-RateLimit-Remaining") == "0":
		return true
	}
	low := bytes.ToLower(body)
	return bytes.Contains(low, []byte("rate limit")) || bytes.Contains(low, []byte("abuse detection"))
}

// stated is how long an answer asks to wait. Times of GitHub's clock are taken
// relative to the answer's own Date, so that our clock may be wrong.
func (l *limits) stated(h http.Header) (time.Duration, bool) {
	there := l.now()
	if d, err := http.ParseTime(h.Get("Date")); err == nil {
		there = d
	}
	if v := strings.TrimSpace(h.Get("Retry-After")); v != "" {
		if n, err := strconv.ParseInt(v, 10, 32); err == nil && n >= 0 {
			return max(time.Duration(n)*time.Second, time.Second), true
		}
		if at, err := http.ParseTime(v); err == nil {
			return max(at.Sub(there), time.Second), true
		}
	}
	if h.Get("X-RateLimit-Remaining") != "0" {
		return 0, false
	}
	n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || n <= 0 {
		return 0, false
	}
	return max(time.Unix(n, 0).Sub(there)+time.Second, time.Second), true
}
