package forge

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// TestF06NothingIsSentBeforeTheStatedTime goes through the ways in which
// GitHub says that it wants a pause.
func TestF06NothingIsSentBeforeTheStatedTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		header func(h http.Header, now time.Time)
		body   string
		wait   time.Duration
	}{
		"403 Retry-After": {403, func(h http.Header, _ time.Time) { h.Set("Retry-After", "90") }, "secondary rate limit", 90 * time.Second},
		"429 Retry-After": {429, func(h http.Header, _ time.Time) { h.Set("Retry-After", "7") }, "", 7 * time.Second},
		"429 Retry-After date": {429, func(h http.Header, now time.Time) {
			h.Set("Retry-After", now.Add(40*time.Second).Format(http.TimeFormat))
		}, "", 40 * time.Second},
		"503 Retry-After": {503, func(h http.Header, _ time.Time) { h.Set("Retry-After", "30") }, "", 30 * time.Second},
		"403 reset": {403, func(h http.Header, now time.Time) {
			h.Set("X-RateLimit-Remaining", "0")
			h.Set("X-RateLimit-Reset", strconv.FormatInt(now.Add(10*time.Minute).Unix(), 10))
		}, "API rate limit exceeded", 10*time.Minute + time.Second},
		"403 neither": {403, func(http.Header, time.Time) {}, "You have exceeded a secondary rate limit", time.Minute},
		"429 neither": {429, func(http.Header, time.Time) {}, "", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, now := newFake(t), newClock()
			f.now = now.now
			there := now.now().Add(3 * time.Hour) // GitHub's clock is another one
			f.setFault(times(1, "GET", "/issues/1", func(w http.ResponseWriter) {
				w.Header().Set("Date", there.Format(http.TimeFormat))
				tc.header(w.Header(), there)
				reply(w, tc.status, map[string]any{"message": tc.body})
			}))
			c := testClient(t, f.URL, func(cfg *Config) { cfg.Now = now.now })
			want := now.now().Add(tc.wait)
			_, err := c.Issue(context.Background(), testRepo(), 1)
			checkLimited(t, err, want)
			sent := len(f.calls())
			now.add(tc.wait - time.Millisecond)
			_, err = c.Comment(context.Background(), task.Repo{Installation: 7, Owner: "acme", Name: "shop"}, 1, "k", "b")
			checkLimited(t, err, want)
			_, err = c.Token(context.Background(), 7, "other")
			checkLimited(t, err, want)
			if n := len(f.calls()); n != sent {
				t.Errorf("sent before the time: %v", f.calls()[sent:])
			}
			now.add(time.Millisecond)
			_, err = c.Issue(context.Background(), testRepo(), 1)
			ok(t, err)
		})
	}
}

func checkLimited(t *testing.T, err error, until time.Time) {
	t.Helper()
	var limited *RateLimited
	if !errors.As(err, &limited) {
		t.Fatalf("got %v, want a rate limit", err)
	}
	if !limited.Until.Equal(until) {
		t.Errorf("until %v, want %v", limited.Until, until)
	}
}

func TestF06RefusalForWantOfPermissionIsNoRateLimit(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.setFault(times(1, "GET", "/issues/1", func(w http.ResponseWriter) {
		reply(w, 403, map[string]any{"message": "Resource not accessible by integration"})
	}))
	c := testClient(t, f.URL, nil)
	_, err := c.Issue(context.Background(), testRepo(), 1)
	var limited *RateLimited
	if err == nil || errors.As(err, &limited) {
		t.Errorf("got %v, want a plain refusal", err)
	}
	_, err = c.Issue(context.Background(), testRepo(), 1)
	ok(t, err)
}

func TestF06LastRequestOfTheWindowBlocksTheNext(t *testing.T) {
	t.Parallel()
	f, now := newFake(t), newClock()
	f.now = now.now
	f.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Date", now.now().Format(http.TimeFormat))
		if r.URL.Path == "/api/v3/repos/acme/shop/issues/1" {
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(now.now().Add(time.Minute).Unix(), 10))
		}
		return false
	})
	c := testClient(t, f.URL, func(cfg *Config) { cfg.Now = now.now })
	_, err := c.Issue(context.Background(), testRepo(), 1)
	ok(t, err)
	want := now.now().Add(61 * time.Second)
	_, err = c.Issue(context.Background(), testRepo(), 1)
	checkLimited(t, err, want)
	other := testRepo()
	other.Installation = 8
	if _, err = c.Repo(context.Background(), other); err != nil {
		t.Errorf("another installation is not to wait: %v", err)
	}
}

func TestL03WritesKeepGitHubsPace(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := newLimits(now.now, nil)
	var all []time.Time
	for i := range 2000 {
		if err := l.admit(t.Context(), 7, changePoints, true); err != nil {
			var limited *RateLimited
			if !errors.As(err, &limited) || !limited.Until.After(now.now()) {
				t.Fatalf("write %d: %v", i, err)
			}
			ok(t, l.admit(t.Context(), 7, 1, false)) // reading goes on
			now.mu.Lock()
			now.t = limited.Until
			now.mu.Unlock()
			ok(t, l.admit(t.Context(), 7, changePoints, true))
		}
		all = append(all, now.now())
		hour, minute := 0, 0
		for _, at := range slices.Backward(all) {
			if now.now().Sub(at) >= time.Hour {
				break
			}
			if hour++; now.now().Sub(at) < time.Minute {
				minute++
			}
		}
		if hour > writesPerHour || minute > writesPerMinute {
			t.Fatalf("%d in the hour, %d in the minute", hour, minute)
		}
	}
}

