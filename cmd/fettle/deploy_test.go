package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// accepted tells whether this fettle has the command, and its flags as they are given.
func accepted(t *testing.T, file string, args []string) {
	t.Helper()
	c, rest, err := newRoot(strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer)).Find(args)
	if err == nil && !c.Runnable() {
		t.Errorf("%s: fettle %s: holds commands only", file, strings.Join(args, " "))
	}
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err != nil {
		t.Errorf("%s: fettle %s: %v", file, strings.Join(args, " "), err)
	}
}

func deployed(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// drains is how long a process takes to give its runs back (TRUST F14).
const drains = 30 * time.Second

func TestO2TheComposeFileStartsWhatThisFettleHas(t *testing.T) {
	t.Parallel()
	var file struct {
		Services map[string]struct {
			Image       string
			Command     []string
			User        string
			ReadOnly    bool     `yaml:"read_only"`
			Grace       string   `yaml:"stop_grace_period"`
			SecurityOpt []string `yaml:"security_opt"`
			Secrets     []string
			Configs     []map[string]string
			Volumes     []string
			DependsOn   map[string]any `yaml:"depends_on"`
		}
		Configs, Secrets, Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "compose.yml")), &file); err != nil {
		t.Fatal(err)
	}
	ours := 0
	for name, s := range file.Services {
		for _, secret := range s.Secrets {
			if _, ok := file.Secrets[secret]; !ok {
				t.Errorf("%s: the secret %s is not defined", name, secret)
			}
		}
		for needs := range s.DependsOn {
			if _, ok := file.Services[needs]; !ok {
				t.Errorf("%s: there is no service %s", name, needs)
			}
		}
		for _, v := range s.Volumes {
			if from, _, named := strings.Cut(v, ":"); named {
				if _, ok := file.Volumes[from]; !ok {
					t.Errorf("%s: there is no volume %s", name, from)
				}
			}
		}
		if s.Image != "fettle" {
			continue
		}
		ours++
		accepted(t, "compose.yml", s.Command)
		if grace, err := time.ParseDuration(s.Grace); err != nil || grace <= drains {
			t.Errorf("%s: stopped after %s, before it has given its runs back", name, s.Grace)
		}
		if !s.ReadOnly || len(s.Configs) != 1 {
			t.Errorf("%s: %+v", name, s)
		}
		if worker := s.Command[0] == "worker"; worker != slices.Contains(s.SecurityOpt, "systempaths=unconfined") {
			t.Errorf("%s: only what sandboxes needs namespaces: %v", name, s.SecurityOpt)
		}
	}
	if ours != 2 {
		t.Errorf("%d services of fettle", ours)
	}
}

func TestO7TheImageStartsWhatThisFettleHas(t *testing.T) {
	t.Parallel()
	text := deployed(t, "Containerfile")
	m := regexp.MustCompile(`(?m)^CMD \[(.*)\]$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no CMD")
	}
	var args []string
	for _, a := range strings.Split(m[1], ", ") {
		args = append(args, strings.Trim(a, `"`))
	}
	accepted(t, "Containerfile", args)
	if !regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).MatchString(text) {
		t.Error("it does not run as a user of its own")
	}
}

func TestO2TheUnitStartsWhatThisFettleHas(t *testing.T) {
	t.Parallel()
	text := deployed(t, "fettle.service")
	m := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/fettle (.*)$`).FindStringSubmatch(text)
	stop := regexp.MustCompile(`(?m)^TimeoutStopSec=(\d+)$`).FindStringSubmatch(text)
	if m == nil || stop == nil {
		t.Fatal("no ExecStart or TimeoutStopSec")
	}
	accepted(t, "fettle.service", strings.Fields(m[1]))
	if limit, err := time.ParseDuration(stop[1] + "s"); err != nil || limit <= drains {
		t.Errorf("stopped after %s s, before it has given its runs back", stop[1])
	}
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("the rest is not checked: systemd-analyze is not there")
	}
	there := strings.Replace(text, "/usr/local/bin/fettle", "/bin/true", 1)
	at := filepath.Join(t.TempDir(), "fettle.service")
	if err := os.WriteFile(at, []byte(there), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(verify, "verify", "--man=no", at).CombinedOutput(); err != nil || strings.Contains(string(out), "fettle.service:") {
		t.Errorf("%v\n%s", err, out)
	}
}
