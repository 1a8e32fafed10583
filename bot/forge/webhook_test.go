package forge

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func sign(secret, body string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

func TestF04OnlySHA256OfAValidSecretCounts(t *testing.T) {
	t.Parallel()
	body := `{"zen":"x"}`
	secrets := [][]byte{[]byte("old"), nil, []byte("new")}
	one := hmac.New(sha1.New, []byte("old"))
	one.Write([]byte(body))
	for header, want := range map[string]bool{
		sign("old", body):                            true,
		sign("new", body):                            true,
		strings.ToUpper(sign("new", body)[7:]):       false,
		sign("", body):                               false, // an empty secret is none
		sign("of another app", body):                 false,
		sign("old", body+" "):                        false,
		sign("old", body)[:70]:                       false,
		sign("old", body) + "00":                     false,
		"sha1=" + hex.EncodeToString(one.Sum(nil)):   false,
		"sha256=" + hex.EncodeToString(one.Sum(nil)): false,
		"sha256=":                           false,
		"":                                  false,
		"sha256=zz" + sign("old", body)[9:]: false,
	} {
		if got := Verify(secrets, header, []byte(body)) == nil; got != want {
			t.Errorf("%q: accepted %v, want %v", header, got, want)
		}
	}
	if Verify(nil, sign("", body), []byte(body)) == nil {
		t.Error("accepted without any secret")
	}
}

// payload is a delivery in GitHub's shape, changed by what is given.
func payload(t testing.TB, action string, over map[string]any) []byte {
	t.Helper()
	p := map[string]any{
		"action":       action,
		"installation": map[string]any{"id": 7, "node_id": "x"},
		"repository": map[string]any{
			"id": 1, "name": "shop", "full_name": "acme/shop", "private": true, "owner": map[string]any{"login": "acme"},
			"clone_url": "https://github.com/acme/shop.git", "html_url": "https://github.com/acme/shop", "default_branch": "main",
		},
		"sender": map[string]any{"login": "ada", "type": "User"},
		"issue": map[string]any{
			"number": 5, "title": "broken", "body": nil, "state": "open", "html_url": "https://github.com/acme/shop/issues/5",
			"user": map[string]any{"login": "eve"}, "labels": []any{map[string]any{"name": "bug"}}, "pull_request": nil,
		},
	}
	for k, v := range over {
		p[k] = v
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type obj = map[string]any

func comment1(login, kind, body string, app int64) obj {
	c := obj{"id": 99, "body": body, "user": obj{"login": login, "type": kind}, "performed_via_github_app": nil}
	if app != 0 {
		c["performed_via_github_app"] = obj{"id": app}
	}
	return obj{"comment": c, "sender": obj{"login": login, "type": kind}}
}

func TestS1EventsDecode(t *testing.T) {
	t.Parallel()
	c := testClient(t, "", func(cfg *Config) { cfg.Slug = "fettle" })
	withLabel := obj{"issue": obj{"number": 5, "title": "x", "state": "open", "labels": []any{obj{"name": "agent:fix"}}}}
	label := func(n string) obj { return obj{"label": obj{"name": n}} }
	for name, tc := range map[string]struct {
		event, action string
		over          obj
		kind          task.EventKind
		bot           bool
	}{
		"opened with the label":    {"issues", "opened", withLabel, task.EventLabeled, false},
		"opened without":           {"issues", "opened", nil, task.EventIgnored, false},
		"labeled":                  {"issues", "labeled", label("agent:fix"), task.EventLabeled, false},
		"labeled with another":     {"issues", "labeled", label("bug"), task.EventIgnored, false},
		"labeled, case differs":    {"issues", "labeled", label("Agent:Fix"), task.EventIgnored, false},
		"label deleted":            {"issues", "labeled", nil, task.EventIgnored, false},
		"unlabeled":                {"issues", "unlabeled", label("agent:fix"), task.EventUnlabeled, false},
		"closed":                   {"issues", "closed", nil, task.EventClosed, false},
		"deleted":                  {"issues", "deleted", nil, task.EventClosed, false},
		"transferred":              {"issues", "transferred", nil, task.EventClosed, false},
		"reopened":                 {"issues", "reopened", nil, task.EventReopened, false},
		"edited":                   {"issues", "edited", nil, task.EventIgnored, false},
		"labeled by us":            {"issues", "labeled", obj{"label": obj{"name": "agent:fix"}, "sender": obj{"login": "Fettle[bot]", "type": "Bot"}}, task.EventIgnored, true},
		"labeled by a bot":         {"issues", "labeled", obj{"label": obj{"name": "agent:fix"}, "sender": obj{"login": "triage[bot]", "type": "Bot"}}, task.EventLabeled, true},
		"comment":                  {"issue_comment", "created", comment1("ada", "User", "/fettle fix", 0), task.EventComment, false},
		"comment by a bot":         {"issue_comment", "created", comment1("ci[bot]", "Bot", "/fettle fix", 3), task.EventComment, true},
		"comment edited":           {"issue_comment", "edited", comment1("ada", "User", "/fettle fix", 0), task.EventIgnored, false},
		"our comment by login":     {"issue_comment", "created", comment1("fettle[bot]", "Bot", "x", 0), task.EventIgnored, true},
		"our comment by App":       {"issue_comment", "created", comment1("renamed[bot]", "Bot", "x", testAppID), task.EventIgnored, true},
		"a person through the App": {"issue_comment", "created", comment1("ada", "User", "/fettle fix", testAppID), task.EventComment, false},
		"ping":                     {"ping", "", nil, task.EventPing, false},
		"uninstalled":              {"installation", "deleted", nil, task.EventRemoved, false},
		"suspended":                {"installation", "suspend", nil, task.EventRemoved, false},
		"installed":                {"installation", "created", nil, task.EventIgnored, false},
		"unknown":                  {"brand_new_event", "created", obj{"issue": "not even an issue"}, task.EventIgnored, false},
		"pull request":             {"pull_request", "labeled", label("agent:fix"), task.EventIgnored, false},
	} {
		e, err := c.Decode(tc.event, "id-1", payload(t, tc.action, tc.over))
		if err != nil || e.Kind != tc.kind || e.ActorIsBot != tc.bot || e.Delivery != "id-1" {
			t.Errorf("%s: %+v, %v; want %s", name, e, err, tc.kind)
		}
		if e.Kind == task.EventIgnored && e.Reason == "" {
			t.Errorf("%s: ignored without a reason", name)
		}
	}
}

func TestS1EventCarriesWhatTheServiceNeeds(t *testing.T) {
	t.Parallel()
	c := testClient(t, "", nil)
	over := comment1("ada", "User", "please\n/fettle fix", 0)
	over["issue"] = obj{"number": 6, "title": "t", "body": "b", "state": "closed", "html_url": "u", "user": obj{"login": "eve"}, "pull_request": obj{"url": "x"}}
	e, err := c.Decode("issue_comment", "d", payload(t, "created", over))
	ok(t, err)
	want := task.Repo{Installation: 7, Owner: "acme", Name: "shop", CloneURL: "https://github.com/acme/shop.git", HTMLURL: "https://github.com/acme/shop", DefaultBranch: "main"}
	if e.Repo != want || e.CommentID != 99 || e.Comment != "please\n/fettle fix" || e.Actor != "ada" {
		t.Errorf("%+v", e)
	}
	if i := e.Issue; i.Number != 6 || i.Author != "eve" || i.State != "closed" || !i.IsPullRequest || i.Body != "b" {
		t.Errorf("%+v", i)
	}
}

func TestF07EveryRemovedRepositoryIsNamed(t *testing.T) {
	t.Parallel()
	c := testClient(t, "", nil)
	all, err := c.DecodeAll("installation_repositories", "d", payload(t, "removed", obj{
		"repositories_removed": []any{obj{"full_name": "acme/a"}, obj{"full_name": "acme/b"}},
	}))
	ok(t, err)
	if len(all) != 2 || all[0].Repo.Slug() != "acme/a" || all[1].Repo.Slug() != "acme/b" || all[1].Kind != task.EventRemoved || all[1].Repo.Installation != 7 {
		t.Errorf("%+v", all)
	}
}

func TestMalformedPayloadsAreErrors(t *testing.T) {
	t.Parallel()
	c := testClient(t, "", nil)
	for name, p := range map[string][]byte{
		"empty": {}, "not JSON": []byte("{"), "no issue": payload(t, "closed", obj{"issue": nil}), "no repository": payload(t, "closed", obj{"repository": nil}),
		"odd name": payload(t, "closed", obj{"repository": obj{"full_name": "acme/../x"}}), "wrong type": payload(t, "closed", obj{"issue": []any{}}),
	} {
		if _, err := c.Decode("issues", "d", p); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	c := testClient(f, "", func(cfg *Config) { cfg.Slug = "fettle" })
	events := []string{"issues", "issue_comment", "installation", "installation_repositories", "ping", "push"}
	f.Add(0, payload(f, "labeled", obj{"label": obj{"name": "agent:fix"}}))
	f.Add(1, payload(f, "created", comment1("ada", "User", "/fettle fix", 0)))
	f.Add(3, payload(f, "removed", obj{"repositories_removed": []any{obj{"full_name": "a/b"}}}))
	f.Add(2, []byte(`{"installation":{"id":1e99}}`))
	f.Fuzz(func(t *testing.T, n int, p []byte) {
		event := events[((n%len(events))+len(events))%len(events)]
		all, err := c.DecodeAll(event, "d", p)
		if err != nil {
			return
		}
		if len(all) == 0 {
			t.Fatal("neither event nor error")
		}
		for _, e := range all {
			if e.Kind == "" || e.Delivery != "d" || e.Kind == task.EventIgnored && e.Reason == "" {
				t.Fatalf("%+v", e)
			}
			if e.Repo.Owner != "" && checkRepo(e.Repo) != nil {
				t.Fatalf("a name that is none: %+v", e.Repo)
			}
			if e.Kind == task.EventComment && strings.EqualFold(e.Actor, "fettle[bot]") {
				t.Fatal("obeyed ourselves")
			}
		}
	})
}
