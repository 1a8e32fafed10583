package settings

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Smoke says how a repository's service is started and what it has to answer
// (SPEC C7).
type Smoke struct {
	Start     []string      // the command; of one text, a line for the shell
	Port      int           // that the service listens at on the loopback
	Ready     string        // path that is asked until it answers; empty: until the port takes connections
	Within    time.Duration // in which that must be
	Scenarios []Scenario    // in this order, on one service
}

// Scenario is a request and what has to come back.
type Scenario struct {
	Name     string
	Method   string
	Path     string // with its query
	Headers  map[string]string
	Body     string
	Status   int    // 0: any below 400
	Contains string // a part of the answer's body; empty: any
	Required bool   // red after a change where it was green before makes the change red
}

const (
	maxScenarios = 50
	maxBody      = 64 << 10
)

var (
	methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
	urlPath = lazyregexp.New(`^/[^\s\\#]{0,999}$`)
	header  = lazyregexp.New(`^[A-Za-z0-9-]{1,100}$`)
)

func smoke(v value) (*Smoke, error) {
	s := &Smoke{Within: 10 * time.Second}
	ready, _ := v.has("ready")
	err := first(
		v.only(nil, "start", "port", "ready", "scenarios"),
		set(v, "start", &s.Start, func(v value) ([]string, error) { return v.strings(nil) }),
		set(v, "port", &s.Port, port),
		readiness(ready, &s.Ready, &s.Within),
		set(v, "scenarios", &s.Scenarios, scenarios),
	)
	switch {
	case err != nil:
		return nil, err
	case len(s.Start) == 0 || s.Port == 0 || len(s.Scenarios) == 0:
		return nil, v.errorf("needs start, port and scenarios")
	case len(s.Start) == 1:
		s.Start = []string{"/bin/sh", "-c", s.Start[0]}
	}
	return s, nil
}

func requestPath(v value) (string, error) {
	s, err := v.string()
	if err == nil && !urlPath.MatchString(s) {
		err = v.errorf("must be a path that begins with / and holds no blank and no #")
	}
	return s, err
}

func scenarios(v value) ([]Scenario, error) {
	if v.kind != list || len(v.items) == 0 || len(v.items) > maxScenarios {
		return nil, v.errorf("must be a list of 1 to %d scenarios, each with path and what is expected", maxScenarios)
	}
	var out []Scenario
	for _, item := range v.items {
		s := Scenario{Method: http.MethodGet, Required: true}
		err := first(
			item.only(nil, "name", "method", "path", "headers", "body", "status", "contains", "required"),
			set(item, "name", &s.Name, value.string),
			set(item, "method", &s.Method, func(v value) (string, error) { return v.oneOf(methods...) }),
			set(item, "path", &s.Path, requestPath),
			set(item, "headers", &s.Headers, headers),
			set(item, "body", &s.Body, longText),
			set(item, "status", &s.Status, whole(100, 599)),
			set(item, "contains", &s.Contains, longText),
			set(item, "required", &s.Required, value.boolean),
		)
		if err == nil && s.Path == "" {
			err = item.errorf("needs a path")
		}
		if err != nil {
			return nil, err
		}
		if s.Name == "" {
			s.Name = s.Method + " " + s.Path
		}
		if slices.ContainsFunc(out, func(o Scenario) bool { return o.Name == s.Name }) {
			return nil, item.errorf("another scenario has the name %s; give them names of their own", s.Name)
		}
		out = append(out, s)
	}
	return out, nil
}

func longText(v value) (string, error) {
	if !v.isText() {
		return "", v.errorf("must be text")
	}
	if len(v.text) > maxBody || strings.ContainsRune(v.text, 0) {
		return "", v.errorf("must be text of at most %d bytes", maxBody)
	}
	return v.text, nil
}

func headers(v value) (map[string]string, error) {
	if v.kind != mapping {
		return nil, v.errorf("must be a mapping of names to texts")
	}
	out := map[string]string{}
	for _, name := range v.order {
		s, err := v.fields[name].string()
		if err == nil && !header.MatchString(name) {
			err = v.fields[name].errorf("%q cannot be the name of a header", name)
		}
		if err != nil {
			return nil, err
		}
		out[name] = s
	}
	return out, nil
}
