// Package contract checks HTTP traffic against GitHub's own description of
// its REST API and webhooks.
//
// In goes a handler that answers as GitHub (the simulator, or a recording);
// out comes the same handler, with every request and answer below /api/v3
// compared with the description, and a list of violations. Webhook payloads
// are checked by Webhook. Documents come from github.json.gz, which the cut
// command makes from the npm package @octokit/openapi. It must never change
// what it looks at.
package contract

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the description
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

//go:generate sh update.sh

//go:embed github.json.gz
var description []byte

// Source names what the description was cut from.
const Source = "npm @octokit/openapi 23.0.2, generated/api.github.com.json"

// Validator collects violations; it may be used from many goroutines.
type Validator struct {
	*book

	mu         sync.Mutex
	violations []string
	seen       map[string]int
}

// book is the description, read; nobody writes to it.
type book struct {
	doc    *openapi3.T
	routes []*route
	hooks  map[string]*openapi3.Schema
}

type route struct {
	segments []string
	route    *routers.Route
}

// New makes a validator with no violations yet. The description is read once
// for all of them.
func New() (*Validator, error) {
	b, err := readBook()
	if err != nil {
		return nil, err
	}
	return &Validator{book: b, seen: map[string]int{}}, nil
}

var readBook = sync.OnceValues(func() (*book, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(description))
	if err != nil {
		return nil, fmt.Errorf("contract: the description is damaged: %w; make it again with update.sh", err)
	}
	data, err := io.ReadAll(unzip)
	if err != nil {
		return nil, fmt.Errorf("contract: the description is damaged: %w; make it again with update.sh", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, fmt.Errorf("contract: reading the description: %w", err)
	}
	b := &book{doc: doc, hooks: map[string]*openapi3.Schema{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			b.routes = append(b.routes, &route{segments: strings.Split(strings.Trim(path, "/"), "/"),
				route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: op}})
		}
	}
	// the more a path says literally, the earlier it is tried
	sort.Slice(b.routes, func(i, j int) bool { return b.routes[i].rank() > b.routes[j].rank() })
	return b, b.loadHooks(data)
})

func (r *route) rank() string {
	out := ""
	for _, seg := range r.segments {
		if strings.HasPrefix(seg, "{") {
			out += "0"
		} else {
			out += "1"
		}
	}
	return out
}

// many are the path variables that may hold slashes.
var many = map[string]bool{"{ref}": true, "{path}": true, "{branch}": true, "{tree_sha}": true, "{name}": true}

// match finds the operation of a path below /api/v3.
func (b *book) match(method, escaped string) (*routers.Route, map[string]string) {
	path := strings.Split(strings.Trim(escaped, "/"), "/")
	for _, r := range b.routes {
		if r.route.Method != method {
			continue
		}
		if vars, ok := r.match(path); ok {
			return r.route, vars
		}
	}
	return nil, nil
}

func (r *route) match(path []string) (map[string]string, bool) {
	vars := map[string]string{}
	set := func(name, value string) {
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		vars[strings.Trim(name, "{}")] = value
	}
	for i, seg := range r.segments {
		last := i == len(r.segments)-1
		switch {
		case i == len(path) && seg == "{path}": // contents of the root
			vars["path"] = ""
			return vars, true
		case i >= len(path):
			return nil, false
		case last && many[seg]:
			set(seg, strings.Join(path[i:], "/"))
			return vars, true
		case seg == "{ref}": // clients do not escape the slashes of a branch
			rest := r.segments[i+1:]
			end := len(path) - len(rest)
			if end <= i || !slices.Equal(path[end:], rest) {
				return nil, false
			}
			set(seg, strings.Join(path[i:end], "/"))
			return vars, true
		case strings.HasPrefix(seg, "{"):
			set(seg, path[i])
		case seg != path[i]:
			return nil, false
		}
	}
	return vars, len(path) == len(r.segments)
}

