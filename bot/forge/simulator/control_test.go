package simulator_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
)

func (w *world) order(want int, method, path string, body any) []byte {
	w.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequest(method, w.s.URL()+"/_simulator/"+path, bytes.NewReader(data))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.s.ControlToken())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		w.t.Fatalf("%s: %d %s %v", path, resp.StatusCode, out, err)
	}
	return out
}

func TestAnotherProcessCanDriveTheSimulator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	on := func(more map[string]any) map[string]any {
		out := map[string]any{"owner": "octo", "name": "demo", "number": 1, "actor": "mona"}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	var made struct{ Number int }
	if err := json.Unmarshal(w.order(200, "POST", "issues", on(map[string]any{"title": "t", "body": "b", "labels": []string{"bug"}})), &made); err != nil || made.Number != 1 {
		t.Fatalf("%v %v", made, err)
	}
	w.order(200, "POST", "label", on(map[string]any{"label": "agent:fix"}))
	w.order(200, "POST", "unlabel", on(map[string]any{"label": "bug"}))
	w.order(200, "POST", "comment", on(map[string]any{"body": "/fettle fix"}))
	w.order(200, "POST", "close", on(nil))
	w.order(200, "POST", "reopen", on(nil))
	w.order(200, "POST", "permission", on(map[string]any{"login": "ann", "permission": "write"}))
	w.order(400, "POST", "permission", on(map[string]any{"login": "ann", "permission": "king"}))
	w.order(400, "POST", "label", map[string]any{"owner": "octo", "name": "none", "number": 1})
	w.order(200, "POST", "commit", on(map[string]any{"branch": "side", "path": "x.txt", "content": "x", "message": "add x"}))
	var snap simulator.Snapshot
	if err := json.Unmarshal(w.order(200, "GET", "snapshot?owner=octo&name=demo", nil), &snap); err != nil {
		t.Fatal(err)
	}
	one := snap.Issues[0]
	if one.State != "open" || len(one.Labels) != 1 || one.Labels[0] != "agent:fix" || one.Comments[0].Author != "mona" || snap.Branches["side"] == "" {
		t.Errorf("got %+v", snap)
	}
	w.order(400, "GET", "snapshot?owner=octo&name=none", nil)
	w.order(200, "POST", "faults", simulator.Fault{Route: "/rate_limit", Status: 503, Count: 1})
	w.call(503, "GET", "/rate_limit", "", nil)
	w.call(200, "GET", "/rate_limit", "", nil)
	w.order(200, "DELETE", "faults", nil)
	var app struct {
		AppID int64  `json:"app_id"`
		Key   string `json:"private_key"`
	}
	if err := json.Unmarshal(w.order(200, "GET", "app", nil), &app); err != nil || app.AppID != 77 || app.Key != string(w.s.PrivateKeyPEM()) {
		t.Errorf("got %+v %v", app, err)
	}
	w.order(200, "POST", "expire-tokens", nil)
	w.order(200, "GET", "deliveries", nil)
	if calls := w.s.Calls(); len(calls) != 1 || calls[0].Route != "/rate_limit" {
		t.Errorf("got %v", calls)
	}
}

// A web page can make a browser send requests to loopback, and by rebinding a
// name of its own read the answers.
func TestX3NoWebPageControlsTheSimulator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		host, origin, site, token, path string
		want                            int
	}{
		"the owner":                     {path: "app", want: 200},
		"the owner by name":             {host: "localhost:1", path: "app", want: 200},
		"the owner by IPv6":             {host: "[::1]:1", path: "app", want: 200},
		"an address typed in a browser": {site: "none", path: "app", want: 200},
		"no token":                      {token: "-", path: "app", want: 401},
		"another token":                 {token: "guessed", path: "app", want: 401},
		"a page of another site":        {origin: "http://evil.example", path: "app", want: 403},
		"a page without an origin":      {origin: "null", path: "app", want: 403},
		"an image of another site":      {site: "cross-site", path: "app", want: 403},
		"a rebound name":                {host: "evil.example", path: "app", want: 421},
		"a rebound name for the pages":  {host: "evil.example:80", path: "../octo/demo", want: 421},
		"an address elsewhere":          {host: "192.0.2.7", path: "app", want: 421},
	} {
		req, err := http.NewRequest(http.MethodGet, w.s.URL()+"/_simulator/"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		if c.token == "" {
			c.token = w.s.ControlToken()
		}
		for header, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Authorization": "Bearer " + c.token} {
			if value != "" {
				req.Header.Set(header, value)
			}
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, c.want)
		}
	}
}
