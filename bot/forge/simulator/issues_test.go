package simulator_test

import (
	"fmt"
	"strings"
	"testing"
)

func (w *world) issue(title, body, author string) int {
	w.t.Helper()
	n, err := w.s.OpenIssue("octo", "demo", title, body, author)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestIssuesCommentsLabelsReactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	n := w.issue("add subtracts", "see `add`", "mona")
	at := fmt.Sprintf("%s/issues/%d", repo, n)

	got := w.call(200, "GET", at, tok, nil).body
	if got["title"] != "add subtracts" || got["user"].(map[string]any)["login"] != "mona" || got["state"] != "open" {
		t.Errorf("got %v", got)
	}
	made := w.call(201, "POST", at+"/comments", tok, map[string]any{"body": "looking"})
	comment := fmt.Sprintf("%s/issues/comments/%.0f", repo, made.body["id"])
	if user := made.body["user"].(map[string]any); user["login"] != "fettle[bot]" || user["type"] != "Bot" {
		t.Errorf("the App comments as its bot, got %v", user)
	}
	w.call(200, "PATCH", comment, tok, map[string]any{"body": "found"})
	if body := w.call(200, "GET", comment, tok, nil).body["body"]; body != "found" {
		t.Errorf("got %v", body)
	}
	w.call(422, "POST", at+"/comments", tok, map[string]any{})
	w.call(422, "POST", at+"/comments", tok, map[string]any{"body": "  "})
	w.call(422, "POST", at+"/comments", tok, map[string]any{"body": strings.Repeat("x", 65537)})
	w.call(400, "POST", at+"/comments", tok, `{"body":`)
	w.call(404, "POST", repo+"/issues/99/comments", tok, map[string]any{"body": "x"})

	w.call(201, "POST", at+"/reactions", tok, map[string]any{"content": "eyes"})
	w.call(200, "POST", at+"/reactions", tok, map[string]any{"content": "eyes"})
	w.call(422, "POST", at+"/reactions", tok, map[string]any{"content": "frog"})
	w.call(201, "POST", comment+"/reactions", tok, map[string]any{"content": "rocket"})
	if n := w.call(200, "GET", at, tok, nil).body["reactions"].(map[string]any)["eyes"]; n != 1.0 {
		t.Errorf("%v eyes", n)
	}
	w.call(200, "GET", at+"/reactions", tok, nil)
	w.call(200, "GET", comment+"/reactions", tok, nil)

	snap := w.s.Snapshot("octo", "demo")
	if len(snap.Issues) != 1 || len(snap.Issues[0].Comments) != 1 || snap.Issues[0].Comments[0].Edits != 1 || snap.Issues[0].Reactions[0] != "eyes by fettle[bot]" {
		t.Errorf("the snapshot differs: %+v", snap)
	}
	w.call(204, "DELETE", comment, tok, nil)
	w.call(404, "GET", comment, tok, nil)
}

func TestLabelsAreAddedSetAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	at := fmt.Sprintf("%s/issues/%d/labels", repo, w.issue("one", "", "mona"))

	if r := w.call(200, "POST", at, tok, map[string]any{"labels": []string{"bug", "agent:working"}}); len(r.list) != 2 {
		t.Errorf("got %v", r.list)
	}
	if r := w.call(200, "POST", at, tok, []string{"bug", "help wanted"}); len(r.list) != 3 {
		t.Errorf("the bare list is taken too, got %v", r.list)
	}
	if r := w.call(200, "DELETE", at+"/agent%3Aworking", tok, nil); len(r.list) != 2 {
		t.Errorf("got %v", r.list)
	}
	if r := w.call(404, "DELETE", at+"/agent:working", tok, nil); r.message() != "Label does not exist" {
		t.Errorf("got %q", r.message())
	}
	if r := w.call(200, "PUT", at, tok, map[string]any{"labels": []string{"question"}}); len(r.list) != 1 {
		t.Errorf("got %v", r.list)
	}
	w.call(200, "GET", at, tok, nil)
	w.call(200, "GET", repo+"/labels?per_page=5", tok, nil)
	w.call(204, "DELETE", at, tok, nil)
	w.call(200, "GET", repo+"/labels/agent:working", tok, nil)
	w.call(200, "GET", strings.TrimSuffix(at, "/labels")+"/events", tok, nil)
	w.call(201, "POST", repo+"/labels", tok, map[string]any{"name": "agent:fix", "color": "0E8A16", "description": "for the App"})
	if r := w.call(422, "POST", repo+"/labels", tok, map[string]any{"name": "Agent:Fix"}); r.firstError()["code"] != "already_exists" {
		t.Errorf("got %s", r.raw)
	}
	w.call(422, "POST", repo+"/labels", tok, map[string]any{"name": "x", "color": "red"})
	w.call(404, "GET", repo+"/labels/none", tok, nil)
}

func TestListsArePagedWithLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	n := w.issue("many comments", "", "mona")
	for i := range 7 {
		if _, err := w.s.Comment("octo", "demo", n, fmt.Sprintf("comment %d", i), "mona"); err != nil {
			t.Fatal(err)
		}
	}
	at := fmt.Sprintf("%s/issues/%d/comments", repo, n)
	first := w.call(200, "GET", at+"?per_page=3", tok, nil)
	link := first.header.Get("Link")
	if len(first.list) != 3 || !strings.Contains(link, `page=2&per_page=3>; rel="next"`) || !strings.Contains(link, `page=3&per_page=3>; rel="last"`) {
		t.Errorf("got %d, %s", len(first.list), link)
	}
	last := w.call(200, "GET", at+"?per_page=3&page=3", tok, nil)
	if link := last.header.Get("Link"); len(last.list) != 1 || strings.Contains(link, "next") || !strings.Contains(link, `rel="first"`) {
		t.Errorf("got %d, %s", len(last.list), link)
	}
	if r := w.call(200, "GET", at+"?page=9", tok, nil); len(r.list) != 0 {
		t.Errorf("got %d", len(r.list))
	}
	if r := w.call(200, "GET", at, tok, nil); r.header.Get("Link") != "" || r.header.Get("ETag") == "" {
		t.Errorf("got %v", r.header)
	}
}

func TestIssueListFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	one, two := w.issue("one", "", "mona"), w.issue("two", "", "hubot")
	if err := w.s.Label("octo", "demo", one, "agent:fix", "mona"); err != nil {
		t.Fatal(err)
	}
	if err := w.s.CloseIssue("octo", "demo", two, "mona"); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{"": 1, "?state=all": 2, "?state=closed": 1, "?labels=agent:fix": 1, "?labels=agent:fix,bug": 0, "?state=all&creator=hubot": 1} {
		if r := w.call(200, "GET", repo+"/issues"+query, tok, nil); len(r.list) != want {
			t.Errorf("%q: %d issues, want %d", query, len(r.list), want)
		}
	}
	at := fmt.Sprintf("%s/issues/%d", repo, one)
	if r := w.call(200, "PATCH", at, tok, map[string]any{"state": "closed", "state_reason": "not_planned", "title": "done"}); r.body["state_reason"] != "not_planned" || r.body["title"] != "done" {
		t.Errorf("got %s", r.raw)
	}
	w.call(200, "PATCH", at, tok, map[string]any{"state": "open"})
	w.call(422, "PATCH", at, tok, map[string]any{"state": "ajar"})
	w.call(201, "POST", repo+"/issues", tok, map[string]any{"title": "by the App", "labels": []string{"bug"}})
	w.call(422, "POST", repo+"/issues", tok, map[string]any{"body": "no title"})
}

func TestPermissionsAreThoseOfTheRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	w.issue("x", "", "passerby")
	for login, perm := range map[string]string{"ann": "write", "bob": "triage", "cyd": "maintain", "dan": "read"} {
		if err := w.s.SetPermission("octo", "demo", login, perm); err != nil {
			t.Fatal(err)
		}
	}
	for login, want := range map[string]string{"octo": "admin", "ann": "write", "bob": "read", "cyd": "write", "dan": "read", "passerby": "none"} {
		r := w.call(200, "GET", repo+"/collaborators/"+login+"/permission", tok, nil)
		if r.body["permission"] != want {
			t.Errorf("%s: %v, want %s", login, r.body["permission"], want)
		}
	}
	w.call(404, "GET", repo+"/collaborators/nobody/permission", tok, nil)
	w.call(404, "GET", repo+"/collaborators/fettle%5Bbot%5D/permission", tok, nil)
	if err := w.s.SetPermission("octo", "demo", "eve", "owner"); err == nil {
		t.Error("an unknown permission is refused")
	}
}