// Wrap checks what goes through next in both directions.
func (v *Validator) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/v3")
		if r.URL.Path == "/api/graphql" {
			path, ok = "", true
		}
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "reading the body: "+err.Error(), http.StatusBadRequest)
			return
		}
		inner := r.Clone(r.Context())
		inner.Body = io.NopCloser(bytes.NewReader(body))
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(rec, inner)
		v.check(r, path, body, rec)
	})
}

type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

func (v *Validator) check(r *http.Request, path string, body []byte, rec *recorder) {
	if path == "" {
		v.checkGraphQL(body, rec)
		return
	}
	found, vars := v.match(r.Method, path)
	if found == nil {
		v.violate(r.Method+" "+path, "GitHub's description (or the part that is cut from it) has no such operation")
		return
	}
	name := r.Method + " " + found.Path
	v.mu.Lock()
	v.seen[fmt.Sprintf("%s %d", name, rec.status)]++
	v.mu.Unlock()
	in := &openapi3filter.RequestValidationInput{Request: plain(r, path, body), PathParams: vars, Route: found,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	if rec.status < 400 { // a request that was refused may well be wrong
		if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
			v.violate(name, "request: "+brief(err))
		}
	}
	v.checkAnswer(name, found, in, rec)
}

// plain is the request as it would have gone to api.github.com.
func plain(r *http.Request, path string, body []byte) *http.Request {
	out := r.Clone(r.Context())
	out.URL = &url.URL{Scheme: "https", Host: "api.github.com", Path: path, RawQuery: r.URL.RawQuery}
	out.Host = "api.github.com"
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.ContentLength = int64(len(body))
	if len(body) > 0 && out.Header.Get("Content-Type") == "" {
		out.Header.Set("Content-Type", "application/json")
	}
	return out
}

func (v *Validator) checkAnswer(name string, found *routers.Route, in *openapi3filter.RequestValidationInput, rec *recorder) {
	if found.Operation.Responses.Status(rec.status) == nil {
		if _, known := undescribed[rec.status]; !known {
			v.violate(name, fmt.Sprintf("answer: status %d is not described", rec.status))
		}
		if rec.status >= 400 {
			v.checkError(name, rec)
		}
		return
	}
	err := openapi3filter.ValidateResponse(in.Request.Context(), &openapi3filter.ResponseValidationInput{RequestValidationInput: in,
		Status: rec.status, Header: rec.Header(), Body: io.NopCloser(bytes.NewReader(rec.body.Bytes())),
		Options: &openapi3filter.Options{IncludeResponseStatus: true}})
	if err != nil {
		v.violate(name, fmt.Sprintf("answer %d: %s", rec.status, brief(err)))
	}
}

// checkError compares an undescribed error's body with GitHub's basic error.
func (v *Validator) checkError(name string, rec *recorder) {
	var body any
	err := json.Unmarshal(rec.body.Bytes(), &body)
	if err == nil {
		err = v.doc.Components.Schemas["basic-error"].Value.VisitJSON(body)
	}
	if err != nil {
		v.violate(name, fmt.Sprintf("answer %d is not a basic error: %s", rec.status, brief(err)))
	}
}

func (v *Validator) violate(name, what string) {
	for _, e := range Exceptions {
		if e.matches(name, what) {
			return
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.violations = append(v.violations, name+": "+what)
}

// Violations lists everything that was not as described, in order.
func (v *Validator) Violations() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string(nil), v.violations...)
}

// Seen lists the operations that went through, each with its answer's status
// and how often, such as "GET /app 200".
func (v *Validator) Seen() map[string]int {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := map[string]int{}
	for k, n := range v.seen {
		out[k] = n
	}
	return out
}

// Operations lists what the description holds, such as "GET /app".
func (v *Validator) Operations() []string {
	var out []string
	for _, r := range v.routes {
		out = append(out, r.route.Method+" "+r.route.Path)
	}
	sort.Strings(out)
	return out
}

// brief keeps the head of kin-openapi's long errors.
func brief(err error) string {
	lines := strings.Split(err.Error(), "\n")
	text := strings.Join(lines[:min(len(lines), 3)], " ")
	return text[:min(len(text), 600)]
}
