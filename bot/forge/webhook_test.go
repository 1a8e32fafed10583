package forge

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
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
		"labeled, case differs":    {"issues", "labeled", label("Agent:Fix"), task.EventLabeled, false},
		"label deleted":            {"issues", "labeled", nil, task.EventIgnored, false},
		"unlabeled":                {"issues", "unlabeled", label("agent:fix"), task.EventUnlabeled, false},
		"closed":                   {"issues", "closed", nil, task.EventClosed, false},
		"deleted":                  {"issues", "deleted", nil, task.EventClosed, false},
		"transferred":              {"issues", "transferred", nil, task.EventClosed, false},
		"reopened":                 {"issues", "reopened", nil, task.EventReopened, false},
		"edited":                   {"issues", "edited", nil, task.EventEdited, false},
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
		"pull request labeled":     {"pull_request", "labeled", pullWith(label("agent:fix")), task.EventPull, false},
		"with another label":       {"pull_request", "labeled", pullWith(label("bug")), task.EventIgnored, false},
		"pushed to by us":          {"pull_request", "synchronize", pullWith(obj{"sender": obj{"login": "fettle[bot]", "type": "Bot"}}), task.EventPull, true},
		"pushed to":                {"pull_request", "synchronize", pullWith(nil), task.EventPull, false},
		"assigned":                 {"pull_request", "assigned", pullWith(nil), task.EventIgnored, false},
		"review":                   {"pull_request_review", "submitted", pullWith(obj{"review": obj{"id": 3, "state": "CHANGES_REQUESTED", "user": obj{"login": "ada"}}}), task.EventReview, false},
		"review dismissed":         {"pull_request_review", "dismissed", pullWith(obj{"review": obj{"id": 3, "state": "dismissed"}}), task.EventIgnored, false},
		"review comment":           {"pull_request_review_comment", "created", pullWith(comment1("ada", "User", "why?", 0)), task.EventReview, false},
		"our review comment":       {"pull_request_review_comment", "created", pullWith(comment1("fettle[bot]", "Bot", "done", 0)), task.EventIgnored, true},
		"review comment edited":    {"pull_request_review_comment", "edited", pullWith(comment1("ada", "User", "why?", 0)), task.EventIgnored, false},
		"check":                    {"check_run", "completed", obj{"check_run": check(9)}, task.EventCheck, false},
		"check of our push":        {"check_run", "completed", obj{"check_run": check(9), "sender": obj{"login": "fettle[bot]", "type": "Bot"}}, task.EventCheck, true},
		"our check":                {"check_run", "completed", obj{"check_run": check(testAppID)}, task.EventIgnored, false},
		"check begun":              {"check_run", "created", obj{"check_run": check(9)}, task.EventIgnored, false},
		"suite":                    {"check_suite", "completed", obj{"check_suite": check(9)}, task.EventCheck, false},
		"push":                     {"push", "", obj{"ref": "refs/heads/main", "before": sha1a, "after": sha1b}, task.EventPush, false},
		"push of a tag":            {"push", "", obj{"ref": "refs/tags/v1", "before": sha1a, "after": sha1b}, task.EventIgnored, false},
		"repository renamed":       {"repository", "renamed", obj{"changes": obj{"repository": obj{"name": obj{"from": "old"}}}}, task.EventRepo, false},
		"archived":                 {"repository", "archived", nil, task.EventRepo, false},
		"default branch renamed":   {"repository", "edited", obj{"changes": obj{"default_branch": obj{"from": "master"}}}, task.EventRepo, false},
		"description edited":       {"repository", "edited", obj{"changes": obj{"description": obj{"from": "x"}}}, task.EventIgnored, false},
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

