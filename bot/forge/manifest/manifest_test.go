package manifest_test

import (
	"context"
	"errors"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/manifest"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/settings"
)

const hook = "http://127.0.0.1:8080/webhook"

// world is GitHub's part, a browser, and the page of a command that runs.
type world struct {
	*testing.T
	sim     *simulator.Server
	browser *http.Client
	dir     string
	cfg     manifest.Config
	page    string // its address
	stop    context.CancelCauseFunc
	ended   chan error
	result  manifest.Result
	clicks  int
}

func newWorld(t *testing.T, change ...func(*world)) *world {
	t.Helper()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "conf")}
	var err error
	w.sim, err = simulator.New(simulator.Config{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = w.sim.Serve(context.Background()) }()
	t.Cleanup(func() { _ = w.sim.Close() })
	src := t.TempDir()
	if err := os.WriteFile(filepath.Join(src, "a.py"), []byte("a = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.sim.AddRepo("octo", "demo", src); err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	w.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	w.get(w.sim.EntryURL())
	w.cfg = manifest.Config{Place: forge.Place{Server: w.sim.URL()}, Webhook: hook, File: filepath.Join(w.dir, "fettle.yml")}
	for _, c := range change {
		c(w)
	}
	return w
}

// begin runs the command until its page is there.
func (w *world) begin() *world {
	w.Helper()
	ctx, stop := context.WithCancelCause(w.Context())
	w.stop = stop
	w.ended = make(chan error, 1)
	shown := make(chan string, 1)
	go func() {
		var err error
		w.result, err = manifest.Run(ctx, w.cfg, func(address string) { shown <- address })
		w.ended <- err
	}()
	select {
	case w.page = <-shown:
	case err := <-w.ended:
		w.Fatalf("no page: %v", err)
	}
	return w
}

func (w *world) get(address string, header ...string) (int, string) {
	w.Helper()
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		w.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	return w.do(req)
}

func (w *world) do(req *http.Request) (int, string) {
	w.Helper()
	resp, err := w.browser.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	if at := resp.Header.Get("Location"); at != "" {
		return resp.StatusCode, at
	}
	return resp.StatusCode, string(data)
}

func find(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in %s", pattern, text)
	}
	return html.UnescapeString(m[1])
}

func (w *world) post(address, origin string, form url.Values) (int, string) {
	w.Helper()
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		w.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", origin)
	return w.do(req)
}

// click presses the buttons of both pages and gives where GitHub sends the browser.
func (w *world) click() string {
	w.Helper()
	w.clicks++
	_, page := w.get(w.page)
	action := find(w.T, page, `<form method="post" action="([^"]*)"`)
	_, theirs := w.post(action, "http://127.0.0.1", url.Values{"manifest": {find(w.T, page, `name="manifest" value="([^"]*)"`)}})
	status, back := w.post(w.sim.URL()+"/settings/apps/create", w.sim.URL(), url.Values{
		"form": {find(w.T, theirs, `name="form" value="([^"]*)"`)}, "id": {find(w.T, theirs, `name="id" value="([^"]*)"`)},
		"app": {find(w.T, theirs, `name="app"[^>]* value="([^"]*)"`) + strings.Repeat("x", w.clicks)}, "actor": {"octo"}})
	if status != http.StatusFound {
		w.Fatalf("GitHub answers %d %s", status, back)
	}
	return back
}

// left lists what lies in the folder of the operator's file.
func (w *world) left() []string {
	var out []string
	_ = filepath.WalkDir(w.dir, func(p string, _ os.DirEntry, err error) error {
		if err == nil {
			out = append(out, p)
		}
		return nil //nolint:nilerr // what is not there is what is asked
	})
	return out
}

func TestO6OneClickMakesTheAppAndTheOperatorsFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t).begin()
	before := w.sim.AppID()
	status, page := w.get(w.click())
	if status != http.StatusOK || !strings.Contains(page, "fettle serve --config "+w.cfg.File) || !strings.Contains(page, "/installations/new") {
		t.Errorf("%d %s", status, page)
	}
	if err := <-w.ended; err != nil {
		t.Fatal(err)
	}
	set, err := settings.Load(w.cfg.File)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := os.ReadFile(set.GitHub.PrivateKeyFile)
	secrets, err := settings.Secrets(set.GitHub.WebhookSecretFile)
	if err != nil || len(secrets) != 1 || string(secrets[0]) != w.sim.WebhookSecret() || string(key) != string(w.sim.PrivateKeyPEM()) || set.GitHub.AppID != w.sim.AppID() || set.GitHub.AppID == before {
		t.Errorf("%v %+v", err, set.GitHub)
	}
	if set.GitHub.BaseURL != w.sim.URL() || set.Access.Installations == nil || set.StateDir != filepath.Join(w.dir, "state") || w.result.Webhook != hook {
		t.Errorf("%+v\n%+v", set, w.result)
	}
	for name, mode := range map[string]os.FileMode{w.result.File: 0o600, w.result.Key: 0o600, w.result.Secret: 0o600, filepath.Dir(w.result.Key): 0o700, w.dir: 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(w.page[:strings.LastIndex(w.page, "/")], "http://")); err == nil {
		t.Error("the page is still there")
	}
}

func TestO6TheManifestAsksForTheTableAndNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t).begin()
	_, page := w.get(w.page)
	text := find(t, page, `name="manifest" value="([^"]*)"`)
	for _, n := range forge.Permissions() {
		if !strings.Contains(text, `"`+n.Name+`":"`+n.Level+`"`) || !strings.Contains(page, html.EscapeString(n.Why)) {
			t.Errorf("%s: %s is not asked for, or not with its reason", n.Name, n.Level)
		}
	}
	if n := strings.Count(find(t, text, `"default_permissions":(\{[^}]*\})`), ":"); n != len(forge.Permissions()) {
		t.Errorf("%d permissions are asked for", n)
	}
	for _, e := range forge.Events() {
		if !strings.Contains(text, `"`+e.Name+`"`) || !strings.Contains(page, html.EscapeString(e.Why)) {
			t.Errorf("%s is not asked for, or not with its reason", e.Name)
		}
	}
	if !strings.Contains(text, `"public":false`) {
		t.Error("strangers may install it")
	}
}

func TestO6NothingIsLeftOfAPageThatWasClosedHalfWay(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*world){
		"not opened":        func(*world) {},
		"opened":            func(w *world) { w.get(w.page) },
		"made, not carried": func(w *world) { w.click() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).begin()
			do(w)
			stopped := errors.New("stopped")
			w.stop(stopped)
			if err := <-w.ended; !errors.Is(err, stopped) {
				t.Errorf("ended with %v", err)
			}
			if left := w.left(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestO6ACodeThatGitHubDoesNotTakeIsSaidAndTheNextOneIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t).begin()
	good := w.click()
	for _, code := range []string{strings.Repeat("0", 40), "../../user", ""} {
		u, _ := url.Parse(w.click()) // the state is a new one after each code that was not taken
		q := u.Query()
		q.Set("code", code)
		u.RawQuery = q.Encode()
		if status, page := w.get(u.String()); status < 400 || !strings.Contains(page, "Begin again") {
			t.Errorf("code %q: %d %s", code, status, page)
		}
		if left := w.left(); len(left) > 0 {
			t.Fatalf("left after code %q: %v", code, left)
		}
	}
	if status, _ := w.get(good); status != http.StatusForbidden {
		t.Errorf("the answer to an earlier page: %d", status)
	}
	if status, page := w.get(w.click()); status != http.StatusOK {
		t.Errorf("the next try: %d %s", status, page)
	}
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
}

func TestO6ACodeIsGoodOnceAndForTheRightState(t *testing.T) {
	t.Parallel()
	w := newWorld(t).begin()
	back := w.click()
	u, _ := url.Parse(back)
	for _, state := range []string{"", "x", u.Query().Get("state") + "x"} {
		q := u.Query()
		q.Set("state", state)
		wrong := *u
		wrong.RawQuery = q.Encode()
		if status, page := w.get(wrong.String()); status != http.StatusForbidden || strings.Contains(page, w.page[strings.LastIndex(w.page, "/"):]) {
			t.Errorf("state %q: %d %s", state, status, page)
		}
	}
	if left := w.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	// somebody else was quicker with the code
	resp, err := http.Post(w.sim.URL()+"/api/v3/app-manifests/"+u.Query().Get("code")+"/conversions", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if status, page := w.get(back); status != http.StatusBadGateway || !strings.Contains(page, "was used before") {
		t.Errorf("%d %s", status, page)
	}
	if left := w.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestO6OnlyTheBrowserThatWasGivenTheAddressIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t).begin()
	root := w.page[:strings.LastIndex(w.page, "/")]
	back := w.click()
	for name, do := range map[string]func() (int, string){
		"another page's form":    func() (int, string) { return w.post(w.page, "https://evil.example", url.Values{"a": {"b"}}) },
		"a form without origin":  func() (int, string) { return w.post(back, "", nil) },
		"another page's script":  func() (int, string) { return w.get(w.page, "Origin", "https://evil.example", "Sec-Fetch-Mode", "cors") },
		"a null origin":          func() (int, string) { return w.get(w.page, "Origin", "null") },
		"a picture":              func() (int, string) { return w.get(back, "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image") },
		"a frame":                func() (int, string) { return w.get(back, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe") },
		"a name that leads here": func() (int, string) { return w.get(w.page, "Host", "evil.example:80") },
		"another user's guess":   func() (int, string) { return w.get(root + "/AAAAAAAAAAAAAAAAAAAAAAAAAA") },
		"the page without a key": func() (int, string) { return w.get(root + "/") },
		"the way back, no state": func() (int, string) { return w.get(root + "/done?code=1") },
	} {
		if status, page := do(); status < 400 || strings.Contains(page, "manifest") {
			t.Errorf("%s: %d %s", name, status, page)
		}
	}
	if left := w.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if status, _ := w.get(back, "Origin", w.sim.URL(), "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "cross-site"); status != http.StatusOK {
		t.Errorf("the browser that GitHub sends back: %d", status)
	}
}

func TestO6FilesThatAreThereAreNotWrittenOver(t *testing.T) {
	t.Parallel()
	put := func(w *world, name, text string) string {
		file := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			w.Fatal(err)
		}
		return file
	}
	for name, there := range map[string][2]string{
		"the operator's file": {"fettle.yml", "label: mend\n"},
		"a key":               {"github-app/private-key.pem", "a key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			file := put(w, there[0], there[1])
			if _, err := manifest.Run(t.Context(), w.cfg, func(string) { t.Error("a page is shown") }); !errors.Is(err, manifest.ErrThere) {
				t.Errorf("%v", err)
			}
			if got, _ := os.ReadFile(file); string(got) != there[1] {
				t.Errorf("%s holds %q", file, got)
			}
		})
		t.Run(name+" comes meanwhile", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).begin()
			back := w.click()
			file := put(w, there[0], there[1])
			status, page := w.get(back)
			if status != http.StatusBadGateway || !strings.Contains(page, "is there already") {
				t.Errorf("%d %s", status, page)
			}
			if got, _ := os.ReadFile(file); string(got) != there[1] || len(w.left()) > 3 {
				t.Errorf("%s holds %q; %v", file, got, w.left())
			}
			if err := os.RemoveAll(w.dir); err != nil { // the code is not spent: the same answer is taken now
				t.Fatal(err)
			}
			if status, page := w.get(back); status != http.StatusOK {
				t.Errorf("%d %s", status, page)
			}
		})
	}
	t.Run("added to when asked", func(t *testing.T) {
		t.Parallel()
		const before = "label: mend # ours\nbudget: {usd: 0.5}"
		w := newWorld(t, func(w *world) { w.cfg.Add = true })
		put(w, "fettle.yml", before)
		w.begin()
		if status, page := w.get(w.click()); status != http.StatusOK {
			t.Fatalf("%d %s", status, page)
		}
		text, _ := os.ReadFile(w.cfg.File)
		set, err := settings.Load(w.cfg.File)
		if err != nil || !strings.HasPrefix(string(text), before+"\n") || set.Label != "mend" || set.GitHub.AppID != w.sim.AppID() {
			t.Errorf("%v\n%s", err, text)
		}
		if err := <-w.ended; err != nil {
			t.Error(err)
		}
		if _, err := manifest.Run(t.Context(), w.cfg, func(string) {}); err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("a second App in one file: %v", err)
		}
	})
}