func TestF06ServerErrorsAreRetriedWithinBounds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ fails, calls, status int }{{2, 3, 0}, {-1, 3, 502}} {
		f := newFake(t)
		f.setFault(times(tc.fails, "GET", "/issues/1", func(w http.ResponseWriter) { reply(w, 502, nil) }))
		c := testClient(t, f.URL, nil)
		_, err := c.Issue(context.Background(), testRepo(), 1)
		if status(err) != tc.status {
			t.Errorf("got %v, want status %d", err, tc.status)
		}
		if n := count(f.calls(), "GET /repos/acme/shop/issues/1"); n != tc.calls {
			t.Errorf("%d requests, want %d", n, tc.calls)
		}
	}
}

func TestF06CutAnswerIsReadAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.setFault(times(1, "GET", "/issues/1", func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "500")
		_, _ = w.Write([]byte(`{"number":`))
	}))
	c := testClient(t, f.URL, nil)
	i, err := c.Issue(context.Background(), testRepo(), 1)
	ok(t, err)
	if i.Number != 1 {
		t.Errorf("read %+v", i)
	}
}

func TestF06CreationThatHappenedIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"500", "cut"} {
		f := newFake(t)
		n := 0
		f.setFault(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || r.URL.Path != "/api/v3/repos/acme/shop/issues/1/comments" || n > 0 {
				return false
			}
			n++
			f.addComment(f.marked, "fettle[bot]", "Bot")
			if how == "500" {
				reply(w, 500, nil)
			} else {
				panic(http.ErrAbortHandler)
			}
			return true
		})
		c := testClient(t, f.URL, nil)
		f.marked = c.marker(testRepo(), 1, "status") + "\nhello"
		_, _, err := c.StatusComment(context.Background(), testRepo(), 1, "status", "hello")
		ok(t, err)
		if len(f.comments) != 1 {
			t.Errorf("%s: %d comments, want the one that was made", how, len(f.comments))
		}
	}
}

func TestF06CreationThatFailedIsTriedThreeTimes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.setFault(times(-1, "POST", "/comments", func(w http.ResponseWriter) { reply(w, 500, nil) }))
	c := testClient(t, f.URL, nil)
	_, err := c.Comment(context.Background(), testRepo(), 1, "k", "b")
	if status(err) != 500 {
		t.Errorf("got %v", err)
	}
	if n := count(f.calls(), "POST /repos/acme/shop/issues/1/comments"); n != maxTries {
		t.Errorf("%d tries", n)
	}
	if n := count(f.calls(), "GET /repos/acme/shop/issues/1/comments"); n != maxTries+1 {
		t.Errorf("looked %d times, want before each try and at the end", n)
	}
}

func TestF06GoneAfterTheEvent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.setFault(times(-1, "GET", "/issues/1", func(w http.ResponseWriter) { reply(w, 410, map[string]any{"message": "This issue was deleted"}) }))
	c := testClient(t, f.URL, nil)
	_, err := c.Issue(context.Background(), testRepo(), 1)
	if !IsGone(err) {
		t.Errorf("%v is not gone", err)
	}
}

func TestF06CallerMayGoAway(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	ctx, cancel := context.WithCancel(context.Background())
	f.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		cancel()
		reply(w, 502, nil)
		return true
	})
	c := testClient(t, f.URL, func(cfg *Config) { cfg.RetryPause = time.Hour })
	if _, err := c.Issue(ctx, testRepo(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestL03ReadsAndChangesKeepGitHubsPoints(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := newLimits(now.now, nil)
	type sent struct {
		at     time.Time
		points int
	}
	var all []sent
	for i := range 5000 {
		points := 1 + i%2*4 // a read, a change that nobody is told of
		err := l.admit(t.Context(), 7, points, false)
		var limited *RateLimited
		if errors.As(err, &limited) {
			if !limited.Until.After(now.now()) || limited.Until.Sub(now.now()) > time.Minute {
				t.Fatalf("request %d: %v at %s", i, err, now.now())
			}
			now.add(limited.Until.Sub(now.now()))
			err = l.admit(t.Context(), 7, points, false)
		}
		ok(t, err)
		all = append(all, sent{now.now(), points})
		now.add(time.Duration(i%7) * 10 * time.Millisecond)
		sum := 0
		for j := len(all) - 1; j >= 0 && now.now().Sub(all[j].at) < time.Minute; j-- {
			sum += all[j].points
		}
		if sum > pointsPerMinute {
			t.Fatalf("%d points in a minute", sum)
		}
	}
	ok(t, l.admit(t.Context(), 8, changePoints, false)) // another installation is not held up
}
