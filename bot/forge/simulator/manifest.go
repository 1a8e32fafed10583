package simulator

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The manifest flow (docs.github.com, "Registering a GitHub App from a manifest"):
// somebody's page posts a manifest and a state; the account's owner gives the App
// its name and creates it; the browser goes back with a code, and whoever has the
// code gets the App's key, once and within an hour. The App that is created here
// takes the place of the one that was known before, and is installed nowhere.

const (
	codeLife    = time.Hour
	maxPending  = 100
	maxManifest = 64 << 10
)

// manifest is what an App is to be.
type manifest struct {
	Name        string            `json:"name"`
	URL         string            `json:"url"`
	Description string            `json:"description"`
	Redirect    string            `json:"redirect_url"`
	Callbacks   []string          `json:"callback_urls"`
	Setup       string            `json:"setup_url"`
	Public      bool              `json:"public"`
	Events      []string          `json:"default_events"`
	Permissions map[string]string `json:"default_permissions"`
	OAuth       bool              `json:"request_oauth_on_install"`
	OnUpdate    bool              `json:"setup_on_update"`
	Hook        *struct {
		URL    string `json:"url"`
		Active *bool  `json:"active"`
	} `json:"hook_attributes"`
}

// wish is a manifest that somebody posted and nobody has created yet.
type wish struct {
	manifest
	state, org string
}

// grant is a code that was handed out.
type grant struct {
	app     *app
	expires time.Time
}

// eventNeeds are the permissions of which one is needed to hear an event.
var eventNeeds = map[string][]string{"issues": {"issues"}, "issue_comment": {"issues", "pull_requests"}, "pull_request": {"pull_requests"},
	"pull_request_review": {"pull_requests"}, "pull_request_review_comment": {"pull_requests"}, "pull_request_review_thread": {"pull_requests"},
	"check_run": {"checks"}, "check_suite": {"checks"}, "push": {"contents"}, "repository": {"metadata"}, "status": {"statuses"}}

var knownPermissions = []string{"actions", "administration", "checks", "contents", "deployments", "environments", "issues", "members", "metadata", "packages",
	"pages", "pull_requests", "secrets", "security_events", "single_file", "statuses", "vulnerability_alerts", "workflows"}

func readManifest(text string) (manifest, error) {
	var m manifest
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return m, fmt.Errorf("the manifest is not the JSON that is expected here: %w", err)
	}
	switch {
	case m.URL == "":
		return m, errors.New("the manifest has no url")
	case m.Hook == nil || !webAddress(m.Hook.URL):
		return m, errors.New("the manifest has no hook_attributes.url that is an address")
	case !webAddress(m.Redirect):
		return m, errors.New("the manifest has no redirect_url that is an address")
	}
	for name, level := range m.Permissions {
		if !slices.Contains(knownPermissions, name) || level != "read" && (level != "write" || name == "metadata") {
			return m, fmt.Errorf("default_permissions: there is no permission %s: %s", name, level)
		}
	}
	for _, event := range m.Events {
		needs, known := eventNeeds[event]
		if !known || !slices.ContainsFunc(needs, func(n string) bool { return m.Permissions[n] != "" }) {
			return m, fmt.Errorf("default_events: %s is not an event that these permissions let an App hear", event)
		}
	}
	return m, nil
}

func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// propose takes a manifest from any page, as GitHub does, and asks the person.
func (s *Server) propose(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxManifest)
	if err := r.ParseForm(); err != nil {
		s.failed(w, r, "/", err)
		return
	}
	m, err := readManifest(r.PostForm.Get("manifest"))
	if err != nil {
		s.failed(w, r, "/", err)
		return
	}
	id := rand.Text()
	s.mu.Lock()
	if len(s.wishes) >= maxPending {
		clear(s.wishes)
	}
	s.wishes[id] = wish{manifest: m, state: r.URL.Query().Get("state"), org: r.PathValue("org")}
	s.mu.Unlock()
	s.proposal(w, r, id)
}

// proposal is the page on which an App gets its name and is created. A browser
// that comes from a page of another site brings no session: it is asked to go on
// by a link of this one.
func (s *Server) proposal(w http.ResponseWriter, r *http.Request, id string) {
	s.mu.Lock()
	asked, known := s.wishes[id]
	people := []string{asked.org}
	if asked.org == "" {
		people = s.owners()
	}
	s.mu.Unlock()
	if !known {
		http.NotFound(w, r)
		return
	}
	leads, _ := url.Parse(asked.Redirect) // checked when it came
	v := &view{Title: "Create a GitHub App", Leads: leads.Scheme + "://" + leads.Host, People: people, Data: map[string]any{"ID": id, "Wish": asked.manifest, "Org": asked.org, "Post": r.Method == http.MethodPost}}
	s.pager.renderStatus(w, r, http.StatusOK, "newapp", v, nil)
}

