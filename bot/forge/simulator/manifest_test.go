package simulator_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

const ask = `{"name": "mender of octo", "url": "https://fettle.example", "redirect_url": "http://127.0.0.1:1/done?kept=1", "public": false,
 "hook_attributes": {"url": "https://hooks.example/webhook"},
 "default_permissions": {"issues": "write", "contents": "write"}, "default_events": ["issues", "push"]}`

// wish posts a manifest from another page, without a session, and gives the id of
// the form that comes back.
func (w *world) wish(manifest, query string) string {
	w.t.Helper()
	resp, err := http.PostForm(w.s.URL()+"/settings/apps/new"+query, url.Values{"manifest": {manifest}})
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	page, _ := io.ReadAll(resp.Body)
	m := regexp.MustCompile(`/settings/apps/new/([A-Z0-9]+)`).FindSubmatch(page)
	if m == nil {
		return string(page)
	}
	return string(m[1])
}

// found creates the App as a person does and gives where the browser is sent.
func (p person) found(id, name string) (int, string) {
	p.w.t.Helper()
	page := p.look(p.w.s.URL() + "/settings/apps/new/" + id)
	form := regexp.MustCompile(`name="form" value="([^"]*)"`).FindStringSubmatch(page)
	if form == nil {
		p.w.t.Fatalf("no form on %s", page)
	}
	req, _ := http.NewRequest(http.MethodPost, p.w.s.URL()+"/settings/apps/create", strings.NewReader(url.Values{"form": {form[1]}, "id": {id}, "app": {name}, "actor": {"octo"}}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", p.w.s.URL())
	c := *p.Client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := c.Do(req)
	if err != nil {
		p.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Location")
}

func (w *world) convert(code string) (int, map[string]any) {
	w.t.Helper()
	resp, err := http.Post(w.s.URL()+"/api/v3/app-manifests/"+code+"/conversions", "", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, out
}

func TestO6AnAppIsMadeOfAManifestAndItsCodeIsGoodOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person()
	id := w.wish(ask, "?state=s1")
	status, back := p.found(id, "mender of octo")
	u, err := url.Parse(back)
	if status != http.StatusFound || err != nil || u.Host != "127.0.0.1:1" || u.Query().Get("state") != "s1" || u.Query().Get("kept") != "1" {
		t.Fatalf("%d %s", status, back)
	}
	code := u.Query().Get("code")
	if status, _ := w.convert(strings.Repeat("0", len(code))); status != http.StatusNotFound {
		t.Errorf("a code of somebody's own making: %d", status)
	}
	status, got := w.convert(code)
	if status != http.StatusCreated || got["slug"] != "mender-of-octo" || got["webhook_secret"] != w.s.WebhookSecret() || got["pem"] != string(w.s.PrivateKeyPEM()) {
		t.Fatalf("%d %v", status, got)
	}
	if status, _ := w.convert(code); status != http.StatusNotFound {
		t.Errorf("the code a second time: %d", status)
	}

	// the App that was made is the one that is known now, installed nowhere until somebody does
	key := w.jwt(map[string]any{"iss": w.s.AppID()})
	hook := w.call(200, "GET", "/app/hook/config", key, nil)
	if hook.body["url"] != "https://hooks.example/webhook" {
		t.Errorf("hook %s", hook.raw)
	}
	if list := w.call(200, "GET", "/app/installations", key, nil); strings.TrimSpace(string(list.raw)) != "[]" {
		t.Errorf("installed: %s", list.raw)
	}
	if status, _ := p.send("/apps/mender-of-octo/installations/new", "install", nil); status != http.StatusOK {
		t.Errorf("installing: %d", status)
	}
	list := string(w.call(200, "GET", "/app/installations", key, nil).raw)
	if !strings.Contains(list, `"login":"octo"`) || strings.Contains(list, "checks") || !strings.Contains(list, `"contents":"write"`) {
		t.Errorf("installed: %s", list)
	}
	if status, _ := p.found(w.wish(ask, ""), "mender of octo"); status != http.StatusBadRequest {
		t.Errorf("a name that is taken: %d", status)
	}

	if page := p.look(w.s.URL() + "/settings/apps/mender-of-octo/permissions"); !strings.Contains(page, "https://hooks.example/webhook") {
		t.Errorf("settings: %s", page)
	}

	// it is still there after a restart
	before := w.s.AppID()
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	w.start()
	if w.s.AppID() != before || w.s.WebhookSecret() != got["webhook_secret"] {
		t.Error("the App is forgotten")
	}
}

func TestO6ACodeEndsAfterAnHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, back := w.person().found(w.wish(ask, ""), "m")
	u, _ := url.Parse(back)
	w.clock.Turn(time.Hour + time.Second)
	if status, _ := w.convert(u.Query().Get("code")); status != http.StatusNotFound {
		t.Errorf("answered %d", status)
	}
}

func TestO6AManifestThatGitHubWouldRefuseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for change, want := range map[string]string{
		`"url": "https://fettle.example", `:                  "has no url",
		`"url": "https://hooks.example/webhook"`:             "hook_attributes.url",
		`"contents": "write"`:                                "push is not an event",
		`"name"`:                                             "unknown field",
		`"redirect_url": "http://127.0.0.1:1/done?kept=1", `: "redirect_url",
	} {
		with := ""
		switch change {
		case `"name"`:
			with = `"nombre"`
		case `"contents": "write"`:
			with = `"checks": "read"`
		}
		if page := w.wish(strings.Replace(ask, change, with, 1), ""); !strings.Contains(page, want) {
			t.Errorf("without %s: %s", change, page)
		}
	}
	if page := w.wish(strings.Replace(ask, `"issues": "write"`, `"issues": "admin"`, 1), ""); !strings.Contains(page, "no permission issues: admin") {
		t.Errorf("%s", page)
	}
}

// A page of somebody else may propose an App, and may not create it.
func TestO6AForeignPageCreatesNoApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.wish(ask, "")
	before := w.s.AppID()
	p := w.person()
	for name, origin := range map[string]string{"foreign": "https://evil.example", "none": ""} {
		req, _ := http.NewRequest(http.MethodPost, w.s.URL()+"/settings/apps/create", strings.NewReader("id="+id+"&app=x&actor=octo"))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := p.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	if w.s.AppID() != before {
		t.Error("an App was made")
	}
}

func TestARulesetAndARuleProtectABranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(nil)
	if rules := w.call(200, "GET", repo+"/rules/branches/main", token, nil); strings.TrimSpace(string(rules.raw)) != "[]" {
		t.Errorf("%s", rules.raw)
	}
	if err := w.s.SetRuleset("octo", "demo", "main", true); err != nil {
		t.Fatal(err)
	}
	if rules := w.call(200, "GET", repo+"/rules/branches/main", token, nil); !strings.Contains(string(rules.raw), `"deletion"`) {
		t.Errorf("%s", rules.raw)
	}
}
