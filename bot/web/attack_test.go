package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// attack is what somebody writes wherever they can: an issue, a branch, a file's name, a
// model's answer, a test's name and log.
const attack = `"'><script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)></title></textarea></pre><a href="javascript:alert(1)">x</a>{{.}}` + "\u202e" + `<style>*{display:none}</style>`

// TestForeignWordsStayWords: whatever stands in a run, a delivery or the breakers' moves,
// a page gets no element, attribute or address of it.
func TestForeignWordsStayWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fill(attack + " " + hidden)
	l := s.begin("links", 7, "acme/shop", 40, attack)
	st := s.work(l, attack)
	s.must(s.db.Finish(t.Context(), l, task.Result{RunID: "links", Outcome: task.Outcome(`"><script>`), Attempts: st.Attempts, Published: task.Publication{Commit: `"><script>`, PullRequest: &task.PullRequest{URL: "javascript:alert(1)", Number: 1}}}, attack))
	bad := s.begin("url", 7, "acme/shop", 41, attack)
	s.must(s.db.Park(t.Context(), bad, time.Now().Add(time.Hour), attack))
	c := s.browser(s.token(true))
	pages := append([]string{"/runs/links", "/runs/url", "/runs?q=" + url.QueryEscape(attack), "/runs?repo=" + url.QueryEscape(attack), "/login?next=" + url.QueryEscape("/"+attack), "/runs/" + url.PathEscape(attack), "/deliveries?after=" + url.QueryEscape(attack)}, allPages...)
	seen := 0
	for _, page := range pages {
		res, err := c.Get(s.url + page)
		s.must(err)
		raw, err := io.ReadAll(res.Body)
		res.Body.Close()
		s.must(err)
		body := string(raw)
		if strings.Contains(body, hidden) {
			t.Errorf("%s shows a secret", page)
		}
		if strings.Contains(body, "\u202e") {
			t.Errorf("%s holds a character that turns the text around", page)
		}
		kind := res.Header.Get("Content-Type")
		if !strings.HasPrefix(kind, "text/html") {
			if !strings.HasPrefix(kind, "text/plain") && !strings.HasPrefix(kind, "text/csv") || res.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s is %s", page, kind)
			}
			continue
		}
		if strings.Contains(body, "alert(1)") {
			seen++
		}
		ours := 0
		tree := html.NewTokenizer(strings.NewReader(body))
		for tree.Next() != html.ErrorToken {
			tok := tree.Token()
			if tok.Type != html.StartTagToken && tok.Type != html.SelfClosingTagToken {
				continue
			}
			switch tok.Data {
			case "script":
				ours++
			case "img", "style", "iframe", "object", "base":
				t.Errorf("%s holds an element <%s>", page, tok.Data)
			}
			for _, a := range tok.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
					t.Errorf("%s holds an attribute %s=%q", page, a.Key, a.Val)
				}
				if (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
					t.Errorf("%s leads to %q", page, a.Val)
				}
			}
		}
		if ours != 1 { // app.js
			t.Errorf("%s holds %d scripts", page, ours)
		}
		if csp := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; style-src 'self'; script-src 'self'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s is shown under %q", page, csp)
		}
	}
	if seen < 12 {
		t.Errorf("only %d pages showed the words of the attack", seen)
	}
}

