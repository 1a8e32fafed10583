package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// killedServer is "fettle serve", or "fettle worker" where FETTLE_ROLE says so, that
// kills itself at named points: at each of them, but for those of FETTLE_SPARED, as
// often as FETTLE_KILLS says, over all processes that share the file. With
// FETTLE_FROZEN it stops instead of dying, at that point only.
func killedServer() {
	ctx, stop := signals()
	defer stop()
	g := &global{config: os.Getenv("FETTLE_CONFIG"), verbose: true}
	p, err := g.load(os.Stderr)
	if err == nil {
		what := service{addr: "127.0.0.1:0", workers: 2, door: true}
		switch os.Getenv("FETTLE_ROLE") {
		case "door":
			what.workers = 0
		case "worker":
			what = service{workers: 2}
		}
		if dir := os.Getenv("FETTLE_STATE"); dir != "" { // another machine's
			p.set.StateDir = dir
		}
		p.stale, _ = time.ParseDuration(os.Getenv("FETTLE_STALE"))
		p.unswept = os.Getenv("FETTLE_SWEPT") == ""
		p.point = killer(os.Getenv("FETTLE_KILLED"), number(os.Getenv("FETTLE_KILLS")), os.Getenv("FETTLE_SPARED"), os.Getenv("FETTLE_FROZEN"))
		err = p.serve(ctx, what, func(url string) { fmt.Println(url) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(exitCode(ctx, err))
}

func killer(file string, limit int, spared, frozen string) func(string) {
	var mu sync.Mutex
	return func(name string) {
		point := strings.ReplaceAll(name, " ", "_")
		if slices.Contains(strings.Fields(spared), point) || frozen != "" && frozen != point {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		seen, _ := os.ReadFile(file)
		if count(strings.Split(string(seen), "\n"), name) >= limit {
			return
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = f.WriteString(name + "\n")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(98)
		}
		if frozen != "" {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			return
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // without one nothing is killed
	return n
}

func count(list []string, want string) (n int) {
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}

const (
	owner  = "local"
	human  = "maintainer"
	canary = "canary-4f1c9a7be2d05836-secret"
)

// world is GitHub in the test's process, and fettle's server in processes of
// its own on one state folder.
type world struct {
	*testing.T
	sim     *simulator.Server
	dir     string // everything of this world
	config  string
	db      *store.Store
	sink    string // where webhooks go until a server is there
	mu      sync.Mutex
	held    []held // deliveries that the sink took
	log     string
	killed  string
	swept   bool   // servers sweep, and delete what was removed
	kills   int    // how often each point kills
	spared  string // points that kill nobody, with spaces between them
	pids    []int
	program string // another test binary to start servers from; "" for this one
}

// held is a webhook that was caught.
type held struct {
	header http.Header
	body   []byte
}

// server is a running process.
type server struct {
	*exec.Cmd
	url  string
	done chan struct{}
}

// newWorld hosts one repository. What wraps stands before all that GitHub
// answers.
func newWorld(t *testing.T, files map[string]string, config string, wraps ...func(http.Handler) http.Handler) *world {
	t.Helper()
	return newWorldOn(t, files, config, func(cfg *simulator.Config) {
		for _, wrap := range wraps {
			cfg.Middleware = wrap
		}
	})
}

// newWorldOn hosts it on a GitHub of another kind.
func newWorldOn(t *testing.T, files map[string]string, config string, change func(*simulator.Config)) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir()}
	var err error
	cfg := simulator.Config{Root: filepath.Join(w.dir, "github"), WebhookSecret: canary}
	change(&cfg)
	if cfg.Enterprise != "" {
		config = fmt.Sprintf("  ca_file: %s\n%s", filepath.Join(cfg.Root, "ca.pem"), config)
	}
	w.sim, err = simulator.New(cfg)
	w.must(err)
	go func() { _ = w.sim.Serve(context.Background()) }()
	t.Cleanup(func() { _ = w.sim.Close() })
	w.must(w.sim.AddRepo(owner, "weave", lay(t, files)))
	w.must(w.sim.SetPermission(owner, "weave", human, "write"))

	catcher := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		w.mu.Lock()
		w.held = append(w.held, held{r.Header.Clone(), body.Bytes()})
		w.mu.Unlock()
		rw.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(catcher.Close)
	w.sink = catcher.URL
	w.sim.SetWebhook(w.sink, canary)

	state := filepath.Join(w.dir, "state")
	w.must(os.Mkdir(state, 0o700))
	keys := filepath.Join(w.dir, "keys")
	w.must(os.Mkdir(keys, 0o700))
	w.must(os.WriteFile(filepath.Join(keys, "app.pem"), w.sim.PrivateKeyPEM(), 0o600))
	w.must(os.WriteFile(filepath.Join(keys, "secret"), []byte(canary+"\n"), 0o600))
	w.must(os.WriteFile(filepath.Join(keys, "model"), []byte(canary+"-model\n"), 0o600))
	w.config = filepath.Join(w.dir, "config.yml")
	w.must(os.WriteFile(w.config, []byte(fmt.Sprintf("state_dir: %s\ngithub:\n  app_id: %d\n  base_url: %s\n  private_key_file: keys/app.pem\n  webhook_secret_file: keys/secret\n%s",
		state, w.sim.AppID(), w.sim.URL(), config)), 0o600))
	w.log, w.killed = filepath.Join(w.dir, "server.log"), filepath.Join(w.dir, "killed")
	address := filepath.Join(state, "fettle.db")
	if _, rest, ok := strings.Cut(config, "\ndatabase: "); ok {
		address, _, _ = strings.Cut(rest, "\n")
	}
	w.db, err = store.Open(context.Background(), address, store.Config{})
	w.must(err)
	t.Cleanup(func() { _ = w.db.Close() })
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// start starts the server. Its url is "" when it died before it listened.
func (w *world) start(env ...string) *server {
	w.Helper()
	log, err := os.OpenFile(w.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	w.must(err)
	defer log.Close()
	c := exec.Command("fettle-killed")
	if w.program != "" {
		c.Path = w.program
	}
	c.Env = append(os.Environ(), "FETTLE_CONFIG="+w.config, "FETTLE_KILLED="+w.killed, "FETTLE_KILLS="+strconv.Itoa(w.kills), "FETTLE_SPARED="+w.spared, "FETTLE_CANARY="+canary)
	if w.swept {
		c.Env = append(c.Env, "FETTLE_SWEPT=1")
	}
	c.Env = append(c.Env, env...)
	c.Stderr = log
	out, err := c.StdoutPipe()
	w.must(err)
	w.must(c.Start())
	w.pids = append(w.pids, c.Process.Pid)
	s := &server{Cmd: c, done: make(chan struct{})}
	line, _ := bufio.NewReader(out).ReadString('\n')
	s.url = strings.TrimSpace(line)
	if s.url != "" {
		w.sim.SetWebhook(s.url+"/webhook", canary)
	}
	go func() {
		_ = c.Wait()
		close(s.done)
	}()
	w.Cleanup(func() {
		_ = c.Process.Kill()
		<-s.done
	})
	return s
}

// stop drains the server and gives its exit status.
func (w *world) stop(s *server) int {
	w.Helper()
	_ = s.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
	case <-time.After(40 * time.Second):
		_ = s.Process.Signal(syscall.SIGQUIT) // where is it?
		<-s.done
		raw, _ := os.ReadFile(w.log)
		w.Fatalf("the server did not end within 40 s of SIGTERM\n%s", raw)
	}
	return s.ProcessState.ExitCode()
}

// ask files an issue and labels it.
func (w *world) ask(title, body string) int {
	w.Helper()
	n, err := w.sim.OpenIssue(owner, "weave", title, body, human)
	w.must(err)
	w.must(w.sim.Label(owner, "weave", n, "agent:fix", human))
	return n
}

func (w *world) runs() []task.Run {
	w.Helper()
	all, err := w.db.Runs(context.Background(), store.Filter{})
	w.must(err)
	return all
}

// until waits for a condition.
func (w *world) until(limit time.Duration, what string, ok func() bool) {
	w.Helper()
	for end := time.Now().Add(5 * limit); !ok(); { // a busy machine is no failure: the limit ends what hangs
		if time.Now().After(end) {
			w.Fatalf("not within %s: %s\n%s", limit, what, w.tail())
		}
		time.Sleep(100 * time.Millisecond) // polling, not synchronisation; each look reads the database
	}
}

// ended tells whether there is a run and none is live.
func (w *world) ended() bool {
	all := w.runs()
	for _, r := range all {
		if r.State != task.StateDone {
			return false
		}
	}
	return len(all) > 0
}

// tail is the end of the server's log, for failures.
func (w *world) tail() string {
	raw, _ := os.ReadFile(w.log)
	return string(raw[max(0, len(raw)-6000):])
}

// post sends a webhook as GitHub would, signed with the secret.
func (w *world) post(url, id, event string, body []byte, sign func([]byte, http.Header)) int {
	req, err := http.NewRequest(http.MethodPost, url+"/webhook", bytes.NewReader(body))
	w.must(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-GitHub-Event", event)
	req.Header.Set("X-GitHub-Delivery", id)
	sign(body, req.Header)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}

func signedBy(secret string) func([]byte, http.Header) {
	return func(body []byte, h http.Header) {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		h.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
}

// labelled is the caught delivery of the label.
func (w *world) labelled() held {
	w.Helper()
	w.must(w.sim.Settle(w.Context()))
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.held {
		if h.header.Get("X-GitHub-Event") == "issues" && bytes.Contains(h.body, []byte(`"action":"labeled"`)) {
			return h
		}
	}
	w.Fatalf("no delivery of the label among %d", len(w.held))
	return held{}
}

// oracle checks what must hold after every fault (TRUST I2–I7), once the
// server has ended.
func (w *world) oracle(n int) simulator.Snapshot {
	w.Helper()
	ctx := context.Background()
	snap := w.sim.Snapshot(owner, "weave")
	if len(snap.Branches) > 2 { // main and ours
		w.Errorf("I2: more than one branch: %v", snap.Branches)
	}
	if len(snap.Pulls) > 1 {
		w.Errorf("I2: %d pull requests", len(snap.Pulls))
	}
	var text strings.Builder
	for _, i := range snap.Issues {
		status, reports, eyes := 0, 0, 0
		for _, c := range i.Comments {
			text.WriteString(c.Body)
			if strings.Contains(c.Body, "**fettle**") {
				status++
			}
			if strings.Contains(c.Body, "## fettle stopped") {
				reports++
			}
		}
		for _, r := range i.Reactions {
			if strings.HasPrefix(r, "eyes by fettle") || strings.HasPrefix(r, "eyes by github-actions") {
				eyes++
			}
		}
		if i.Number == n && (status != 1 || reports > 1 || eyes != 1) {
			w.Errorf("I2: %d status comments, %d reports, %d reactions; want 1, at most 1, 1", status, reports, eyes)
		}
	}
	for _, p := range snap.Pulls {
		text.WriteString(p.Title + p.Body + p.Diff)
	}
	for _, r := range w.runs() {
		if r.State != task.StateDone {
			w.Errorf("I3: run %s is %s", r.ID, r.State)
		}
	}
	w.noneLeft()
	if err := w.db.Integrity(ctx); err != nil {
		w.Errorf("I7: %v", err)
	}
	w.noSecret(text.String())
	return snap
}

// noneLeft looks for processes, mounts, cgroups, checkouts and sandboxes (I4).
func (w *world) noneLeft() {
	w.Helper()
	if left := processes(w.dir); len(left) > 0 {
		w.Errorf("I4: processes are left: %v", left)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	w.must(err)
	if strings.Contains(string(mounts), w.dir) {
		w.Error("I4: mounts are left")
	}
	for _, pattern := range []string{"state/sandbox/boxes/*", "state/checkouts/trees/*"} {
		left, err := filepath.Glob(filepath.Join(w.dir, pattern))
		w.must(err)
		if len(left) > 0 {
			w.Errorf("I4: left over: %v", left)
		}
	}
	_ = filepath.WalkDir("/sys/fs/cgroup", func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil //nolint:nilerr // a group that went away meanwhile is not left over
		}
		for _, pid := range w.pids {
			if strings.HasPrefix(d.Name(), fmt.Sprintf("fettle-%d-", pid)) {
				w.Errorf("I4: the cgroup %s is left", p)
			}
		}
		return nil
	})
}

var installationToken = regexp.MustCompile(`ghs_[A-Za-z0-9]{30,}`)

// noSecret looks for secrets in the log, everything stored, and what was
// published (I5).
func (w *world) noSecret(published string) {
	w.Helper()
	key := strings.Split(string(w.sim.PrivateKeyPEM()), "\n")[1]
	look := func(where string, data []byte) {
		for name, secret := range map[string]string{"the webhook's secret": canary, "the App's key": key} {
			if bytes.Contains(data, []byte(secret)) {
				w.Errorf("I5: %s stands in %s", name, where)
			}
		}
		if installationToken.Match(data) {
			w.Errorf("I5: an installation token stands in %s", where)
		}
	}
	look("what was published", []byte(published))
	log, err := os.ReadFile(w.log)
	w.must(err)
	look("the log", log)
	w.must(filepath.WalkDir(filepath.Join(w.dir, "state"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		look(p, data)
		return err
	}))
	// the repository itself, with every commit that was pushed
	out, err := exec.Command("git", "--git-dir", w.gitDir(), "log", "--all", "-p").Output()
	w.must(err)
	look("a commit", out)
}

// gitDir is the simulator's bare repository.
func (w *world) gitDir() string {
	w.Helper()
	found := ""
	w.must(filepath.WalkDir(filepath.Join(w.dir, "github", "repos"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "HEAD" && found == "" {
			found = filepath.Dir(p)
		}
		return err
	}))
	return found
}
