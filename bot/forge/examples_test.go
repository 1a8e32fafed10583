package forge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// decodeCleanly decodes a payload and checks what every decoding promises: it is
// acknowledged as something or ignored with a reason, or rejected with words.
func decodeCleanly(t *testing.T, c *Client, event string, body []byte) (kind task.EventKind, err error) {
	t.Helper()
	all, err := c.DecodeAll(event, "d-1", body)
	if err != nil {
		if !strings.HasPrefix(err.Error(), "forge: delivery d-1") || len(err.Error()) > 2000 {
			t.Errorf("%s: rejected without clean words: %.200v", event, err)
		}
		return "", err
	}
	if len(all) == 0 {
		t.Fatalf("%s: no event and no error", event)
	}
	for _, e := range all {
		if e.Kind == task.EventIgnored && e.Reason == "" {
			t.Errorf("%s: ignored without a reason", event)
		}
		if e.Repo.Owner != "" && checkRepo(e.Repo) != nil {
			t.Errorf("%s: %q/%q went through", event, e.Repo.Owner, e.Repo.Name)
		}
	}
	return all[0].Kind, nil
}

// odd changes a payload in ways that GitHub may, or that a title or comment can.
func odd(body []byte) map[string][]byte {
	out := map[string][]byte{"as it is": body}
	put := func(name string, change func(map[string]any)) {
		var p map[string]any
		if json.Unmarshal(body, &p) != nil {
			return
		}
		change(p)
		if b, err := json.Marshal(p); err == nil {
			out[name] = b
		}
	}
	put("an unknown action", func(p map[string]any) { p["action"] = "brand_new_action" })
	put("no action", func(p map[string]any) { delete(p, "action") })
	put("extra fields", func(p map[string]any) {
		p["enterprise"], p["brand_new"] = map[string]any{"id": 1}, []any{map[string]any{"deep": []any{nil, 1.5}}}
		for _, part := range []string{"issue", "comment", "pull_request", "review", "repository"} {
			if m, isObj := p[part].(map[string]any); isObj {
				m["brand_new"] = map[string]any{"x": true}
			}
		}
	})
	for name, text := range map[string]string{
		"60,000 characters": strings.Repeat("All work. ", 6000), "CRLF": "/fettle fix\r\n\r\nplease\r\n",
		"bidi text": "\u202e/fettle fix\u202c \u2066x\u2069", "tag characters": "fine\U000e0049\U000e0067\U000e006e", "a hidden comment": "<!-- /fettle fix -->",
		"not a character": "\u0000\ufffe", "null": "",
	} {
		put(name, func(p map[string]any) {
			for _, part := range []string{"issue", "comment", "pull_request", "review"} {
				if m, isObj := p[part].(map[string]any); isObj {
					m["body"], m["title"] = text, text
					if name == "null" {
						m["body"], m["user"] = nil, nil
					}
				}
			}
		})
	}
	return out
}

// The published examples of every webhook, 329 in npm @octokit/webhooks-examples
// 7.6.1. Get them with: npm pack @octokit/webhooks-examples, and unpack.
func TestS1PublishedWebhookExamplesAreAcknowledgedOrRejectedCleanly(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("FETTLE_WEBHOOK_EXAMPLES")
	if dir == "" {
		t.Skip("FETTLE_WEBHOOK_EXAMPLES names no folder with @octokit/webhooks-examples; the own corpus is decoded all the same")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "api.github.com", "index.json"))
	ok(t, err)
	var events []struct {
		Name     string            `json:"name"`
		Examples []json.RawMessage `json:"examples"`
	}
	ok(t, json.Unmarshal(raw, &events))
	c := testClient(t, "", nil)
	n, kinds := 0, map[task.EventKind]int{}
	for _, e := range events {
		for i, body := range e.Examples {
			n++
			for name, changed := range odd(body) {
				kind, err := decodeCleanly(t, c, e.Name, changed)
				if name != "as it is" {
					continue
				}
				kinds[kind]++
				if err != nil {
					t.Errorf("%s, example %d is rejected: %v", e.Name, i, err)
				}
			}
		}
	}
	if n < 300 {
		t.Errorf("only %d examples in %s", n, dir)
	}
	for _, kind := range []task.EventKind{task.EventLabeled, task.EventComment, task.EventPull, task.EventReview, task.EventCheck, task.EventPush, task.EventRepo, task.EventRemoved, task.EventPing} {
		if kinds[kind] == 0 && kind != task.EventLabeled { // no example has our label
			t.Errorf("no example is a %s event: %v", kind, kinds)
		}
	}
	t.Logf("%d examples: %v", n, kinds)
}

// corpus is a payload of each event that means something to us, in GitHub's shape.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		"issues":                      payload(t, "labeled", obj{"label": obj{"name": "agent:fix"}}),
		"issue_comment":               payload(t, "created", comment1("ada", "User", "/fettle fix", 0)),
		"pull_request":                payload(t, "closed", pullWith(nil)),
		"pull_request_review":         payload(t, "submitted", pullWith(obj{"review": obj{"id": 3, "state": "approved", "body": nil, "user": obj{"login": "ada"}}})),
		"pull_request_review_comment": payload(t, "created", pullWith(comment1("ada", "User", "why?", 0))),
		"check_run":                   payload(t, "completed", obj{"check_run": check(9)}),
		"check_suite":                 payload(t, "completed", obj{"check_suite": check(9)}),
		"push":                        payload(t, "", obj{"ref": "refs/heads/main", "before": sha1a, "after": sha1b}),
		"repository":                  payload(t, "renamed", obj{"changes": obj{"repository": obj{"name": obj{"from": "old"}}}}),
		"installation":                payload(t, "deleted", nil),
		"installation_repositories":   payload(t, "removed", obj{"repositories_removed": []any{obj{"full_name": "acme/shop"}}}),
		"ping":                        []byte(`{"zen":"x","hook_id":1}`),
	}
}

func TestS1OddDeliveriesAreAcknowledgedOrRejectedCleanly(t *testing.T) {
	t.Parallel()
	c := testClient(t, "", nil)
	for event, body := range corpus(t) {
		for name, changed := range odd(body) {
			kind, err := decodeCleanly(t, c, event, changed)
			if err != nil {
				t.Errorf("%s with %s is rejected: %v", event, name, err)
			}
			if name == "as it is" && kind == task.EventIgnored {
				t.Errorf("%s means nothing", event)
			}
			if strings.Contains(name, "action") && event != "ping" && event != "push" && kind != task.EventIgnored {
				t.Errorf("%s with %s is a %s", event, name, kind)
			}
		}
		for name, bad := range map[string]string{"half": string(body[:len(body)/2]), "a list": "[]", "nothing": "", "null": "null", "numbers for texts": strings.ReplaceAll(string(body), `"acme/shop"`, "7")} {
			if _, err := decodeCleanly(t, c, event, []byte(bad)); err == nil && event != "ping" && event != "installation" && !strings.HasPrefix(event, "installation") {
				t.Errorf("%s: %s was taken", event, name)
			}
		}
	}
}
