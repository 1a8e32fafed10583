package simulator_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func (w *world) look(want int, path string) string {
	w.t.Helper()
	resp, err := http.Get(w.s.URL() + path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		w.t.Fatalf("%s: %d %v\n%s", path, resp.StatusCode, err, data)
	}
	if want == 200 && !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		w.t.Errorf("%s: no policy", path)
	}
	return string(data)
}

func TestPagesShowIssuesPullRequestsAndDiffs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	n := w.issue("add <b>subtracts</b>", "**Steps**\n\n- [ ] one\n\n<script>alert(1)</script> [x](javascript:alert(1))", "mona")
	if err := w.s.Label("octo", "demo", n, "agent:fix", "octo"); err != nil {
		t.Fatal(err)
	}
	w.call(201, "POST", fmt.Sprintf("%s/issues/%d/reactions", repo, n), tok, map[string]any{"content": "eyes"})
	sha := w.branchWith(tok, "fettle/issue-1", "app/calc.py", "def add(a, b):\n    return a + b\n# <i>\n")
	w.call(201, "POST", repo+"/pulls", tok, map[string]any{"title": "fix: add", "head": "fettle/issue-1", "base": "main", "body": "| a | b |\n|---|---|\n| 1 | 2 |\n\nFixes #1"})
	w.call(201, "POST", repo+"/check-runs", tok, map[string]any{"name": "fettle", "head_sha": sha, "conclusion": "success", "output": map[string]any{"title": "green", "summary": "`3` tests"}})

	for path, wants := range map[string][]string{
		"/":                                  {"octo/demo"},
		"/octo/demo":                         {"<h1", "Sample", "app"},
		"/octo/demo/issues":                  {"add &lt;b&gt;subtracts&lt;/b&gt;", "agent:fix"},
		"/octo/demo/issues/1":                {"<strong>Steps</strong>", `type="checkbox"`, "added the label agent:fix", "👀"},
		"/octo/demo/pulls":                   {"fix: add"},
		"/octo/demo/pull/2":                  {"<table>", "fettle/issue-1", "Files changed 1"},
		"/octo/demo/pull/2/files":            {`class="add"`, `class="del"`, "return a &#43; b", "# &lt;i&gt;"},
		"/octo/demo/pull/2/checks":           {"green", "<code>3</code>"},
		"/octo/demo/commit/" + sha:           {"fix: app/calc.py", "Verified"},
		"/octo/demo/tree/fettle/issue-1/app": {"app/calc.py"},
		"/octo/demo/blob/main/app/calc.py":   {"return a - b"},
		"/octo/demo/raw/main/app/calc.py":    {"return a - b"},
		"/_style.css":                        {"--ink"},
		"/_avatar/%3Cx":                      {"&lt;"},
	} {
		page := w.look(200, path)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q:\n%s", path, want, page)
			}
		}
		for _, bad := range []string{"<script", "javascript:", "<b>subtracts"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s shows %q", path, bad)
			}
		}
	}
	for _, path := range []string{"/octo/none", "/octo/demo/issues/9", "/octo/demo/pull/1/files", "/octo/demo/commit/abc", "/octo/demo/blob/main/none", "/octo/demo/blob/main/../x", "/octo/demo/tree/none"} {
		w.look(404, path)
	}
}
