package forge

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// closes is a closing keyword with a reference behind it.
var closes = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b[^\pL\pN]*(?:#\d|[^\pL\pN](?:[\w.-]+/[\w.-]+#\d|gh-\d|https?://\S*/issues/\d))`)

// Whatever a title or an explanation holds, nothing that leaves closes an issue
// but the one that the pull request is told to close.
func TestX3OnlyTheIssueOfTheRunIsClosed(t *testing.T) {
	t.Parallel()
	for _, foreign := range []string{
		"fix: clamp is wrong. Fixes                              octo/other#7", "fix: #1 clamp is wrong", "Fixes\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n#7",
		"Closes " + strings.Repeat(" ", 300) + "#7", "resolved GH-1", "Fixes https://github.com/o/r/issues/7", "```\nfixes #7\n```",
	} {
		f := newFake(t)
		c := testClient(t, f.URL, func(cfg *Config) { cfg.Funnel = redact.New() })
		ctx, repo := context.Background(), testRepo()
		_, _, err := c.StatusComment(ctx, repo, 1, "s", foreign)
		ok(t, err)
		_, err = c.Comment(ctx, repo, 1, "c", foreign)
		ok(t, err)
		own := newLedger()
		sha, err := c.CommitFiles(ctx, repo, branch, oid("base"), foreign+"\n\nFettle-Run: r1", []task.FileChange{{Path: "a.py", Content: []byte("new"), Mode: "100644"}}, "", own)
		ok(t, err)
		_, err = c.Recommit(ctx, repo, branch, sha, foreign+"\n\nFettle-Run: r1", own)
		ok(t, err)
		pr, err := c.PullRequest(ctx, repo, branch, "main", foreign, foreign, 12, false)
		ok(t, err)
		ok(t, c.CheckRun(ctx, repo, sha, "fettle", "success", foreign, foreign))
		for _, sent := range f.bodies {
			var fields any
			if json.Unmarshal([]byte(sent), &fields) != nil {
				continue
			}
			for _, text := range texts(fields) {
				if found := closes.FindString(strings.ReplaceAll(text, "\n\nFixes #12\n", "")); found != "" {
					t.Errorf("%q went out as %q, in which %q closes", foreign, text, found)
				}
			}
		}
		if !strings.HasSuffix(pr.Body, "\n\nFixes #12\n") {
			t.Errorf("the pull request does not close the run's own issue: %q", pr.Body)
		}
	}
}

// texts are the texts of a JSON value.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			out = append(out, texts(x)...)
		}
	case map[string]any:
		for _, x := range v {
			out = append(out, texts(x)...)
		}
	}
	return out
}
