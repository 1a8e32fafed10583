package settings

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

const smokeFile = `smoke:
  start: [python3, server.py]
  port: 8080
  ready: {path: /healthz, seconds: 5}
  scenarios:
    - path: /items?page=1
      contains: pear
    - name: create
      method: POST
      path: /items
      headers: {Content-Type: application/json}
      body: |
        {"name": "apple"}
      status: 201
      required: false
`

func TestC7SmokeIsRead(t *testing.T) {
	t.Parallel()
	r, err := LoadRepo([]byte(smokeFile))
	if err != nil {
		t.Fatal(err)
	}
	s := r.Smoke
	if len(s.Start) != 2 || s.Port != 8080 || s.Ready != "/healthz" || s.Within != 5*time.Second || len(s.Scenarios) != 2 {
		t.Fatalf("%+v", s)
	}
	if one := s.Scenarios[0]; one.Name != "GET /items?page=1" || one.Contains != "pear" || !one.Required || one.Status != 0 {
		t.Errorf("%+v", one)
	}
	if two := s.Scenarios[1]; two.Method != http.MethodPost || two.Status != 201 || two.Required || two.Headers["Content-Type"] != "application/json" || two.Body != "{\"name\": \"apple\"}\n" {
		t.Errorf("%+v", two)
	}
	if r, err = LoadRepo([]byte(strings.Replace(smokeFile, "[python3, server.py]", "make serve", 1))); err != nil || strings.Join(r.Smoke.Start, " ") != "/bin/sh -c make serve" {
		t.Errorf("%v, %v", r.Smoke.Start, err)
	}
}

func TestC7BadSmokeIsRefusedByLoaderAndSchema(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t, "fettle.schema.json")
	for what, change := range map[string][2]string{
		"no start": {"  start: [python3, server.py]\n", ""}, "no port": {"  port: 8080\n", ""}, "low port": {"8080", "80"}, "foreign method": {"POST", "CONNECT"},
		"relative path": {"path: /items?", "path: items?"}, "unknown key": {"status: 201", "state: 201"}, "bad status": {"201", "999"}, "late": {"seconds: 5", "seconds: 500"},
		"bad header": {"Content-Type", "Content Type"}, "fragment": {"?page=1", "#page"},
	} {
		text := strings.Replace(smokeFile, change[0], change[1], 1)
		if text == smokeFile {
			t.Fatalf("%s: nothing was changed", what)
		}
		if _, err := LoadRepo([]byte(text)); err == nil {
			t.Errorf("%s: the loader takes it", what)
		}
		var doc any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err == nil {
			t.Errorf("%s: the schema takes it", what)
		}
	}
	var doc any
	if err := yaml.Unmarshal([]byte(smokeFile), &doc); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("the schema refuses a good file: %v", err)
	}
}
