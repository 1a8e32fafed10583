package manifest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed" // the page
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/forge"
)

//go:embed page.html
var source string

//go:embed page.css
var style string

var tmpl = template.Must(template.New("page").Parse(source))

// page is the local page. Its address holds a key, which other users of this
// machine do not know; the state does the same for the way back from GitHub.
type page struct {
	cfg  Config
	own  string // origin
	key  string
	done chan struct{} // closed when the App is made

	mu    sync.Mutex // held while a code is exchanged: the second of two waits, and finds the App made
	state string
	hook  string // where webhooks go by the manifest that was shown last
	made  *Result
}

// view is what the template shows.
type view struct {
	Style       template.CSS
	Title       string
	Problem     string // what went wrong
	Back        string // where to begin again
	Ask         bool   // for the webhook's address
	Local       bool   // GitHub is on this machine
	Webhook     string
	Fixed       bool // the webhook's address is the command's
	Key         string
	Action      string // where the manifest goes
	Manifest    string
	Host, Org   string
	Name        string
	Permissions []forge.Need
	Events      []forge.Need
	Made        *Result
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	sum := sha256.Sum256([]byte(style))
	// There is no form-action: a sign-in on the way may lead the form elsewhere. The
	// origin alone goes out with the form, not the key in the address.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; img-src data:; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "strict-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if refusal := p.foreign(r); refusal != "" {
		http.Error(w, refusal, http.StatusForbidden)
		return
	}
	switch {
	case r.Method != http.MethodGet:
		h.Set("Allow", http.MethodGet)
		http.Error(w, "this page takes no data", http.StatusMethodNotAllowed)
	case same(r.URL.Path, "/"+p.key):
		p.ask(w, r)
	case r.URL.Path == "/done":
		p.back(w, r)
	default:
		http.NotFound(w, r)
	}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// foreign says why a request is not one that a person's browser makes here: of a
// name that somebody made lead here, or by a script, a frame or a form of a page.
func (p *page) foreign(r *http.Request) string {
	if "http://"+r.Host != p.own && r.Host != "localhost"+p.own[strings.LastIndexByte(p.own, ':'):] {
		return "this page answers to its own address only"
	}
	// GitHub's answer may bear GitHub's origin, or none that is told: the state decides.
	origin, back := r.Header.Get("Origin"), r.URL.Path == "/done"
	if web, err := p.cfg.Place.Web(); origin != "" && origin != p.own && (!back || err != nil || origin != "null" && origin != web.String()) {
		return "other pages may send nothing here"
	}
	mode, dest := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	if mode != "" && mode != "navigate" || dest != "" && dest != "document" {
		return "this page is for people to look at"
	}
	return ""
}

// ask shows what the App will be, and the button that creates it.
func (p *page) ask(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	state, made := p.state, p.made
	p.mu.Unlock()
	if made != nil {
		p.show(w, http.StatusOK, p.success(made))
		return
	}
	v := view{Title: "Create the GitHub App", Key: p.key, Name: p.cfg.Name, Org: p.cfg.Place.Org, Webhook: p.cfg.Webhook, Fixed: p.cfg.Webhook != "",
		Permissions: forge.Permissions(), Events: forge.Events()}
	web, err := p.cfg.Place.Web()
	if err == nil {
		v.Host, v.Local = web.Host, reach(web.Hostname()) == loopback
		if asked := r.URL.Query().Get("webhook"); !v.Fixed && asked != "" {
			v.Webhook = asked
			if v.Webhook, err = p.cfg.webhook(asked); err != nil {
				v.Webhook, v.Problem, err = asked, err.Error(), nil
			}
		}
	}
	if err == nil {
		v.Action, err = p.cfg.Place.NewAppURL(state)
	}
	if err == nil {
		v.Manifest, err = p.cfg.document(v.Webhook, p.own+"/done")
	}
	if err != nil {
		p.show(w, http.StatusInternalServerError, view{Title: "This page could not be made", Problem: err.Error()})
		return
	}
	v.Ask = v.Webhook == "" || v.Problem != ""
	if v.Webhook == "" && v.Local {
		v.Webhook = "http://" + usualAddr + path
	}
	if !v.Ask {
		p.mu.Lock()
		p.hook = v.Webhook
		p.mu.Unlock()
	}
	p.show(w, http.StatusOK, v)
}

// back is where GitHub sends the browser with the code.
func (p *page) back(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	again := "/" + p.key
	fail := func(status int, what string) {
		p.cfg.Note(what)
		p.show(w, status, view{Title: "No App was stored", Problem: what, Back: again})
	}
	q := r.URL.Query()
	switch {
	case !same(q.Get("state"), p.state):
		// Somebody who does not know the state learns no way in either.
		again = ""
		fail(http.StatusForbidden, "This answer does not belong to the page that was opened last; nothing was stored. Begin again with the address in the terminal.")
		return
	case p.made != nil:
		p.show(w, http.StatusOK, p.success(p.made))
		return
	case q.Get("code") == "":
		fail(http.StatusBadRequest, "GitHub sent no code; nothing was stored.")
		return
	}
	made, err := p.store(r.Context(), q.Get("code"))
	switch {
	case errors.Is(err, forge.ErrCode):
		p.state = rand.Text()
		fail(http.StatusBadGateway, fmt.Sprintf("%v. An App that GitHub has made meanwhile is no use without its key: delete it there, under Settings, Developer settings, GitHub Apps.", err))
		return
	case errors.As(err, &spent{}):
		p.cfg.Note(err.Error()) // and no way to begin again: that would make another App
		p.show(w, http.StatusInternalServerError, view{Title: "The App is made, and not all of it is stored", Problem: err.Error()})
		return
	case err != nil:
		fail(http.StatusBadGateway, fmt.Sprintf("The App was not stored: %v. Reload this page to try once more.", err))
		return
	}
	p.made = made
	p.show(w, http.StatusOK, p.success(made))
	close(p.done)
}

// store exchanges the code, once there is a place for what comes of it.
func (p *page) store(ctx context.Context, code string) (*Result, error) {
	place, err := p.cfg.reserve()
	if err != nil {
		return nil, err
	}
	defer place.giveBack()
	app, err := p.cfg.Place.Convert(ctx, code)
	if err != nil {
		return nil, err
	}
	// GitHub has shown the key: from here on a signal does not keep it from the disk.
	if err := place.write(app); err != nil {
		return nil, err
	}
	return &Result{AppID: app.ID, Slug: app.Slug, Owner: app.Owner, Settings: app.Settings, Install: app.Install, Webhook: p.hook,
		File: p.cfg.File, Key: place.key(), Secret: place.secret(), Serve: p.cfg.serve(p.hook)}, nil
}

func (p *page) success(made *Result) view {
	return view{Title: "The App " + made.Slug + " is yours", Made: made}
}

func (p *page) show(w http.ResponseWriter, status int, v view) {
	v.Style = template.CSS(style) //nolint:gosec // our own file
	var b bytes.Buffer
	if err := tmpl.Execute(&b, v); err != nil {
		http.Error(w, "making the page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}
