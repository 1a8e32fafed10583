package simulator_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/forge/simulator/contract"
)

// clock is a clock that tests turn.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) Turn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// appKey is one key for all worlds: making one takes long under the race
// detector.
var appKey = sync.OnceValue(func() []byte {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
})

// seen collects what all tests together exercised.
type seen struct {
	mu  sync.Mutex
	ops map[string]bool
}

func (s *seen) add(more map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for op := range more {
		s.ops[op] = true
	}
}

var coverage = &seen{ops: map[string]bool{}}

// TestMain adds, after a full run, that every operation and webhook of the
// description was exercised with success.
func TestMain(m *testing.M) {
	code := m.Run()
	if run := flag.Lookup("test.run"); code == 0 && (run == nil || run.Value.String() == "") {
		code = coverage.missing()
	}
	os.Exit(code)
}

func (s *seen) missing() int {
	v, err := contract.New()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	code := 0
	for _, op := range append(v.Operations(), v.Hooks()...) {
		found := s.ops[op]
		for _, status := range []string{" 200", " 201", " 202", " 204", " 302"} {
			found = found || s.ops[op+status]
		}
		if !found {
			fmt.Println("never exercised:", op)
			code = 1
		}
	}
	return code
}

// world is a running simulator with one repository, checked by the contract.
type world struct {
	t     *testing.T
	s     *simulator.Server
	v     *contract.Validator
	clock *clock
	root  string
}

func newWorld(t *testing.T, change ...func(*simulator.Config)) *world {
	t.Helper()
	v, err := contract.New()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, v: v, clock: &clock{t: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, root: t.TempDir()}
	if err := os.WriteFile(filepath.Join(w.root, "app-key.pem"), appKey(), 0o600); err != nil {
		t.Fatal(err)
	}
	w.start(change...)
	src := t.TempDir()
	write(t, src, "README.md", "# Sample\n")
	write(t, src, "app/calc.py", "def add(a, b):\n    return a - b\n")
	if err := w.s.AddRepo("octo", "demo", src); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		coverage.add(v.Seen())
		for _, violation := range v.Violations() {
			t.Errorf("not as GitHub describes it: %s", violation)
		}
	})
	return w
}

// start opens the simulator on the world's state directory.
func (w *world) start(change ...func(*simulator.Config)) {
	w.t.Helper()
	cfg := simulator.Config{Root: w.root, Now: w.clock.Now, Middleware: w.v.Wrap, AppID: 77}
	for _, c := range change {
		c(&cfg)
	}
	s, err := simulator.New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.s = s
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	w.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			w.t.Errorf("closing: %v", err)
		}
		if err := <-served; err != nil {
			w.t.Errorf("serving: %v", err)
		}
	})
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// jwt signs an App's token with the given claims on top of good ones.
func (w *world) jwt(claims map[string]any) string {
	w.t.Helper()
	block, _ := pem.Decode(w.s.PrivateKeyPEM())
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		w.t.Fatal(err)
	}
	return signed(w.t, key, w.claims(claims))
}

func (w *world) claims(over map[string]any) map[string]any {
	now := w.clock.Now()
	all := map[string]any{"iss": 77, "iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix()}
	for k, v := range over {
		all[k] = v
	}
	return all
}

func signed(t *testing.T, key *rsa.PrivateKey, claims map[string]any) string {
	t.Helper()
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// reply is an answer, read.
type reply struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
	list   []map[string]any
}

func (r reply) message() string { return fmt.Sprint(r.body["message"]) }

func (r reply) firstError() map[string]any {
	list, _ := r.body["errors"].([]any)
	if len(list) == 0 {
		return nil
	}
	out, _ := list[0].(map[string]any)
	return out
}

// try sends a request below /api/v3 and returns what came, or the error.
func (w *world) try(method, path, auth string, body any) (reply, error) {
	var send io.Reader
	if text, ok := body.(string); ok {
		send = strings.NewReader(text)
	} else if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		send = bytes.NewReader(data)
	}
	prefix := "/api/v3"
	if path == "/graphql" {
		prefix = "/api"
	}
	req, err := http.NewRequest(method, w.s.URL()+prefix+path, send)
	if err != nil {
		return reply{}, err
	}
	if auth != "" {
		req.Header.Set("Authorization", "Bearer "+auth)
	}
	if send != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	out := reply{status: resp.StatusCode, header: resp.Header}
	if out.raw, err = io.ReadAll(resp.Body); err != nil {
		return out, err
	}
	_ = json.Unmarshal(out.raw, &out.body) // a list or an object
	_ = json.Unmarshal(out.raw, &out.list)
	return out, nil
}

// call wants a certain status.
func (w *world) call(want int, method, path, auth string, body any) reply {
	w.t.Helper()
	out, err := w.try(method, path, auth, body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	if out.status != want {
		w.t.Fatalf("%s %s: got %d, want %d: %s", method, path, out.status, want, out.raw)
	}
	return out
}

const repo = "/repos/octo/demo"

// token gets an installation token for octo.
func (w *world) token(ask map[string]any) string {
	w.t.Helper()
	in := w.call(200, "GET", repo+"/installation", w.jwt(nil), nil)
	var body any
	if ask != nil {
		body = ask
	}
	out := w.call(201, "POST", fmt.Sprintf("/app/installations/%.0f/access_tokens", in.body["id"]), w.jwt(nil), body)
	return out.body["token"].(string)
}

// redirect is where a request is sent on to.
func (w *world) redirect(method, path, auth string) string {
	w.t.Helper()
	req, err := http.NewRequest(method, w.s.URL()+"/api/v3"+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+auth)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.Header.Get("Location")
}

// run runs real git in dir, with the token as a header from its environment.
func (w *world) run(dir, token string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com")
	if token != "" {
		basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))
		cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic "+basic)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *world) git(dir, token string, args ...string) string {
	w.t.Helper()
	out, err := w.run(dir, token, args...)
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

// clone makes a working copy.
func (w *world) clone(token string) string {
	w.t.Helper()
	dir := filepath.Join(w.t.TempDir(), "copy")
	w.git(w.t.TempDir(), token, "clone", "-q", w.s.URL()+"/octo/demo.git", dir)
	return dir
}

// branchWith makes a branch with one changed file by the Git data API, as an
// App does, and returns its commit.
func (w *world) branchWith(token, branch, path, content string) string {
	w.t.Helper()
	base := w.call(200, "GET", repo+"/git/ref/heads/main", token, nil)
	sha := base.body["object"].(map[string]any)["sha"].(string)
	blob := w.call(201, "POST", repo+"/git/blobs", token, map[string]any{"content": base64.StdEncoding.EncodeToString([]byte(content)), "encoding": "base64"})
	commit := w.call(200, "GET", repo+"/git/commits/"+sha, token, nil)
	tree := w.call(201, "POST", repo+"/git/trees", token, map[string]any{"base_tree": commit.body["tree"].(map[string]any)["sha"],
		"tree": []any{map[string]any{"path": path, "mode": "100644", "type": "blob", "sha": blob.body["sha"]}}})
	made := w.call(201, "POST", repo+"/git/commits", token, map[string]any{"message": "fix: " + path, "tree": tree.body["sha"], "parents": []string{sha}})
	w.call(201, "POST", repo+"/git/refs", token, map[string]any{"ref": "refs/heads/" + branch, "sha": made.body["sha"]})
	return made.body["sha"].(string)
}