func TestO6MistakesAreSaidBeforeThePageIsShown(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for want, change := range map[string]func(*manifest.Config){
		"is not the name of an organisation": func(c *manifest.Config) { c.Place.Org = "a/b" },
		"use https":                          func(c *manifest.Config) { c.Place.Server = "http://github.example.com" },
		"choose another address":             func(c *manifest.Config) { c.Addr = taken.Addr().String() },
		"for this machine alone":             func(c *manifest.Config) { c.Addr = "0.0.0.0:0" },
		"more than GitHub's 34":              func(c *manifest.Config) { c.Name = strings.Repeat("n", 35) },
		"github.com cannot reach":            func(c *manifest.Config) { c.Place.Server = ""; c.Webhook = "http://10.0.0.7/webhook" },
		"which is this machine's own":        func(c *manifest.Config) { c.Place.Server = "https://github.example.com" },
		"in the clear":                       func(c *manifest.Config) { c.Place.Server = ""; c.Webhook = "http://fettle.example.com" },
		"is not an address":                  func(c *manifest.Config) { c.Webhook = "fettle.example.com" },
	} {
		cfg := manifest.Config{Place: forge.Place{Server: "http://127.0.0.1:1"}, Webhook: hook, File: filepath.Join(t.TempDir(), "f.yml")}
		change(&cfg)
		if _, err := manifest.Run(t.Context(), cfg, func(string) { t.Errorf("%s: a page is shown", want) }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want it to say %q", err, want)
		}
	}
}

func TestO6ThePageAsksForTheWebhookWhereItIsNotGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.cfg.Webhook = "" }).begin()
	_, page := w.get(w.page)
	if strings.Contains(page, `name="manifest"`) || !strings.Contains(page, `name="webhook"`) {
		t.Errorf("%s", page)
	}
	ask := w.page + "?" + url.Values{"webhook": {"ftp://<script>"}}.Encode()
	if _, page := w.get(ask); !strings.Contains(page, "is not an address") || strings.Contains(page, "<script>") {
		t.Errorf("%s", page)
	}
	w.page += "?" + url.Values{"webhook": {"http://127.0.0.1:8080"}}.Encode()
	if status, _ := w.get(w.click()); status != http.StatusOK {
		t.Errorf("%d", status)
	}
	if err := <-w.ended; err != nil || w.result.Webhook != hook {
		t.Errorf("%v %+v", err, w.result)
	}
}

func TestO6TheDocumentTellsTheTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/github-app.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range forge.Permissions() {
		if row := "| " + n.Title + " | " + n.Level + " | " + n.Why + " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/github-app.md lacks the row %s", row)
		}
	}
	for _, e := range forge.Events() {
		if row := "| " + e.Title + " | " + e.Why + " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/github-app.md lacks the row %s", row)
		}
	}
}