// TestOneInstallationDoesNotSeeAnother: whatever of another installation is asked for, by
// page or by API, reading or acting, is not there, and lists do not hold it.
func TestOneInstallationDoesNotSeeAnother(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for _, scope := range []store.Scope{{Installations: []int64{7}}, {Repos: []string{"acme/shop", "acme/till"}}, {}} {
		token := s.token(true, scope)
		c := s.browser(token)
		csrf := s.csrf(c)
		for _, path := range []string{"/runs/other", "/runs/other/conversation", "/runs/other/conversation/1", "/runs/other/diff/2", "/runs/other/log", "/runs/none"} {
			if code, body := s.get(c, path); code != http.StatusNotFound || strings.Contains(body, "rival") {
				t.Errorf("%+v: %s answers %d", scope, path, code)
			}
		}
		for _, path := range []string{"/runs", "/runs?repo=rival/secret-plans", "/runs?q=rival", "/approvals", "/repositories", "/tiers", "/deliveries", "/health"} {
			if code, body := s.get(c, path); code != http.StatusOK || strings.Contains(strings.ReplaceAll(strings.ReplaceAll(body, `value="rival`, ""), "repo=rival", ""), "rival") {
				t.Errorf("%+v: %s answers %d and speaks of another's", scope, path, code)
			}
		}
		for _, path := range []string{"/runs/other/stop", "/runs/other/approve", "/runs/other/retry", "/runs/other/resume", "/deliveries/d-rival/redeliver", "/health/release?"} {
			form := url.Values{"csrf": {csrf}, "tier": {"tier1"}, "installation": {"8"}, "repository": {"rival/secret-plans"}}
			if code, _, _ := s.post(c, path, form); code != http.StatusNotFound {
				t.Errorf("%+v: %s answers %d", scope, path, code)
			}
		}
		if code, _, _ := s.post(c, "/health/release", url.Values{"csrf": {csrf}}); code != http.StatusForbidden {
			t.Errorf("%+v: the pause of everything was lifted: %d", scope, code)
		}
		for _, path := range []string{"", "/conversations", "/agent-conversations", "/decisions", "/execution-context"} {
			if code, body, _ := s.call(http.MethodGet, "/api/v1/runs/other"+path, token, ""); code != http.StatusNotFound || strings.Contains(fmt.Sprint(body), "rival") {
				t.Errorf("%+v: %s answers %d", scope, path, code)
			}
		}
		for path, body := range map[string]string{"/validate-plan": `{"approved":true}`, "/validate-step?step_number=1": `{"approved":true}`, "/interrupt": "", "/resume": "", "/retry": `{"tier":"tier1"}`} {
			if code, _, _ := s.call(http.MethodPost, "/api/v1/runs/other"+path, token, body); code != http.StatusNotFound {
				t.Errorf("%+v: %s answers %d", scope, path, code)
			}
		}
		if code, _, _ := s.call(http.MethodPost, "/api/v1/deliveries/d-rival/redeliver", token, ""); code != http.StatusNotFound {
			t.Errorf("%+v: another's delivery is handled again: %d", scope, code)
		}
		for _, path := range []string{"/runs", "/repositories", "/deliveries", "/health"} {
			if _, body, _ := s.call(http.MethodGet, "/api/v1"+path, token, ""); strings.Contains(fmt.Sprint(body), "rival") {
				t.Errorf("%+v: %s lists what is another's", scope, path)
			}
		}
		if code, _ := s.get(c, "/metrics"); code != http.StatusUnauthorized {
			t.Errorf("%+v: the metrics of everybody are shown: %d", scope, code)
		}
	}
	if r, err := s.db.Run(t.Context(), "other"); err != nil || r.CancelAsked {
		t.Errorf("%+v %v", r, err)
	}
}

// TestAnotherSiteCannotAct: neither a form of another site nor one without the session's
// token, nor a cookie alone at the API.
func TestAnotherSiteCannotAct(t *testing.T) {
	t.Parallel()
	s := filled(t)
	c := s.browser(s.token(true))
	csrf, theirs := s.csrf(c), s.csrf(s.browser(s.token(true)))
	send := func(path, kind, body string, head ...string) int {
		req, err := http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(body))
		s.must(err)
		req.Header.Set("Content-Type", kind)
		for i := 0; i+1 < len(head); i += 2 {
			req.Header.Set(head[i], head[i+1])
		}
		res, err := c.Do(req)
		s.must(err)
		defer res.Body.Close()
		return res.StatusCode
	}
	const form = "application/x-www-form-urlencoded"
	for what, got := range map[string]int{
		"no token":            send("/runs/waits/stop", form, ""),
		"an empty token":      send("/runs/waits/stop", form, "csrf="),
		"another's token":     send("/runs/waits/stop", form, "csrf="+theirs),
		"in the address":      send("/runs/waits/stop?csrf="+csrf, form, ""),
		"another origin":      send("/runs/waits/stop", form, "csrf="+csrf, "Origin", "https://evil.example"),
		"another site":        send("/runs/waits/stop", form, "csrf="+csrf, "Sec-Fetch-Site", "cross-site"),
		"the API by cookie":   send("/api/v1/runs/waits/interrupt", form, "csrf="+csrf),
		"plain text":          send("/api/v1/runs/waits/validate-plan", "text/plain", `{"approved":true}`),
		"a sign-in elsewhere": send("/login", form, "token=x", "Sec-Fetch-Site", "cross-site"),
		"a sign-out":          send("/logout", form, ""),
	} {
		if got != http.StatusForbidden {
			t.Errorf("%s: answered with %d", what, got)
		}
	}
	if r, err := s.db.Run(t.Context(), "waits"); err != nil || r.CancelAsked || r.Waiting == nil {
		t.Errorf("%+v %v", r, err)
	}
	if got := send("/api/v1/runs/waits/interrupt", "application/json", "", "X-CSRF-Token", csrf); got != http.StatusAccepted {
		t.Errorf("the session's own: %d", got)
	}
}

