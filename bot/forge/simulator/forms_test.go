package simulator_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// person is a browser that has opened the address printed at the start.
type person struct {
	*http.Client
	w *world
}

func (w *world) person() person {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	p := person{&http.Client{Jar: jar}, w}
	if page := p.look(w.s.EntryURL()); !strings.Contains(page, "You can act") {
		w.t.Fatalf("got %s", page)
	}
	return p
}

func (p person) look(address string) string {
	p.w.t.Helper()
	resp, err := p.Get(address)
	if err != nil {
		p.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		p.w.t.Fatalf("%s: %d %v\n%s", address, resp.StatusCode, err, data)
	}
	return string(data)
}

var (
	formShape  = regexp.MustCompile(`(?s)<form[^>]* action="/_do/([a-z-]+)".*?</form>`)
	inputShape = regexp.MustCompile(`<input[^>]*>`)
	attribute  = regexp.MustCompile(`(name|value|type)="([^"]*)"`)
)

// send fills in and sends the first form of a page for an order, with its hidden
// fields and defaults, as a browser does.
func (p person) send(page, order string, fill map[string]string, change ...func(*http.Request)) (int, string) {
	p.w.t.Helper()
	form := ""
	for _, f := range formShape.FindAllStringSubmatch(p.look(p.w.s.URL()+page), -1) {
		if f[1] == order {
			form = f[0]
			break
		}
	}
	if form == "" {
		p.w.t.Fatalf("%s has no form to %s", page, order)
	}
	values := url.Values{}
	for _, input := range inputShape.FindAllString(form, -1) {
		attrs := map[string]string{}
		for _, a := range attribute.FindAllStringSubmatch(input, -1) {
			attrs[a[1]] = a[2]
		}
		if attrs["type"] != "checkbox" {
			values.Set(attrs["name"], attrs["value"])
		}
	}
	for k, v := range fill {
		values.Set(k, v)
	}
	req, err := http.NewRequest(http.MethodPost, p.w.s.URL()+"/_do/"+order, strings.NewReader(values.Encode()))
	if err != nil {
		p.w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", p.w.s.URL())
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range change {
		c(req)
	}
	resp, err := p.Do(req)
	if err != nil {
		p.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.w.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// did sends a form that has to be taken.
func (p person) did(page, order string, fill map[string]string) string {
	p.w.t.Helper()
	status, text := p.send(page, order, fill)
	if status != http.StatusOK {
		p.w.t.Fatalf("%s on %s: %d %s", order, page, status, text)
	}
	return text
}

func TestAnEveningCanBeActedOnThePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	p := w.person()
	if page := p.did("/octo/demo/issues", "issues", map[string]string{"title": "add subtracts", "body": "It does.\r\nReally.", "labels": "bug, agent:fix", "actor": "mona"}); !strings.Contains(page, "add subtracts") {
		t.Errorf("the new issue is not shown: %s", page)
	}
	p.did("/octo/demo/issues/1", "comment", map[string]string{"body": "/fettle fix", "actor": "eve"})
	p.did("/octo/demo/issues/1", "unlabel", map[string]string{"actor": "mona"})
	p.did("/octo/demo/issues/1", "close", nil)
	p.did("/octo/demo/issues/1", "reopen", nil)
	p.did("/octo/demo/issues/1", "lock", nil)
	w.branchWith(tok, "b", "app/calc.py", "def add(a, b):\n    return a + b\n")
	p.did("/octo/demo/pulls", "pull", map[string]string{"title": "fix: add", "head": "b", "draft": "true", "actor": "mona"})
	p.did("/octo/demo/pull/2", "ready", nil)
	page := p.did("/octo/demo/pull/2/files", "review", map[string]string{"verdict": "changes_requested", "body": "Nearly.", "remark_path": "app/calc.py", "remark_from": "1", "remark_to": "2", "remark_body": "```suggestion\r\nx\r\n```"})
	if !strings.Contains(page, "Files changed 1") {
		t.Errorf("got %s", page)
	}
	p.did("/octo/demo/pull/2", "reply", map[string]string{"body": "Why?"})
	p.did("/octo/demo/pull/2", "resolve", nil)
	p.did("/octo/demo/pull/2/checks", "check", map[string]string{"conclusion": "failure", "summary": "1 red"})
	p.did("/octo/demo/blob/b/app/calc.py", "commit", map[string]string{"content": "def add(a, b):\r\n    return b + a", "message": "mine", "actor": "mona"})
	p.did("/octo/demo/pull/2", "merge", map[string]string{"actor": "octo"})
	p.did("/octo/demo/settings", "permission", map[string]string{"login": "mona", "permission": "write"})

	s := w.s.Snapshot("octo", "demo")
	i, pr := s.Issues[0], s.Pulls[0]
	if i.Body != "It does.\nReally." || len(i.Labels) != 1 || len(i.Comments) != 1 || i.Comments[0].Author != "eve" || i.State != "open" {
		t.Errorf("%+v", i)
	}
	if !pr.Merged || pr.Author != "mona" || len(pr.Threads) != 1 || pr.Threads[0].ResolvedBy != "octo" || len(pr.Threads[0].Comments) != 2 || pr.Threads[0].Comments[0].Body != "```suggestion\nx\n```" ||
		len(s.Checks) != 1 || !strings.Contains(pr.Diff, "+    return b + a\n") || strings.Contains(pr.Diff, "No newline") {
		t.Errorf("%+v %+v", pr, s.Checks)
	}
	for _, want := range []string{"changes requested", "resolved by octo", "lines 1 to 2", "Why?"} {
		if page := p.look(w.s.URL() + "/octo/demo/pull/2"); !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if status, text := p.send("/octo/demo/issues", "issues", map[string]string{"title": "x", "owner": "nobody"}); status != http.StatusBadRequest || !strings.Contains(text, "hosts no repository") {
		t.Errorf("%d %s", status, text)
	}
}

func TestOnlyTheSimulatorsOwnPagesAct(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.issue("one", "", "mona")
	p := w.person()
	fill := map[string]string{"body": "hello"}
	for name, change := range map[string]func(*http.Request){
		"another site":           func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"another port":           func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"no origin":              func(r *http.Request) { r.Header.Del("Origin") },
		"another site's fetch":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"a name that leads here": func(r *http.Request) { r.Host = "evil.example" },
	} {
		if status, text := p.send("/octo/demo/issues/1", "comment", fill, change); status < 400 {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if status, text := p.send("/octo/demo/issues/1", "comment", map[string]string{"body": "x", "form": "guessed"}); status != http.StatusForbidden {
		t.Errorf("a guessed token: %d %s", status, text)
	}
	if page := w.look(200, "/octo/demo/issues/1"); strings.Contains(page, "<form") || !strings.Contains(page, "open the address") {
		t.Error("a stranger is shown forms")
	}
	w.look(403, "/_enter?token=guessed")
	if status, text := p.send("/octo/demo/issues/1", "comment", map[string]string{"body": "x", "back": "//evil.example/"}); status != http.StatusOK || !strings.Contains(text, "Repositories") {
		t.Errorf("back to another site: %d %s", status, text)
	}
	if n := len(w.s.Snapshot("octo", "demo").Issues[0].Comments); n != 1 {
		t.Errorf("%d comments", n)
	}
}
