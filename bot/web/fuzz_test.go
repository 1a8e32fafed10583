package web

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheAPIUnderAFuzzer lets schemathesis make requests out of the description, good and bad
// ones, against a server with runs in every state. make fuzz-api installs and runs it; it is
// no part of make test, as it takes as long as it is let.
func TestTheAPIUnderAFuzzer(t *testing.T) {
	fuzzer := os.Getenv("FETTLE_SCHEMATHESIS")
	if fuzzer == "" {
		t.Skip("SKIPPED: make fuzz-api runs it")
	}
	s := filled(t)
	for i, id := range []string{"waits1", "waits2", "waits3", "waits4"} {
		s.wait(id, 7, "acme/till", 5+i, "one more")
	}
	s.begin("runs", 7, "acme/shop", 31, "a live one")
	s.must(s.db.Park(t.Context(), s.begin("parked", 7, "acme/shop", 32, "one put aside"), time.Now().Add(time.Hour), "rate limit"))
	pages := s.srv.Handler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") { // a stream does not end by itself, and the fuzzer waits for its end
			ctx, done := context.WithTimeout(r.Context(), 100*time.Millisecond)
			defer done()
			r = r.WithContext(ctx)
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	raw, err := os.ReadFile("openapi.json")
	s.must(err)
	// Half of the ids are of runs that are there.
	named := `"anyOf": [{"type": "string", "enum": ["well", "badly", "waits", "waits1", "waits2", "waits3", "waits4", "runs", "parked", "d-acme"]}, {"type": "string", "minLength": 1}]`
	described := strings.ReplaceAll(string(raw), `"schema": {"type": "string", "minLength": 1}, "description": "of the run, or of the delivery"`, `"schema": {`+named+`}, "description": "of the run, or of the delivery"`)
	if described == string(raw) || !json.Valid([]byte(described)) {
		t.Fatal("the ids of the description are written in another way now")
	}
	file := filepath.Join(t.TempDir(), "openapi.json")
	s.must(os.WriteFile(file, []byte(described), 0o644))
	c := exec.Command(fuzzer, "run", file, "--url", web.URL+"/api/v1", "-H", "Authorization: Bearer "+s.token(true),
		"--checks", "all", "--max-time", cmp.Or(os.Getenv("FETTLE_FUZZ_SECONDS"), "600"), "--continue-on-failure", "--request-timeout", "30")
	c.Dir = t.TempDir()
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}