// TestTheSessionsCookieIsKept: no script reads it, no other site sends it, no plain
// connection but to this machine carries it.
func TestTheSessionsCookieIsKept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	token := s.token(true)
	for host, plain := range map[string]bool{"127.0.0.1:8080": true, "[::1]:8080": true, "localhost": true, "fettle.example": false, "127.0.0.1.evil.example": false, "localhost.evil.example": false} {
		req, err := http.NewRequest(http.MethodPost, s.url+"/login", strings.NewReader(url.Values{"token": {token}}.Encode()))
		s.must(err)
		req.Host = host
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultTransport.RoundTrip(req)
		s.must(err)
		res.Body.Close()
		got := res.Cookies()
		if len(got) != 1 {
			t.Fatalf("%s: %v", host, got)
		}
		if c := got[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Secure == plain || strings.HasPrefix(c.Name, "__Host-") == plain || c.MaxAge <= 0 || strings.Contains(c.Value, token) {
			t.Errorf("%s: %+v", host, c)
		}
	}
}

// TestASignInLeadsNowhereElse: nor does it carry a header.
func TestASignInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	token := s.token(true)
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for next, want := range map[string]string{
		"/runs?state=done": "/runs?state=done", "": "/", "https://evil.example": "/", "//evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/", "javascript:alert(1)": "/",
		"/\tevil.example": "/", "http:evil.example": "/", "/\r\nSet-Cookie: a=b": "/", "evil": "/", " //evil.example": "/", "/%0d%0aSet-Cookie:%20a=b": "/%0d%0aSet-Cookie:%20a=b",
	} {
		_, _, res := s.post(c, "/login", url.Values{"token": {token}, "next": {next}})
		if got := res.Header.Get("Location"); got != want || len(res.Header.Values("Set-Cookie")) != 1 {
			t.Errorf("next=%q leads to %q with %q", next, got, res.Header.Values("Set-Cookie"))
		}
	}
}

// TestAssetsAreAllThatIsServed: no path leads out of their folder.
func TestAssetsAreAllThatIsServed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/assets/../openapi.json", "/assets/..%2fopenapi.json", "/assets/%2e%2e/templates/base.html", "/assets/..%5copenapi.json", "/assets//etc/passwd", "/assets/", "/assets/%00", "/assets/none.css", "/assets/..%2f..%2f..%2f..%2fetc%2fpasswd"} {
		req, err := http.NewRequest(http.MethodGet, s.url, nil)
		s.must(err)
		req.URL.Opaque = path // as it is
		res, err := http.DefaultTransport.RoundTrip(req)
		s.must(err)
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode == http.StatusOK || strings.Contains(string(body), "openapi\":") || strings.Contains(string(body), "root:") {
			t.Errorf("%s answers %d: %.100s", path, res.StatusCode, body)
		}
	}
}

// What is answered to a program is data with the funnel's mark, too.
func TestTheAPIShowsNoSecret(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fill("the key is " + hidden + " and ghp_" + strings.Repeat("a1B2", 9))
	token := s.token(false)
	for _, path := range []string{"/runs", "/runs/well", "/runs/waits", "/runs/well/conversations", "/runs/well/decisions", "/runs/waits/execution-context", "/deliveries", "/health"} {
		_, body, _ := s.call(http.MethodGet, "/api/v1"+path, token, "")
		raw, err := json.Marshal(body)
		s.must(err)
		if strings.Contains(string(raw), hidden) || strings.Contains(string(raw), "a1B2a1B2") {
			t.Errorf("%s shows a secret", path)
		}
	}
}
