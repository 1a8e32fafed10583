package loop_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/smoke"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// equipped is a bench whose loop also pins behaviour and asks services.
func equipped(t *testing.T, files map[string]string, script scripted.Script) *bench {
	t.Helper()
	b := newBench(t, files, nil)
	srv, err := scripted.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	b.task.WithTests = true
	session := boxed.Session()
	t.Cleanup(func() { _ = session.Close() })
	roles, err := agent.New(agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	v := verify.New(verify.Config{Sandbox: session, Log: quiet()})
	b.engine = loop.New(loop.Config{
		Verifier: v, Mender: mend.New(mend.Config{Sandbox: session, Verifier: v, Log: quiet(), MaxCandidates: 10, Workers: 1}), Developer: roles.Developer,
		Models:        model.New(model.Config{Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {Tier: task.Tier1, BaseURL: srv.URL(), Model: "m", PriceIn: 1, PriceOut: 2, MaxTokens: 500}}}),
		Characteriser: characterise.New(characterise.Config{Sandbox: session, Verifier: v, Log: quiet(), Budget: time.Minute}),
		Smoke:         smoke.New(smoke.Config{Sandbox: session, Log: quiet()}),
		MaxMutants:    4,
		Sandbox:       "test", Log: quiet(), Now: time.Now,
	})
	return b
}

func TestC5AGreenChangeComesWithTestsThatPinIt(t *testing.T) {
	t.Parallel()
	id := region(t, broken)
	b := equipped(t, weave, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: scripted.Edit("weave.py", id, mended, "It joined the lists instead of taking turns.")}
	})
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success {
		t.Fatalf("%s: %s", res.Outcome, res.Reason)
	}
	i := slices.IndexFunc(res.Checks, func(c task.Check) bool { return strings.HasPrefix(c.Name, "nominal and edge cases") })
	if i < 0 || res.Checks[i].Status != task.CheckPassed || !strings.Contains(res.Checks[i].Detail, "planted faults found") {
		t.Errorf("the checklist says nothing of it: %+v", res.Checks)
	}
	if !slices.ContainsFunc(res.Changes, func(c task.FileChange) bool {
		return c.Path == "test_interleave_pinned.py" && strings.Contains(string(c.Content), characterise.Note)
	}) || !strings.Contains(res.Diff, "test_interleave_pinned.py") {
		t.Errorf("the tests are no part of the change:\n%s", res.Diff)
	}
	if len(res.Best.Behaviour) == 0 || res.Best.Behaviour[0].Before == res.Best.Behaviour[0].After {
		t.Errorf("behaviour %v", res.Best.Behaviour)
	}
}

func TestC5AnExampleOfTheReadmeThatBreaksIsADoubt(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	id := region(t, broken)
	files := maps.Clone(weave)
	files["README.md"] = "```python\n>>> interleave([1, 2], [3, 4])\n[1, 2, 3, 4]\n```\n"
	b := equipped(t, files, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: scripted.Edit("weave.py", id, mended, "It joined the lists instead of taking turns.")}
	})
	res := b.run(t, task.Budget{})
	if res.Best == nil || !slices.Contains(res.Best.Doubts, "README.md says interleave([1, 2], [3, 4]) is [1, 2, 3, 4], the change gives [1, 3, 2, 4]") {
		t.Errorf("%s: %+v", res.Outcome, res.Best)
	}
}

const server = `import http.server
import os

import weave


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = "".join(weave.interleave(list("a"), list("xyz")))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())


http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`

func TestC7AChangeThatBreaksTheServiceIsRed(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	id := region(t, broken)
	files := map[string]string{"server.py": server}
	for name, text := range weave {
		files[name] = text
	}
	b := equipped(t, files, func(_ scripted.Call, n int) scripted.Answer {
		text := mended
		if n == 0 { // passes the tests, and fails where the service calls it
			text = strings.Replace(mended, "    out = []\n", "    out = []\n    if len(second) > 2:\n        raise LookupError(\"too long\")\n", 1)
		}
		return scripted.Answer{Text: scripted.Edit("weave.py", id, text, "It takes turns.")}
	})
	res, err := b.engine.Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, Journal: b.journal, Smoke: &settings.Smoke{
		Start: []string{"python3", "-u", "server.py"}, Port: 8124, Within: time.Minute, Scenarios: []settings.Scenario{{Name: "turns", Method: "GET", Path: "/", Status: 200, Required: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	red := slices.IndexFunc(res.Attempts, func(a task.Attempt) bool { return a.Smoke != nil && a.Smoke.After == 0 })
	if red < 0 || *res.Attempts[red].Smoke != (task.SmokeRate{Before: 1, After: 0, All: 1}) || res.Attempts[red].Green || !slices.Contains(res.Attempts[red].Broken, "smoke: turns") {
		t.Fatalf("the change that breaks the service is not red: %+v", res.Attempts)
	}
	if f := res.Attempts[red].Failures; len(f) == 0 || f[0].Exception != "LookupError" || f[0].File != "weave.py" {
		t.Errorf("failures %+v", f)
	}
	if res.Outcome != task.Success || res.Best.Smoke == nil || res.Best.Smoke.After != 1 {
		t.Errorf("%s %s, %+v", res.Outcome, res.Reason, res.Best)
	}
}

// What is laid beside Go code to watch its calls builds in a module of an older
// Go, too: the go line of most modules is older than the toolchain.
func TestC5GoIsPinnedInAModuleOfAnOlderGo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("not run: it is in the long form; TestC5AGreenChangeComesWithTestsThatPinIt stands for it in the quick one")
	}
	f := features[slices.IndexFunc(features, func(f feature) bool { return f.name == "go, a new name" })]
	repo := maps.Clone(f.repo)
	repo["go.mod"] = strings.Replace(repo["go.mod"], "go 1.21", "go 1.16", 1)
	b := equipped(t, repo, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: f.answer()} })
	b.task.Title, b.task.Body = "Add a function for the ratio of two numbers", "It should be 0 where there is no whole."
	res := b.run(t, task.Budget{})
	i := slices.IndexFunc(res.Checks, func(c task.Check) bool { return strings.HasPrefix(c.Name, "nominal and edge cases") })
	if res.Outcome != task.Success || i < 0 || res.Checks[i].Status != task.CheckPassed {
		t.Fatalf("%s (%s): %+v", res.Outcome, res.Reason, res.Checks)
	}
	if !slices.Contains(res.Best.OwnTests, "ratio_pinned_test.go") || !slices.Contains(res.Best.NewTests, "ratio_test.go") {
		t.Errorf("new tests %q, fettle's own %q", res.Best.NewTests, res.Best.OwnTests)
	}
}
