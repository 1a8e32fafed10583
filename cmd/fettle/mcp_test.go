package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// medians is a repository whose median is wrong.
func medians(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"calc.py":      "def median(xs):\n    s = sorted(xs)\n    return s[len(s) // 2]\n",
		"test_calc.py": "import unittest\n\nfrom calc import median\n\n\nclass Median(unittest.TestCase):\n    def test_odd(self):\n        self.assertEqual(median([3, 1, 2]), 2)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// toolSaid is what a tool gave.
type toolSaid struct {
	Status int             `json:"exit_status"`
	Passed bool            `json:"passed"`
	Result json.RawMessage `json:"result"`
}

// client is the public client of the Go SDK, to a server that is a process of its own.
func client(t *testing.T, transport mcp.Transport, roots ...string) (call func(tool string, args map[string]any) (toolSaid, string), progress func() []string, session *mcp.ClientSession) {
	t.Helper()
	var mu sync.Mutex
	var lines []string
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, r.Params.Message)
	}})
	for _, r := range roots {
		c.AddRoots(&mcp.Root{URI: "file://" + r}) //nolint:staticcheck // earlier versions of the protocol have roots
	}
	options := &mcp.ClientSessionOptions{}
	if len(roots) > 0 {
		options.ProtocolVersion = "2025-11-25"
	}
	session, err := c.Connect(t.Context(), transport, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	call = func(tool string, args map[string]any) (out toolSaid, text string) {
		t.Helper()
		p := &mcp.CallToolParams{Name: tool, Arguments: args}
		p.SetProgressToken("p")
		got, err := session.CallTool(t.Context(), p)
		if err != nil {
			return out, err.Error()
		}
		for _, c := range got.Content {
			if c, ok := c.(*mcp.TextContent); ok {
				text += c.Text
			}
		}
		if got.StructuredContent != nil {
			raw, err := json.Marshal(got.StructuredContent)
			if err == nil {
				err = json.Unmarshal(raw, &out)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return out, text
	}
	return call, func() []string { mu.Lock(); defer mu.Unlock(); return append([]string{}, lines...) }, session
}

// S14: an agent makes a failing test of an issue, changes the code, and hears what its
// change proves; what it may not do it is told with the way out.
func TestMCPAnotherAgentReproducesAndIsJudged(t *testing.T) {
	heavy(t)
	dir := medians(t)
	config := operator(t, "")
	cmd := exec.Command("fettle", "--config", config, "mcp", "--repo", dir)
	call, progress, session := client(t, &mcp.CommandTransport{Command: cmd})
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, tool := range tools.Tools {
		names[tool.Name] = true
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is said to write", tool.Name)
		}
	}
	for _, want := range []string{"check", "judge", "reproduce", "regions_list", "regions_show", "regions_check", "risk", "search", "runs_list", "runs_show", "fix"} {
		if !names[want] {
			t.Errorf("there is no tool %s", want)
		}
	}
	if names["regions_replace"] {
		t.Error("a server without --write offers to write")
	}

	const issue = "median of an even number\n\nmedian([1, 2, 3, 4]) gives 3, expected 2.5"
	got, text := call("reproduce", map[string]any{"issue": issue})
	var made reproduction
	if err := json.Unmarshal(got.Result, &made); err != nil || !got.Passed || !made.Reproduced || !strings.Contains(made.Test, "2.5") {
		t.Fatalf("%v %+v\n%s", err, made, text)
	}
	if before, err := os.ReadDir(dir); err != nil || len(before) != 3 { // with .git
		t.Errorf("the folder was written to: %v %v", before, err)
	}
	for name, text := range map[string]string{
		made.Path: made.Test,
		"calc.py": "def median(xs):\n    s = sorted(xs)\n    mid = len(s) // 2\n    if len(s) % 2:\n        return s[mid]\n    return (s[mid - 1] + s[mid]) / 2\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, text = call("judge", map[string]any{"base": "HEAD", "issue": issue})
	var judged struct {
		Judgement string `json:"judgement"`
		Tests     struct {
			Fixed []any `json:"fixed"`
		} `json:"tests"`
	}
	if err := json.Unmarshal(got.Result, &judged); err != nil || !got.Passed || judged.Judgement != "plausible" || len(judged.Tests.Fixed) != 1 {
		t.Errorf("%v %+v\n%s", err, judged, text)
	}
	if len(progress()) == 0 {
		t.Error("nothing was said while it worked")
	}
	if got, text = call("judge", map[string]any{"base": "nowhere"}); got.Passed || !strings.Contains(text, "does not exist") {
		t.Errorf("%+v %s", got, text)
	}
	if got, text = call("regions_show", map[string]any{"id": "median", "path": "calc.py"}); !got.Passed || !strings.Contains(text, "mid - 1") {
		t.Errorf("%+v %s", got, text)
	}
	if got, text = call("runs_list", nil); !got.Passed {
		t.Errorf("%+v %s", got, text)
	}
	for what, c := range map[string]struct {
		tool  string
		args  map[string]any
		words string
	}{
		"a folder beside":     {"check", map[string]any{"repo": filepath.Dir(dir)}, "start it with --repo"},
		"a path that climbs":  {"regions_list", map[string]any{"path": "../.."}, "leads out of"},
		"writing":             {"reproduce", map[string]any{"issue": issue, "write": true}, "--write"},
		"applying":            {"fix", map[string]any{"issue": issue, "apply": true}, "--write"},
		"no issue":            {"reproduce", map[string]any{}, "issue"},
		"a run that is not":   {"runs_show", map[string]any{"id": "none"}, "none"},
		"a flag for a region": {"regions_show", map[string]any{"id": "--config=/etc/passwd"}, "has a region"},
	} {
		if got, text := call(c.tool, c.args); got.Passed || !strings.Contains(text, c.words) {
			t.Errorf("%s: %+v %s", what, got, text)
		}
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "fettle://runs"}); err != nil {
		t.Error(err)
	}
}

// S14: with --write code is replaced, and only in the client's roots; over HTTP nobody
// without the token is answered.
func TestMCPWritingAndHTTPAreAskedFor(t *testing.T) {
	heavy(t)
	dir, other := medians(t), medians(t)
	cmd := exec.Command("fettle", "--config", operator(t, ""), "mcp", "--repo", dir, "--repo", other, "--write", "--http", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), mcpTokenVar+"=token-of-the-test")
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line := make([]byte, 200)
	n, err := out.Read(line)
	address := strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "fettle: "))
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("%v %q", err, line[:n])
	}
	bare, err := http.Post(address, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = bare.Body.Close()
	if bare.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token it answers %s", bare.Status)
	}
	call, _, _ := client(t, &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: bearer("token-of-the-test")}}, dir)
	got, text := call("regions_replace", map[string]any{"path": "calc.py", "id": "median", "code": "def median(xs):\n    return 7\n"})
	raw, err := os.ReadFile(filepath.Join(dir, "calc.py"))
	if err != nil || !got.Passed || string(raw) != "def median(xs):\n    return 7\n" {
		t.Errorf("%v %+v %s\n%s", err, got, text, raw)
	}
	if got, text = call("regions_replace", map[string]any{"repo": other, "path": "calc.py", "id": "median", "code": "def median(xs):\n    return 7\n"}); got.Passed || !strings.Contains(text, "not in a root of the client") {
		t.Errorf("%+v %s", got, text)
	}
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
