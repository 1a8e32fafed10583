package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/web"
)

// remotely runs a command against a server, on a machine that has neither its database
// nor its configuration.
func remotely(t *testing.T, server, token string, args ...string) called {
	t.Helper()
	c := exec.Command("fettle", args...)
	home := t.TempDir()
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home, "FETTLE_SERVER=" + server, "FETTLE_SERVER_TOKEN=" + token}
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run()
	return called{c.ProcessState.ExitCode(), out.String(), errs.String()}
}

func TestRunsOfAServerAreListedShownAndAnswered(t *testing.T) {
	endToEnd(t)
	w := newWorld(t, quickFiles(), "gates: {plan: true}\n")
	operator, err := web.NewToken(t.Context(), w.db, web.Grant{Name: "ada", Operator: true, Scope: store.Scope{All: true}})
	w.must(err)
	reader, err := web.NewToken(t.Context(), w.db, web.Grant{Name: "eve", Scope: store.Scope{All: true}})
	w.must(err)
	stranger, err := web.NewToken(t.Context(), w.db, web.Grant{Name: "mel", Scope: store.Scope{Repos: []string{"other/repo"}}})
	w.must(err)
	s := w.start()
	w.ask(quickTitle, quickBody)
	w.until(time.Minute, "the run waits with its plan", func() bool { all := w.runs(); return len(all) == 1 && all[0].Waiting != nil })
	id := w.runs()[0].ID
	at := func(token string, args ...string) called {
		return remotely(t, s.url, token, append([]string{"runs"}, args...)...)
	}
	want := func(c called, code int, parts ...string) {
		t.Helper()
		if c.code != code {
			t.Errorf("exit status %d, want %d\n%s\n%s", c.code, code, c.out, c.errors)
		}
		for _, part := range parts {
			if !strings.Contains(c.out+c.errors, part) {
				t.Errorf("it does not say %q:\n%s\n%s", part, c.out, c.errors)
			}
		}
	}
	want(at(reader), 0, "REPOSITORY", id, quickTitle[:20])
	want(at(reader, "show", id[:6]), 0, id)
	want(at(reader, "log", id), 0, `"kind":`)
	want(at(reader, "approve", id), 2, "Reading only")
	want(at(stranger, "show", id), 2, "there is no run")
	want(at("fettle_wrong"), 2, "does not know the token")
	want(at("", "list"), 2, "there is no token")
	want(at(operator, "replay", id), 2, "is not asked of a server")
	want(at(operator, "diff", id), 1, "there is no change")
	want(at(operator, "approve", id, "--step", "2"), 2, "does not wait")
	want(at(operator, "stop", ""), 2, "the id of the run is empty")
	want(at(operator, "approve", id), 0, "was approved")
	w.until(2*time.Minute, "the run ends", w.ended)
	want(at(operator, "approve", id), 2, "does not wait")
	c := at(reader, "show", id, "--json")
	var sum struct{ Outcome task.Outcome }
	if c.code != 0 || json.Unmarshal([]byte(c.out), &sum) != nil || sum.Outcome != task.Success {
		t.Errorf("%d %s\n%s", c.code, c.out, c.errors)
	}
	want(at(reader, "diff", id), 0, "+++ ")
	want(at(operator, "stop", id), 2, "has ended already")
	w.stop(s)
	want(at(operator, "list"), 1, "no server answers")
}

func TestRunsOfWhatIsNoServerAreAnError(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"another page": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"a refusal":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "\x1b[2Jno", http.StatusTeapot) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
	} {
		srv := httptest.NewServer(answer)
		if c := remotely(t, srv.URL, "fettle_x", "runs"); c.code != 1 || strings.Contains(c.errors, "\x1b[2J") {
			t.Errorf("%s: %d %s", name, c.code, c.errors)
		}
		srv.Close()
	}
	for _, at := range []string{"http://example.com", "ftp://127.0.0.1", "127.0.0.1:80", "https://ada:secret@example.com"} {
		if c := remotely(t, at, "fettle_x", "runs"); c.code != exitUsage || strings.Contains(c.errors, "fettle_x") {
			t.Errorf("%s: %d %s", at, c.code, c.errors)
		}
	}
}
