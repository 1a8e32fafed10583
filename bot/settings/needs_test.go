package settings

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func TestC2ServicesAndVariablesAreReadOrRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t, "fettle.schema.json")
	for text, want := range map[string]string{
		"services: [postgres, mysql, redis]": "",
		"services: [{name: postgres, port: 5433, user: a, password: b, database: c, ready: {seconds: 90}}]":      "",
		"services: [{name: my-mail, run: \"python3 m.py\", port: 2525, ready: {path: /up, seconds: 3}}]":         "",
		"env: {APP_ENV: test, DATABASE_URL: \"postgres://a:b@127.0.0.1/x\", NODE_ENV: test, DEBUG: 1, ON: true}": "",
		"services: postgres":                                  "must be a list",
		"services: [mongodb]":                                 "fettle knows no service mongodb",
		"services: [{run: x, port: 2000}]":                    "needs a name",
		"services: [{name: x, run: y}]":                       "needs a port",
		"services: [{name: x, run: y, port: 80}]":             "1024",
		"services: [{name: X y, run: y, port: 2000}]":         "small letters",
		"services: [{name: redis, run: y}]":                   "another name",
		"services: [{name: redis, user: y}]":                  "unknown key",
		"services: [{name: redis, ready: {path: /x}}]":        "path is for services that speak HTTP",
		"services: [{name: postgres, database: \"a; drop\"}]": "letters",
		"services: [{name: postgres, password: \"a'b\"}]":     "letters",
		"services: [postgres, postgres]":                      "another service has the name",
		"services: [postgres, {name: x, run: y, port: 5432}]": "the port 5432",
		"services: [{name: node, run: x, port: 2000}]":        "NODE_HOST",
		"services: [{name: fettle, run: x, port: 2000}]":      "FETTLE_HOST",
		"env: [A]":          "must be names with their values",
		"env: {\"A B\": x}": "is no name of an environment variable",
	} {
		_, err := LoadRepo([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		raw, yerr := yaml.YAMLToJSON([]byte(text))
		var plain any
		if yerr != nil || json.Unmarshal(raw, &plain) != nil {
			t.Fatal(yerr, string(raw))
		}
		// What needs more than a look at each field the schema lets pass.
		if serr := schema.Validate(plain); (want == "") && serr != nil {
			t.Errorf("%s: the schema: %v", text, serr)
		}
	}
	for _, name := range []string{"PATH", "path", "HOME", "TMPDIR", "LD_PRELOAD", "LD_LIBRARY_PATH", "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONSTARTUP", "PYTEST_ADDOPTS", "GOFLAGS", "GOROOT", "CARGO_TARGET_DIR", "RUSTC_WRAPPER",
		"JAVA_TOOL_OPTIONS", "MAVEN_OPTS", "GRADLE_OPTS", "RUBYOPT", "BUNDLE_GEMFILE", "PHPRC", "PHP_INI_SCAN_DIR", "GIT_DIR", "npm_config_node_options", "BASH_ENV", "FETTLE_OBSERVE", "FETTLE_INCLUDE", "CI", "TZ", "GTEST_FILTER"} {
		if _, err := LoadRepo([]byte("env: {" + name + ": x}")); err == nil || !strings.Contains(err.Error(), "env."+name) || !strings.Contains(err.Error(), "no repository's to set") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
