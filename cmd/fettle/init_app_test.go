package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/manifest"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
)

// clicking is a person at both pages: fettle's, and GitHub's to which it leads.
type clicking struct {
	*testing.T
	*http.Client
}

func (c clicking) page(req *http.Request, err error) (string, string) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 400 {
		c.Fatalf("%s: %s %v\n%s", req.URL, resp.Status, err, data)
	}
	return string(data), resp.Request.URL.String()
}

func (c clicking) get(address string) string {
	c.Helper()
	text, _ := c.page(http.NewRequest(http.MethodGet, address, nil))
	return text
}

// press sends the form of a page that goes to an address of this pattern, as it stands.
func (c clicking) press(page, base, pattern string) string {
	c.Helper()
	form := regexp.MustCompile(`(?s)<form[^>]* action="(` + pattern + `[^"]*)".*?</form>`).FindStringSubmatch(page)
	if form == nil {
		c.Fatalf("no form to %s on %s", pattern, page)
	}
	values := url.Values{}
	for _, input := range regexp.MustCompile(`<input[^>]*>`).FindAllString(form[0], -1) {
		attr := map[string]string{}
		for _, m := range regexp.MustCompile(`(name|value)="([^"]*)"`).FindAllStringSubmatch(input, -1) {
			attr[m[1]] = html.UnescapeString(m[2])
		}
		values.Set(attr["name"], attr["value"])
	}
	if m := regexp.MustCompile(`(?s)<select name="([^"]*)"><option>([^<]*)`).FindStringSubmatch(form[0]); m != nil {
		values.Set(m[1], m[2])
	}
	at, err := url.Parse(base)
	if err != nil {
		c.Fatal(err)
	}
	to, err := at.Parse(html.UnescapeString(form[1]))
	if err != nil {
		c.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, to.String(), strings.NewReader(values.Encode()))
	if err == nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", at.Scheme+"://"+at.Host)
	}
	text, _ := c.page(req, err)
	return text
}