const (
	sha1a = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	sha1b = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func pullWith(over obj) obj {
	out := obj{"issue": nil, "pull_request": obj{"number": 8, "title": "fix", "body": nil, "state": "open", "html_url": "u", "draft": true, "user": obj{"login": "fettle[bot]"},
		"head": obj{"ref": "fettle/issue-5-x", "sha": sha1a, "repo": nil}, "base": obj{"ref": "main", "sha": sha1b, "repo": obj{"full_name": "acme/shop"}}}}
	for k, v := range over {
		out[k] = v
	}
	return out
}

func check(app int64) obj {
	return obj{"id": 4, "name": "ci", "head_sha": sha1a, "head_branch": "b", "conclusion": "failure", "app": obj{"id": app}, "check_suite": obj{"head_branch": "b"},
		"pull_requests": []any{obj{"number": 8}}, "output": obj{"title": nil, "summary": "2 red"}}
}

func TestS1EventsOfPullRequestsCarryTheirParts(t *testing.T) {
	t.Parallel()
	c := testClient(t, "", nil)
	decode := func(event, action string, over obj) task.Event {
		t.Helper()
		e, err := c.Decode(event, "d", payload(t, action, over))
		ok(t, err)
		if e.Action != action && e.Action != "default_branch" || e.Repo.Slug() != "acme/shop" || e.Repo.Installation != 7 {
			t.Errorf("%+v", e)
		}
		return e
	}
	e := decode("pull_request", "synchronize", pullWith(obj{"before": sha1b, "after": sha1a}))
	if p := e.Pull; p.Number != 8 || !p.Draft || p.Head != "fettle/issue-5-x" || p.HeadSHA != sha1a || p.Base != "main" || e.Before != sha1b || e.After != sha1a || !e.Issue.IsPullRequest || e.Issue.Number != 8 {
		t.Errorf("%+v %+v", e, e.Pull)
	}
	e = decode("pull_request_review_comment", "created", pullWith(obj{"comment": obj{"id": 9, "body": "why?", "pull_request_review_id": 3, "user": obj{"login": "ada", "type": "User"}}}))
	if e.CommentID != 9 || e.Comment != "why?" || e.Review.ID != 3 || e.Actor != "ada" {
		t.Errorf("%+v", e)
	}
	for event, body := range map[string]obj{"check_run": {"check_run": check(9)}, "check_suite": {"check_suite": check(9)}} {
		k := decode(event, "completed", body).Check
		if k.HeadSHA != sha1a || k.Branch != "b" || !k.Red() || k.AppID != 9 || len(k.Pulls) != 1 || k.Suite != (event == "check_suite") || k.Suite == (k.Name != "") {
			t.Errorf("%s: %+v", event, k)
		}
	}
	if e = decode("repository", "edited", obj{"changes": obj{"default_branch": obj{"from": "master"}}}); e.Before != "master" || e.After != "main" {
		t.Errorf("%+v", e)
	}
	if e = decode("repository", "renamed", obj{"changes": obj{"repository": obj{"name": obj{"from": "old"}}}}); e.Before != "acme/old" || e.After != "acme/shop" {
		t.Errorf("%+v", e)
	}
	if e = decode("repository", "transferred", obj{"changes": obj{"owner": obj{"from": obj{"organization": obj{"login": "was"}}}}}); e.Before != "was/shop" {
		t.Errorf("%+v", e)
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
	bodies := corpus(f)
	events := slices.Sorted(maps.Keys(bodies))
	for n, event := range events {
		f.Add(n, bodies[event])
	}
	f.Add(1, []byte(`{"installation":{"id":1e99}}`))
	f.Fuzz(func(t *testing.T, n int, p []byte) {
		event := events[((n%len(events))+len(events))%len(events)]
		kind, err := decodeCleanly(t, c, event, p)
		if err != nil {
			return
		}
		all, err := c.DecodeAll(event, "d", p)
		ok(t, err)
		for _, e := range all {
			if e.Kind == "" || e.Kind != kind && len(all) == 1 || e.Delivery != "d" {
				t.Fatalf("%+v", e)
			}
			if (e.Kind == task.EventComment || e.Kind == task.EventReview) && strings.EqualFold(e.Actor, "fettle[bot]") {
				t.Fatal("obeyed ourselves")
			}
			if e.Kind == task.EventPull && e.Pull == nil || e.Kind == task.EventCheck && e.Check == nil || e.Kind == task.EventReview && e.Review == nil {
				t.Fatalf("an event without its part: %+v", e)
			}
		}
	})
}
