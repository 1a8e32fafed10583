package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

// doubles are what a line of examples.txt that begins with + starts.
var doubles = map[string]func(*stage){
	"github":     func(s *stage) { s.github("") },
	"enterprise": func(s *stage) { s.github("3.14.0") },
	"app":        (*stage).app,
	"token":      (*stage).token,
	"models":     (*stage).models,
	"postgres": func(s *stage) {
		s.word("postgres://fettle@db.example.org/fettle", "'"+storetest.StartPostgres(s.T).Empty(s.T)+"'")
	},
}

// word has a word stand for something in the lines that follow.
func (s *stage) word(word, is string) { s.words = append([]string{word, is}, s.words...) }

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// configured adds lines to the operator's file.
func (s *stage) configured(more string) {
	s.Helper()
	dir := filepath.Join(s.dir, "config", "fettle")
	s.must(os.MkdirAll(dir, 0o700))
	f, err := os.OpenFile(filepath.Join(dir, "config.yml"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	s.must(err)
	defer f.Close()
	_, err = f.WriteString(more)
	s.must(err)
}

// github is a GitHub with acme/shop and 17 issues on it; SIM is its address.
func (s *stage) github(enterprise string) {
	s.Helper()
	var err error
	s.sim, err = simulator.New(simulator.Config{Root: filepath.Join(s.dir, "github"), WebhookSecret: canary, Enterprise: enterprise})
	s.must(err)
	go func() { _ = s.sim.Serve(context.Background()) }()
	s.Cleanup(func() { _ = s.sim.Close() })
	s.must(s.sim.AddRepo("acme", "shop", filepath.Join(s.dir, "origin.git")))
	text, err := os.ReadFile(filepath.Join(s.dir, "project", "bug.md"))
	s.must(err)
	title, body, _ := strings.Cut(string(text), "\n")
	for range 17 {
		_, err = s.sim.OpenIssue("acme", "shop", title, body, human)
		s.must(err)
	}
	s.word("SIM", s.sim.URL())
	if enterprise != "" {
		ca, err := os.ReadFile(s.sim.CAFile())
		s.must(err)
		s.must(os.WriteFile(filepath.Join(s.dir, "project", "ca.pem"), ca, 0o600))
	}
}

// app is the operator's file of the App on it.
func (s *stage) app() {
	s.Helper()
	s.sim.SetWebhook("http://127.0.0.1:8080/webhook", canary)
	s.configured(fmt.Sprintf("github:\n  app_id: %d\n  base_url: %s\n  private_key_file: app.pem\n  webhook_secret_file: secret\n", s.sim.AppID(), s.sim.URL()))
	for name, text := range map[string]string{"app.pem": string(s.sim.PrivateKeyPEM()), "secret": canary + "\n"} {
		s.must(os.WriteFile(filepath.Join(s.dir, "config", "fettle", name), []byte(text), 0o600))
	}
}

// token has whoever is in the project work on acme/shop of GitHub with a token of theirs.
func (s *stage) token() {
	s.Helper()
	token, err := s.sim.JobToken("acme", "shop", map[string]string{"contents": "write", "issues": "read", "pull_requests": "write"})
	s.must(err)
	s.env = append(s.env, "GITHUB_TOKEN="+token)
	for _, args := range [][]string{
		{"remote", "set-url", "origin", s.sim.URL() + "/acme/shop.git"},
		{"config", "http.extraHeader", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))},
	} {
		inGit(s.T, filepath.Join(s.dir, "project"), args...)
	}
}

// models are two that write a test of duty, have nothing against a change, and plan two steps.
func (s *stage) models() {
	s.Helper()
	_, tiers := models(s.T, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: "```json\n" + `{"actions":[{"action":"create_file","path":"test_duty.py","code":1},{"action":"finish"}],"explanation":"holds duty"}` + "\n```\n```python\n" +
			"import unittest\n\nfrom shop import duty\n\n\nclass Duty(unittest.TestCase):\n    def test_duty(self):\n        self.assertEqual((duty(5, 'EU'), duty(5, 'US')), (0, 10))\n```\n"}
	}, task.Tier1, task.Tier2)
	s.configured(tiers)
}

// opens is a person who opens the page that a command shows, and goes the whole way.
func (s *stage) opens(c *exec.Cmd, told io.Writer) error {
	s.Helper()
	said, err := c.StderrPipe()
	s.must(err)
	s.must(c.Start())
	errs := bufio.NewReader(io.TeeReader(said, told))
	line, _ := errs.ReadString('\n')
	_, page, ok := strings.Cut(strings.TrimSpace(line), "open ")
	if !ok {
		_, _ = io.Copy(io.Discard, errs)
		return c.Wait()
	}
	trusted := http.DefaultTransport.(*http.Transport).Clone()
	if ca, err := os.ReadFile(s.sim.CAFile()); err == nil {
		trusted.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		trusted.TLSClientConfig.RootCAs.AppendCertsFromPEM(ca)
	}
	jar, _ := cookiejar.New(nil)
	person := clicking{s.T, &http.Client{Jar: jar, Transport: trusted}}
	person.get(s.sim.EntryURL())
	asked := person.get(page)
	if strings.Contains(asked, `name="webhook"`) { // it stands in no flag
		asked = person.get(page + "?webhook=" + url.QueryEscape("https://fettle.example.com/webhook"))
	}
	theirs := person.press(asked, page, `[^"]*/settings/apps/new`)
	person.press(theirs, s.sim.URL(), "/settings/apps/create")
	_, _ = io.Copy(io.Discard, errs)
	return c.Wait()
}
