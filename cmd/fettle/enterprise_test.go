package main

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/task"
)

// A label becomes a pull request on an Enterprise Server: https under a certificate
// authority that this machine does not know, REST below /api/v3, GraphQL at
// /api/graphql, Git and deliveries through the same authority.
func TestS1AnEnterpriseServerIsServedFromLabelToPullRequest(t *testing.T) {
	endToEnd(t)
	var mu sync.Mutex
	asked := map[string]int{}
	w := newWorldOn(t, slowFiles("0"), "", func(cfg *simulator.Config) {
		cfg.Enterprise = "3.14.0"
		cfg.Middleware = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				part := "pages"
				for prefix, name := range map[string]string{"/api/v3/": "rest", "/api/graphql": "graphql", "/local/weave.git/": "git"} {
					if strings.HasPrefix(r.URL.Path, prefix) {
						part = name
					}
				}
				mu.Lock()
				asked[part]++
				if r.TLS == nil {
					asked["clear"]++
				}
				mu.Unlock()
				next.ServeHTTP(rw, r)
			})
		}
	})
	s := w.start()
	n := w.ask(quickTitle, quickBody)
	w.until(2*time.Minute, "the run ends", w.ended)
	w.stop(s)
	if runs := w.runs(); len(runs) != 1 || runs[0].Outcome != task.Success {
		t.Errorf("runs: %+v\n%s", runs, w.tail())
	}
	w.oracle(n)
	mu.Lock()
	defer mu.Unlock()
	if asked["rest"] == 0 || asked["git"] == 0 || asked["clear"] != 0 {
		t.Errorf("asked %v", asked)
	}
}
