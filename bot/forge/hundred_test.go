package forge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/redact"
)

// turning is a clock that a test turns.
type turning struct {
	mu sync.Mutex
	t  time.Time
}

func (c *turning) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *turning) until(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.t) {
		c.t = t
	}
}

// tells says whether GitHub sends people mail for a request that succeeded.
func tells(c simulator.Call) bool {
	if c.Method != http.MethodPost {
		return false
	}
	for _, end := range []string{"/comments", "/replies", "/pulls", "/issues", "/reviews"} {
		if strings.HasSuffix(c.Route, end) {
			return true
		}
	}
	return false
}

// One installation publishes run after run, as fast as it may: GitHub's limits for
// an installation are kept, whoever is held back goes on at the stated time, and a
// run tells people of itself three times at most.
func TestL03AHundredRunsStayBelowGitHubsLimits(t *testing.T) {
	t.Parallel()
	runs := 100
	if testing.Short() {
		runs = 12
	}
	clock := &turning{t: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	var flying, most atomic.Int64
	w := newWorld(t, func(cfg *simulator.Config) {
		cfg.Now = clock.now
		wrap := cfg.Middleware
		cfg.Middleware = func(next http.Handler) http.Handler {
			inner := wrap(next)
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				now := flying.Add(1)
				defer flying.Add(-1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				inner.ServeHTTP(rw, r)
			})
		}
	})
	c, err := forge.New(forge.Config{AppID: w.sim.AppID(), PrivateKey: w.sim.PrivateKeyPEM(), BaseURL: w.sim.URL(), Funnel: redact.New(),
		RetryPause: time.Millisecond, MarkerKey: []byte("a key of sixteen"), Now: clock.now})
	ok(t, err)
	for n := range runs {
		if n > 0 {
			w.issue, err = w.sim.OpenIssue("octo", "demo", fmt.Sprintf("issue %d", n), "it does", "eve")
			ok(t, err)
		}
		for tries := 0; ; tries++ {
			_, err := w.publishOn(context.Background(), c, fmt.Sprintf("fettle/issue-%d-x", w.issue), false)
			var limited *forge.RateLimited
			if !errors.As(err, &limited) {
				ok(t, err)
				break
			}
			if tries > 100 {
				t.Fatalf("run %d is held back for ever: %v", n, err)
			}
			clock.until(limited.Until)
		}
		clock.until(clock.now().Add(time.Second))
	}
	told, calls := 0, slices.DeleteFunc(w.sim.Calls(), func(c simulator.Call) bool { return c.Installation == 0 }) // the App's own count apart
	for i, call := range calls {
		if tells(call) {
			told++
		}
		minute, hour, points := 0, 0, 0
		for j := i; j >= 0 && call.At.Sub(calls[j].At) < time.Hour; j-- {
			write := calls[j].Method != http.MethodGet && !strings.Contains(calls[j].Route, "/git/blobs") && !strings.Contains(calls[j].Route, "/git/trees") && !strings.Contains(calls[j].Route, "/git/commits")
			if write {
				hour++
			}
			if call.At.Sub(calls[j].At) < time.Minute {
				if points++; calls[j].Method != http.MethodGet {
					points += 4
				}
				if write {
					minute++
				}
			}
		}
		if minute > 80 || hour > 500 || points > 900 {
			t.Fatalf("call %d: %d changes in a minute, %d in an hour, %d points in a minute", i, minute, hour, points)
		}
	}
	if len(calls) < 10*runs {
		t.Errorf("only %d calls of %d runs were counted", len(calls), runs)
	}
	if most.Load() > 100 {
		t.Errorf("%d requests at once", most.Load())
	}
	if told > 3*runs {
		t.Errorf("%d runs told people %d times", runs, told)
	}
	t.Logf("%d runs, %d calls, %d that tell people, %s of GitHub's time", runs, len(calls), told, clock.now().Sub(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)).Round(time.Second))
}