// TestO6TheAppOfOneClickMendsAnIssueAtOnce: the command, the pages, the install, the
// server with exactly the file that was written, a label, a pull request; and doctor
// finds nothing wrong.
func TestO6TheAppOfOneClickMendsAnIssueAtOnce(t *testing.T) {
	endToEnd(t)
	dir := t.TempDir()
	sim, err := simulator.New(simulator.Config{Root: filepath.Join(dir, "github")})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = sim.Serve(context.Background()) }()
	t.Cleanup(func() { _ = sim.Close() })
	if err := sim.AddRepo(owner, "weave", lay(t, quickFiles())); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	_ = free.Close()

	file := filepath.Join(dir, "app", "fettle.yml")
	initCmd := exec.Command("fettle", "init", "--github", "--json", "--config", file, "--server", sim.URL(), "--webhook-url", "http://"+addr)
	errs, err := initCmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	initCmd.Stdout = &out
	if err := initCmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = initCmd.Process.Kill() })
	line, _ := bufio.NewReader(errs).ReadString('\n')
	_, page, _ := strings.Cut(strings.TrimSpace(line), "open ")
	jar, _ := cookiejar.New(nil)
	person := clicking{t, &http.Client{Jar: jar}}
	person.get(sim.EntryURL())
	theirs := person.press(person.get(page), page, regexp.QuoteMeta(sim.URL())+"/settings/apps/new")
	done := person.press(theirs, sim.URL(), "/settings/apps/create")
	if !strings.Contains(done, "is yours") {
		t.Fatal(done)
	}
	if err := initCmd.Wait(); err != nil {
		t.Fatal(err)
	}
	var made manifest.Result
	if err := json.Unmarshal(out.Bytes(), &made); err != nil || made.File != file {
		t.Fatalf("%v %s", err, out.String())
	}

	var log bytes.Buffer
	serve := exec.Command("fettle", "serve", "--config", file, "--addr", addr)
	serve.Stderr = &log
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()
	t.Cleanup(func() { _ = serve.Process.Kill() })
	until := func(what string, ok func() bool) {
		t.Helper()
		limit, look := time.After(5*time.Minute), time.NewTicker(50*time.Millisecond)
		defer look.Stop()
		for !ok() {
			select {
			case err := <-ended:
				t.Fatalf("the server ended before %s: %v\n%s", what, err, log.String())
			case <-limit:
				_ = serve.Process.Kill()
				t.Fatalf("never: %s (%v)\n%s", what, <-ended, log.String())
			case <-look.C:
			}
		}
	}
	until("it listens", func() bool {
		resp, err := http.Get("http://" + addr + "/healthz")
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil
	})
	person.press(person.get(made.Install), made.Install, "/_do/install")
	n, err := sim.OpenIssue(owner, "weave", quickTitle, quickBody, owner)
	if err == nil {
		err = sim.Label(owner, "weave", n, "agent:fix", owner)
	}
	if err != nil {
		t.Fatal(err)
	}
	until("there is a pull request", func() bool {
		return len(sim.Snapshot(owner, "weave").Pulls) == 1
	})
	until("the run has ended", func() bool {
		for _, i := range sim.Snapshot(owner, "weave").Issues {
			if i.Number == n && !strings.Contains(strings.Join(i.Labels, " "), "agent:working") {
				return true
			}
		}
		return false
	})
	if diff := sim.Snapshot(owner, "weave").Pulls[0].Diff; !strings.Contains(diff, "-    return (items + size - 1) // size - 1") {
		t.Errorf("the fault is not mended: %s", diff)
	}

	text, err := exec.Command("fettle", "--config", file, "doctor", "--json", "--repo", owner+"/weave", "--addr", addr).Output()
	var lines []finding
	if jerr := json.Unmarshal(text, &lines); jerr != nil || err != nil {
		t.Fatalf("%v %v %s", err, jerr, text)
	}
	seen := map[string]string{}
	for _, f := range lines {
		seen[f.Name] = f.Status
		if !strings.HasPrefix(f.Name, "wall: ") && f.Status == "error" {
			t.Errorf("%+v", f)
		}
	}
	for _, name := range []string{"configuration", "github app", "clock", "app permission", "app installation", "webhook", "deliveries", "listener", "repository", "default branch", "label"} {
		if seen[name] != "ok" {
			t.Errorf("doctor says of %s: %q\n%s", name, seen[name], text)
		}
	}
	_ = serve.Process.Signal(syscall.SIGTERM)
	if err := <-ended; err != nil && serve.ProcessState.ExitCode() != exitCancelled {
		t.Errorf("%v\n%s", err, log.String())
	}
	if secret := sim.WebhookSecret(); strings.Contains(log.String(), secret) || strings.Contains(out.String(), secret) {
		t.Error("the secret is told")
	}
}

func TestO6FlagsOfTheTwoHalvesOfInitAreNotMixed(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--org", "acme"}, {"--github", "."}, {"--github", "--write"}, {"--server", "https://github.example.com"}} {
		if code := run(append([]string{"init"}, args...), strings.NewReader(""), io.Discard, io.Discard); code != exitUsage {
			t.Errorf("%v: %d", args, code)
		}
	}
}

// TestO6CtrlCLeavesNothing: the command is stopped while its page is shown.
func TestO6CtrlCLeavesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "app", "fettle.yml")
	c := exec.Command("fettle", "init", "--github", "--config", file)
	errs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(errs)
	line, _ := said.ReadString('\n')
	_ = c.Process.Signal(os.Interrupt)
	rest, _ := io.ReadAll(said)
	_ = c.Wait()
	if c.ProcessState.ExitCode() != exitCancelled || !strings.Contains(line, "open http://127.0.0.1:") || !strings.Contains(string(rest), "nothing was written") {
		t.Errorf("%d %s%s", c.ProcessState.ExitCode(), line, rest)
	}
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("something is left")
	}
}