// owners are the accounts with repositories. Call it with s.mu held.
func (s *Server) owners() []string {
	var out []string
	for _, r := range s.state.repos() {
		if !slices.Contains(out, r.Owner) {
			out = append(out, r.Owner)
		}
	}
	return out
}

// create makes the App and sends the browser back with a code.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	if !s.mine(w, r) {
		return
	}
	back, err := s.found(r.PostForm.Get("id"), strings.TrimSpace(r.PostForm.Get("app")), r.PostForm.Get("actor"))
	if err == nil {
		err = s.save()
	}
	if err != nil {
		s.failed(w, r, "/", err)
		return
	}
	http.Redirect(w, r, back, http.StatusFound) //nolint:gosec // where the manifest leads back to, as on GitHub
}

func (s *Server) found(id, name, actor string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, known := s.wishes[id]
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	switch {
	case !known:
		return "", errors.New("this form was sent before, or is of an earlier start; begin again on the page that led here")
	case slug == "" || len(name) > 34:
		return "", errors.New("an App's name has 1 to 34 characters")
	case slug == s.app.Slug:
		return "", fmt.Errorf("the name %q is taken", name)
	}
	if asked.org != "" {
		actor = asked.org
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", fmt.Errorf("making the App's key: %w", err)
	}
	a := &app{ID: s.state.nextID(), Slug: slug, Name: name, Owner: actor, Organisation: asked.org != "", Home: asked.URL, Permissions: asked.Permissions, Events: asked.Events,
		CreatedAt: s.now(), Key: encodeKey(key), Secret: rand.Text(), ClientSecret: rand.Text()}
	if a.Permissions == nil {
		a.Permissions = map[string]string{}
	}
	a.Permissions["metadata"] = "read" // every App has it
	if asked.Hook.Active == nil || *asked.Hook.Active {
		a.WebhookURL = asked.Hook.URL
	}
	if err := s.become(a); err != nil {
		return "", err
	}
	s.know(actor)
	s.state.App, s.state.Installations, s.state.Tokens = a, nil, map[string]*token{}
	s.changed()
	s.SetWebhook(a.WebhookURL, a.Secret)
	if err := s.hooks.forget(); err != nil {
		return "", err
	}
	delete(s.wishes, id)
	var raw [20]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand)
	code := hex.EncodeToString(raw[:])
	s.grants[code] = grant{app: a, expires: s.now().Add(codeLife)}
	back, err := url.Parse(asked.Redirect)
	if err != nil {
		return "", err
	}
	q := back.Query()
	q.Set("code", code)
	if asked.state != "" {
		q.Set("state", asked.state)
	}
	back.RawQuery = q.Encode()
	return back.String(), nil
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// convert hands out an App's secrets for its code: once, and for an hour.
func (s *Server) convert(c *call) (answer, error) {
	code := c.vars["code"]
	g, known := s.grants[code]
	delete(s.grants, code)
	if !known || s.now().After(g.expires) {
		return answer{}, notFound()
	}
	out := s.appShape(g.app)
	out["client_secret"], out["webhook_secret"], out["pem"] = g.app.ClientSecret, g.app.Secret, string(g.app.Key)
	return created(out)
}

// appPage shows the App's settings: all that stands below them on GitHub's pages.
func (s *Server) appPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a := s.app
	s.mu.Unlock()
	_, rest, _ := strings.Cut(r.URL.Path, "/settings/apps/")
	if slug, _, _ := strings.Cut(rest, "/"); slug != a.Slug {
		http.NotFound(w, r)
		return
	}
	hook, _ := s.hooks.target()
	s.pager.render(w, r, "app", &view{Title: a.Name, Data: map[string]any{"App": a, "Hook": hook}}, nil)
}

// installPage is where an owner installs the App on an account.
func (s *Server) installPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a := s.app
	type account struct {
		Login     string
		Installed bool
	}
	var all []account
	for _, o := range s.owners() {
		all = append(all, account{o, s.state.installationOf(o) != nil})
	}
	s.mu.Unlock()
	if r.PathValue("slug") != a.Slug {
		http.NotFound(w, r)
		return
	}
	v := &view{Title: "Install " + a.Name, Data: map[string]any{"App": a.Name, "Accounts": all}}
	s.pager.render(w, r, "install", v, nil)
}
