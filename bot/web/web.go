package web

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

//go:embed templates assets openapi.json
var files embed.FS

// Config is what the pages are made of.
type Config struct {
	Store   *store.Store
	App     *bot.App
	Heal    *heal.Heal
	Funnel  *redact.Funnel
	Caps    task.Caps
	Metrics *Metrics
	// OpenMetrics shows /metrics to whoever asks.
	OpenMetrics bool
	NewID       func() string
	Now         func() time.Time
	Log         logrus.FieldLogger
}

// Server answers for one database.
type Server struct {
	cfg   Config
	pages map[string]*template.Template
	hub   *hub
}

// New reads the templates.
func New(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg, pages: map[string]*template.Template{}}
	s.hub = newHub(s.liveCards)
	base, err := template.New("").Funcs(s.funcs()).ParseFS(files, "templates/base.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == "templates/base.html" {
			continue
		}
		page, err := base.Clone()
		if err == nil {
			page, err = page.ParseFS(files, name)
		}
		if err != nil {
			return nil, fmt.Errorf("web: %s: %w", name, err)
		}
		s.pages[strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")] = page
	}
	return s, nil
}

// Handler answers everything but the webhook and the probes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /assets/{name}", s.asset)
	mux.HandleFunc("GET /login", s.loginPage)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /logout", s.logout)
	metrics := promhttp.HandlerFor(s.cfg.Metrics.registry, promhttp.HandlerOpts{ErrorLog: s.cfg.Log, ErrorHandling: promhttp.ContinueOnError})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if v := s.visitor(r); !s.cfg.OpenMetrics && !v.Scope.All { // they count everybody's runs
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token that sees everything is needed, or the flag --public-metrics", http.StatusUnauthorized)
			return
		}
		metrics.ServeHTTP(w, r)
	})
	page := func(pattern string, f func(*request) error) { mux.HandleFunc(pattern, s.page(f)) }
	runPage := func(pattern string, f func(*request, task.Run) error) {
		page(pattern, func(q *request) error {
			r, err := q.aRun()
			if err != nil {
				return err
			}
			return f(q, r)
		})
	}
	page("GET /{$}", func(q *request) error { return q.see("/runs") })
	page("GET /runs", s.runs)
	page("GET /runs/{id}", s.run)
	runPage("GET /runs/{id}/conversation", s.conversation)
	runPage("GET /runs/{id}/conversation/{n}", s.message)
	runPage("GET /runs/{id}/diff/{n}", s.diff)
	runPage("GET /runs/{id}/log", s.log)
	runPage("POST /runs/{id}/{action}", s.act)
	page("GET /approvals", s.approvals)
	page("GET /repositories", s.repositories)
	page("GET /tiers", s.tiers)
	page("GET /tiers/{table}", s.tiersCSV)
	page("GET /deliveries", s.deliveries)
	page("POST /deliveries/{id}/redeliver", s.redeliver)
	page("GET /health", s.health)
	page("POST /health/release", s.release)
	page("GET /events", s.events)
	s.api(mux)
	mux.HandleFunc("/", s.page(func(*request) error { return errNotFound }))
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, &problem{Status: http.StatusForbidden, Title: "This came from another site", Detail: "Open the page here and try again."})
	}))
	return headers(guard.Handler(mux))
}

// headers say what a browser may do with an answer: nothing from elsewhere, no script or
// style inside the page, no frame around it, and no copy of it.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeFileFS(w, r, files, "assets/"+r.PathValue("name"))
}

// request is a visitor's, whose grant is known.
type request struct {
	*http.Request
	w http.ResponseWriter
	s *Server
	v visitor
}

