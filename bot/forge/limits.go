package forge

import (
	"bytes"
	"net/http"
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

// limits remembers, for each installation, until when nothing may be sent and
// what was written in the last hour.
type limits struct {
	now  func() time.Time
	mu   sync.Mutex
	each map[int64]*installationLimit
}

type installationLimit struct {
	until  time.Time
	reason string
	writes []time.Time // oldest first, none older than an hour
	points []spent     // oldest first, none older than a minute
	sum    int         // of points
}

type spent struct {
	at     time.Time
	points int
}

// afford says whether so many points can be spent now, and spends them; else from
// when on they can be.
func (s *installationLimit) afford(now time.Time, points int) (free time.Time, ok bool) {
	for len(s.points) > 0 && !now.Before(s.points[0].at.Add(time.Minute)) {
		s.sum -= s.points[0].points
		s.points = s.points[1:]
	}
	left := s.sum
	for _, p := range s.points {
		if left+points <= pointsPerMinute {
			break
		}
		left, free = left-p.points, p.at.Add(time.Minute)
	}
	if !free.IsZero() {
		return free, false
	}
	s.points, s.sum = append(s.points, spent{now, points}), s.sum+points
	return now, true
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, each: map[int64]*installationLimit{}}
}

func (l *limits) of(installation int64) *installationLimit {
	s := l.each[installation]
	if s == nil {
		s = &installationLimit{}
		l.each[installation] = s
	}
	return s
}

// admit says whether a request may be sent now: one that only reads, that changes
// something, or that makes content which people see.
func (l *limits) admit(installation int64, points int, write bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, s := l.now(), l.of(installation)
	if now.Before(s.until) {
		return &RateLimited{Until: s.until, Installation: installation, Reason: s.reason}
	}
	if !write {
		return l.spend(s, installation, now, points)
	}
	for len(s.writes) > 0 && !now.Before(s.writes[0].Add(time.Hour)) {
		s.writes = s.writes[1:]
	}
	for _, w := range []struct {
		n    int
		span time.Duration
	}{{writesPerMinute, time.Minute}, {writesPerHour, time.Hour}} {
		if len(s.writes) < w.n {
			continue
		}
		free := s.writes[len(s.writes)-w.n].Add(w.span)
		if now.Before(free) {
			return &RateLimited{Until: free, Installation: installation, Reason: "own pace of writes, " + strconv.Itoa(w.n) + " in " + w.span.String()}
		}
	}
	if err := l.spend(s, installation, now, points); err != nil {
		return err
	}
	s.writes = append(s.writes, now)
	return nil
}

func (l *limits) spend(s *installationLimit, installation int64, now time.Time, points int) error {
	if installation == 0 {
		return nil // the App's own list of deliveries, which the sweep bounds
	}
	if free, ok := s.afford(now, points); !ok {
		return &RateLimited{Until: free, Installation: installation, Reason: "own pace, " + strconv.Itoa(pointsPerMinute) + " points a minute"}
	}
	return nil
}

// block forbids everything for an installation for d from now.
func (l *limits) block(installation int64, d time.Duration, reason string) *RateLimited {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(installation)
	if until := l.now().Add(d); until.After(s.until) {
		s.until, s.reason = until, reason
	}
	return &RateLimited{Until: s.until, Installation: installation, Reason: s.reason}
}

// learn reads an answer and says whether it was a refusal for the rate. A good
// answer that used up the last request blocks what comes after it.
func (l *limits) learn(installation int64, resp *http.Response, body []byte) *RateLimited {
	wait, stated := l.stated(resp.Header)
	if !limited(resp, body) {
		if resp.Header.Get("X-RateLimit-Remaining") == "0" && wait > 0 {
			_ = l.block(installation, wait, "last request of the window used")
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
	return l.block(installation, wait, reason)
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