// page answers for whoever is signed in, and leads everybody else to the sign-in.
func (s *Server) page(f func(*request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := s.whose(r)
		switch {
		case err != nil:
			s.fail(w, r, err)
			return
		case v.Name == "":
			if r.Method == http.MethodGet && !wantsJSON(r) {
				http.Redirect(w, r, "/login?"+query("next", r.URL.RequestURI()), http.StatusSeeOther)
				return
			}
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.fail(w, r, &problem{Status: http.StatusUnauthorized, Title: "Sign in first", Detail: "A token is made by 'fettle serve --new-token NAME'; send it as 'Authorization: Bearer TOKEN'."})
			return
		}
		q := &request{Request: r, w: w, s: s, v: v}
		if err = q.mayPost(); err == nil {
			err = f(q)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	}
}

// problem is an error as people and programs see it (RFC 9457).
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

func (p *problem) Error() string { return p.Title + ": " + p.Detail }

var errNotFound = &problem{Status: http.StatusNotFound, Title: "Not found", Detail: "There is no such thing here, or it is not yours to see."}

func invalid(format string, args ...any) error {
	return &problem{Status: http.StatusBadRequest, Title: "This cannot be read", Detail: fmt.Sprintf(format, args...)}
}

// problemOf says what an error means to who asked.
func problemOf(err error) *problem {
	var p *problem
	var step *loop.StepError
	switch {
	case errors.As(err, &step):
		return &problem{Status: http.StatusConflict, Title: "It cannot go on there", Detail: step.Error()}
	case errors.As(err, &p):
		return p
	case errors.Is(err, store.ErrNotFound):
		return errNotFound
	case errors.Is(err, store.ErrCursor):
		return &problem{Status: http.StatusBadRequest, Title: "This cannot be read", Detail: err.Error()}
	case errors.Is(err, store.ErrNotWaiting):
		return &problem{Status: http.StatusConflict, Title: "The run does not wait for this answer", Detail: "Somebody answered, or it asks something else by now. Look at it again."}
	case errors.Is(err, store.ErrHeld):
		return &problem{Status: http.StatusConflict, Title: "The run is being worked on", Detail: "Stop it first, or wait until it has ended."}
	case errors.Is(err, store.ErrDone):
		return &problem{Status: http.StatusConflict, Title: "The run has ended", Detail: "There is nothing to go on with."}
	case errors.Is(err, bot.ErrTier):
		return &problem{Status: http.StatusConflict, Title: "The tier is not allowed", Detail: err.Error()}
	}
	return nil
}

func wantsJSON(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/events"
}

// fail answers with an error. What is not expected is told to the log, and to the
// visitor that it is.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // nobody is there any more
	}
	p := problemOf(err)
	if p == nil {
		s.cfg.Log.WithError(err).WithField("path", r.URL.Path).Error("a page could not be made")
		p = &problem{Status: http.StatusServiceUnavailable, Title: "The database does not answer", Detail: "The server's log says why. Runs go on by themselves once it is there again; load this page again then."}
	}
	said := *p
	said.Type = "about:blank"
	if wantsJSON(r) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(said.Status)
		_ = json.NewEncoder(w).Encode(said) // nobody is left to tell
		return
	}
	v, _ := s.whose(r) //nolint:errcheck // the page is shown to anybody
	if err := s.render(w, r, said.Status, "error", view{Title: said.Title, Visitor: v, Data: said}); err != nil {
		s.cfg.Log.WithError(err).Error("the page of an error could not be made")
	}
}

// view is what each template gets.
type view struct {
	Title   string
	Nav     string // the page of the navigation that is shown
	Live    bool   // it changes by itself
	Visitor visitor
	Data    any
}

// render writes a page, compressed where the browser takes that. It is made as a whole
// first, so that an error is no half page.
func (s *Server) render(w http.ResponseWriter, r *http.Request, code int, name string, v view) error {
	var b bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&b, "base", v); err != nil {
		return fmt.Errorf("web: the page %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	send(w, r, code, b.Bytes())
	return nil
}

func (q *request) render(name string, v view) error {
	v.Visitor = q.v
	return q.s.render(q.w, q.Request, http.StatusOK, name, v)
}

// see leads to another page of ours.
func (q *request) see(path string) error {
	http.Redirect(q.w, q.Request, path, http.StatusSeeOther)
	return nil
}

// text writes foreign text, which no browser takes for a page.
func (q *request) text(kind, name, body string) error {
	q.w.Header().Set("Content-Type", kind+"; charset=utf-8")
	q.w.Header().Set("Content-Disposition", fmt.Sprintf("inline; filename=%q", name))
	send(q.w, q.Request, http.StatusOK, []byte(body))
	return nil
}

// shown is a value as it may be shown: each text in it has passed the funnel.
func shown[T any](f *redact.Funnel, v T) (out T, err error) {
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(f.Shown(raw), &out)
	}
	return out, err
}
