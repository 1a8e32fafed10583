package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/model/scripted"
)

// runner plays GitHub's runner: it starts the steps of action.yml that are fettle's
// with the variables and files that a runner gives, reads what they leave, and keeps
// the artifact where GitHub keeps it.
type runner struct {
	*world
	token string
	runID int64
	env   map[string]string // more, or others
	temp  string            // RUNNER_TEMP of the job in hand
	at    string            // the folder that steps start in, where it is no empty one
}

// job is what one job has left.
type job struct {
	code, reported int
	log            string // of both steps, as the runner shows it
	outputs        map[string]string
	summary        string
	record         map[string]string // of the artifact, by name
	left           []string          // trees that a killed step has left on the runner
}

var jobMay = map[string]string{"contents": "write", "pull_requests": "write", "issues": "write", "checks": "write", "actions": "read"}

func newRunner(t *testing.T, files map[string]string, may map[string]string) *runner {
	t.Helper()
	w := newWorldOn(t, files, "", func(cfg *simulator.Config) { cfg.AppID, cfg.AppSlug = 15368, "github-actions" })
	r := &runner{world: w, runID: 7000, env: map[string]string{}}
	var err error
	r.token, err = w.sim.JobToken(owner, "weave", may)
	w.must(err)
	return r
}

// on makes the newest webhook of an event the event file of the next job, without
// what a job's event lacks.
func (r *runner) on(event, action string) {
	r.Helper()
	r.must(r.sim.Settle(r.Context()))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range slices.Backward(r.held) {
		var fields map[string]json.RawMessage
		if h.header.Get("X-GitHub-Event") != event || json.Unmarshal(h.body, &fields) != nil || string(fields["action"]) != `"`+action+`"` {
			continue
		}
		delete(fields, "installation")
		raw, err := json.Marshal(fields)
		r.must(err)
		r.runID++
		file := filepath.Join(r.TempDir(), "event.json")
		r.must(os.WriteFile(file, raw, 0o600))
		r.env["GITHUB_EVENT_PATH"], r.env["GITHUB_EVENT_NAME"] = file, event
		return
	}
	r.Fatalf("no webhook %s %s among %d", event, action, len(r.held))
}

// command is a step, with the environment of one.
func (r *runner) command(files string, args ...string) *exec.Cmd {
	c := exec.Command("fettle", args...)
	if c.Dir = r.at; c.Dir == "" {
		c.Dir = r.TempDir() // a checkout that nobody made
	}
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": r.TempDir(), "GITHUB_ACTIONS": "true", "RUNNER_TEMP": r.temp, "GITHUB_REPOSITORY": owner + "/weave",
		"GITHUB_REPOSITORY_ID": fmt.Sprint(r.sim.RepoID(owner, "weave")), "GITHUB_RUN_ID": fmt.Sprint(r.runID), "GITHUB_SERVER_URL": r.sim.URL(), "GITHUB_API_URL": r.sim.URL() + "/api/v3",
		"GITHUB_WORKFLOW_REF": owner + "/weave/.github/workflows/fettle.yml@refs/heads/main", "GITHUB_TOKEN": r.token, "FETTLE_JOB_TOKEN": r.token, "FETTLE_LABEL": "agent:fix",
		"GITHUB_OUTPUT": filepath.Join(files, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(files, "summary"), "GITHUB_STATE": filepath.Join(files, "state"),
	}
	for k, v := range r.env {
		env[k] = v
	}
	for k, v := range env {
		c.Env = append(c.Env, k+"="+v)
	}
	return c
}

// run runs a job; while, where there is one, does something to its first step.
func (r *runner) run(while func(step *exec.Cmd)) job {
	r.Helper()
	var j job
	var err error
	r.temp, err = os.MkdirTemp(r.dir, "job-")
	r.must(err)
	files := r.TempDir()
	var log bytes.Buffer
	step := func(args ...string) int {
		c := r.command(files, args...)
		c.Stdout, c.Stderr = &log, &log
		r.must(c.Start())
		r.pids = append(r.pids, c.Process.Pid)
		if while != nil && len(args) == 1 {
			while(c)
		}
		_ = c.Wait()
		return c.ProcessState.ExitCode()
	}
	j.code = step("action")
	j.reported = step("action", "report")
	j.log = log.String()
	r.must(os.WriteFile(r.log, []byte(j.log), 0o600))
	j.outputs = r.outputs(filepath.Join(files, "output"))
	summary, _ := os.ReadFile(filepath.Join(files, "summary")) // none was written
	j.summary = string(summary)
	for _, pattern := range []string{"sandbox/boxes/*", "checkouts/trees/*"} {
		left, err := filepath.Glob(filepath.Join(r.temp, "fettle", pattern))
		r.must(err)
		if j.left = append(j.left, left...); len(j.left) > 0 && j.code != -1 {
			r.Errorf("I4: left over: %v", left)
		}
	}
	if dir := j.outputs["record"]; dir != "" {
		j.record = r.upload(dir, j.outputs["artifact"])
	}
	return j
}

// says comments as somebody.
func (r *runner) says(n int, words, login string) {
	r.Helper()
	_, err := r.sim.Comment(owner, "weave", n, words, login)
	r.must(err)
}

// outputs reads GITHUB_OUTPUT as the runner does.
func (r *runner) outputs(file string) map[string]string {
	out := map[string]string{}
	raw, err := os.ReadFile(file)
	if err != nil {
		return out
	}
	in := bufio.NewScanner(bytes.NewReader(raw))
	for in.Scan() {
		name, end, ok := strings.Cut(in.Text(), "<<")
		if !ok {
			r.Errorf("GITHUB_OUTPUT holds %q", in.Text())
		}
		var lines []string
		for in.Scan() && in.Text() != end {
			lines = append(lines, in.Text())
		}
		out[name] = strings.Join(lines, "\n")
	}
	return out
}

// upload zips the record and keeps it as GitHub does.
func (r *runner) upload(dir, name string) map[string]string {
	r.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	files := map[string]string{}
	r.must(filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		files[d.Name()] = string(data)
		w, err := z.Create(d.Name())
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}))
	r.must(z.Close())
	run := simulator.WorkflowRun{ID: r.runID, Path: ".github/workflows/fettle.yml", Event: r.env["GITHUB_EVENT_NAME"], Branch: "main"}
	if strings.HasPrefix(run.Event, "pull_request") {
		run.Branch = strings.Replace(name, "fettle-", "fettle/", 1)
	}
	r.must(r.sim.Upload(owner, "weave", run, name, packed.Bytes()))
	return files
}

// safe looks for secrets in all that a job shows and keeps, and for lines that a
// runner would obey and that are not fettle's annotations.
func (r *runner) safe(j job) {
	r.Helper()
	for _, text := range append([]string{j.log, j.summary}, values(j.record)...) {
		if installationToken.MatchString(text) || strings.Contains(text, canary) {
			r.Errorf("I5: a secret stands in\n%.2000s", text)
		}
	}
	for line := range strings.Lines(j.log) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") && !regexp.MustCompile(`^::(notice|warning|error) [^:]*::`).MatchString(line) || strings.Contains(line, "##[") {
			r.Errorf("the runner would obey %q", line)
		}
	}
}

func values(m map[string]string) (out []string) {
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

func has(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s does not say %q:\n%.4000s", what, p, text)
		}
	}
}

// A label starts a job; without any secret it opens a pull request. Started again,
// the job does nothing twice and tells the same, also where its record is lost.
func TestS9ALabelBecomesAPullRequestInAJob(t *testing.T) {
	heavy(t)
	r := newRunner(t, quickFiles(), jobMay)
	n := r.ask(quickTitle, quickBody)
	r.on("issues", "labeled")
	j := r.run(nil)
	if j.code != 0 || j.reported != 0 {
		t.Fatalf("exit status %d, %d\n%s", j.code, j.reported, j.log)
	}
	snap := r.sim.Snapshot(owner, "weave")
	if len(snap.Pulls) != 1 {
		t.Fatalf("pull requests: %+v\n%s", snap.Pulls, j.log)
	}
	pr := snap.Pulls[0]
	want := map[string]string{"outcome": "success", "pull-request-url": pr.URL, "branch": pr.Head, "cost-usd": "0", "artifact": fmt.Sprintf("fettle-issue-%d", n)}
	for k, v := range want {
		if j.outputs[k] != v {
			t.Errorf("output %s is %q, want %q", k, j.outputs[k], v)
		}
	}
	if !regexp.MustCompile(`^\d{1,3}$`).MatchString(j.outputs["risk"]) {
		t.Errorf("risk %q", j.outputs["risk"])
	}
	has(t, "the summary", j.summary, quickTitle, pr.URL, "risk", "starts no CI")
	has(t, "the log", j.log, "::warning title=fettle opened a draft::"+pr.URL, "::notice title=No CI for this pull request::")
	has(t, "the pull request", pr.Body, "starts no CI", fmt.Sprintf("Refs #%d", n))
	has(t, "the status comment", snap.Issues[0].Comments[0].Body, "has a draft: #")
	for _, name := range []string{"fettle.db", "summary.md", "summary.json", "change.diff", "decisions.jsonl", "messages.jsonl"} {
		if j.record[name] == "" && name != "messages.jsonl" {
			t.Errorf("the record holds no %s", name)
		}
	}
	has(t, "the record", j.record["summary.json"], `"outcome": "success"`)
	r.safe(j)

	again := r.run(nil) // the same run of the workflow, its second attempt
	if again.code != 0 || again.outputs["pull-request-url"] != pr.URL || again.outputs["outcome"] != "success" {
		t.Errorf("started again: %d %v\n%s", again.code, again.outputs, again.log)
	}
	r.env["GITHUB_WORKFLOW_REF"] = owner + "/weave/.github/workflows/other.yml@refs/heads/main" // whose runs have no record
	lost := r.run(nil)
	if lost.code != 0 || lost.outputs["outcome"] != "rejected" {
		t.Errorf("started again without its record: %d %v\n%s", lost.code, lost.outputs, lost.log)
	}
	r.oracle(n)
}

// With one secret a model is asked; where none mends it, the outputs, the summary and
// the WIP branch say so, and the job is green.
func TestS9AModelIsAskedInAJobAndExhaustionIsToldHonestly(t *testing.T) {
	endToEnd(t)
	right, wrong := rightWeave(t), wrongWeave(t)
	ok := true
	double, _ := models(t, func(_ scripted.Call, n int) scripted.Answer {
		if ok {
			return scripted.Answer{Text: right, TokensIn: 1000, TokensOut: 100}
		}
		return scripted.Answer{Text: wrong(n), TokensIn: 1000, TokensOut: 100}
	})
	r := newRunner(t, weaveFiles(), jobMay)
	r.env["FETTLE_BASE_URL"], r.env["FETTLE_MODEL"], r.env["FETTLE_API_KEY"] = double.URL(), "model-tier1", canary+"-model"
	r.env["FETTLE_CONFIG"] = "budget: {attempts_per_tier: 2}\n"
	ok = false
	first := r.ask(weaveTitle, weaveBody)
	r.on("issues", "labeled")
	j := r.run(nil)
	if j.code != 0 || j.outputs["outcome"] != "failed_all_tiers" || j.outputs["pull-request-url"] != "" || !strings.HasPrefix(j.outputs["branch"], fmt.Sprintf("fettle/issue-%d", first)) {
		t.Errorf("exhausted: %d %v\n%s", j.code, j.outputs, j.log)
	}
	has(t, "the summary", j.summary, "fettle stopped", "What was tried, and why it failed", "Look at this first")
	has(t, "the log", j.log, "::warning title=fettle ended%3A failed all tiers::", "::warning file=test_weave.py,line=")
	r.safe(j)

	ok = true
	r.says(first, "/fettle retry", human)
	r.on("issue_comment", "created")
	j = r.run(nil)
	if j.code != 0 || j.outputs["outcome"] != "success" || len(r.sim.Snapshot(owner, "weave").Pulls) != 1 {
		t.Errorf("a retry in another job: %d %v\n%s", j.code, j.outputs, j.log)
	}
	if len(double.Calls()) == 0 || !strings.Contains(double.Calls()[0].Key, canary) {
		t.Error("the double was not asked with the key")
	}
	r.safe(j)
}

func TestJudgedACommentHasAPullRequestJudgedInAJob(t *testing.T) {
	endToEnd(t)
	r := newRunner(t, weaveFiles(), jobMay)
	_, err := r.sim.CommitFile(owner, "weave", "turns", "weave.py", []byte(weaveMended+weave[strings.Index(weave, "\n\ndef total"):]), "take turns", human)
	r.must(err)
	n, err := r.sim.OpenPull(owner, "weave", "take turns", "", "turns", "main", human, false)
	r.must(err)
	r.says(n, "/fettle judge", human)
	r.on("issue_comment", "created")
	j := r.run(nil)
	snap := r.sim.Snapshot(owner, "weave")
	if j.code != 0 || len(snap.Checks) != 1 || snap.Checks[0].Name != bot.JudgeCheck("main") || snap.Checks[0].Conclusion != "success" {
		t.Errorf("%d %+v\n%s", j.code, snap.Checks, j.log)
	}
	r.safe(j)
}

// A plan made in one job waits for a person, whose words start another job that goes on
// with it; the words of somebody else do not.
func TestS9AnApprovalGoesOnInAnotherJob(t *testing.T) {
	endToEnd(t)
	r := newRunner(t, quickFiles(), jobMay)
	r.env["FETTLE_CONFIG"] = "gates: {plan: true}\n"
	n := r.ask(quickTitle, quickBody)
	r.on("issues", "labeled")
	first := r.run(nil)
	if first.code != 0 || first.outputs["outcome"] != "waiting" || len(r.sim.Snapshot(owner, "weave").Pulls) != 0 {
		t.Fatalf("the first job: %d %v\n%s", first.code, first.outputs, first.log)
	}
	has(t, "the status comment", strings.Join(comments(r, 0), "\n"), "/fettle approve")
	r.safe(first)

	r.says(n, "/fettle approve", "eve")
	r.on("issue_comment", "created")
	if j := r.run(nil); len(r.sim.Snapshot(owner, "weave").Pulls) != 0 {
		t.Errorf("a stranger approved: %v\n%s", j.outputs, j.log)
	}
	r.says(n, "/fettle approve", human)
	r.on("issue_comment", "created")
	j := r.run(nil)
	if j.code != 0 || j.outputs["outcome"] != "success" || len(r.sim.Snapshot(owner, "weave").Pulls) != 1 {
		t.Errorf("the approval's job: %d %v\n%s", j.code, j.outputs, j.log)
	}
	r.safe(j)
	r.oracle(n)
}

// Where the job's checkout cannot be written to, nothing is different: fettle has its own.
func TestS9AReadOnlyCheckoutIsNotWrittenTo(t *testing.T) {
	endToEnd(t)
	r := newRunner(t, quickFiles(), jobMay)
	r.at = "/proc/self" // where nobody, whatever their rights, makes a file
	r.env["GITHUB_WORKSPACE"] = r.at
	r.ask(quickTitle, quickBody)
	r.on("issues", "labeled")
	if j := r.run(nil); j.code != 0 || j.outputs["outcome"] != "success" {
		t.Errorf("%d %v\n%s", j.code, j.outputs, j.log)
	}
}

// A cancelled job leaves a run that the next attempt goes on with.
func TestS9ACancelledJobGoesOnWhereItStood(t *testing.T) {
	endToEnd(t)
	for _, how := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		r := newRunner(t, slowFiles("0.3"), jobMay)
		n := r.ask(quickTitle, quickBody)
		r.on("issues", "labeled")
		var took time.Duration
		j := r.run(func(step *exec.Cmd) {
			r.until(time.Minute, "the run works", func() bool {
				is := r.sim.Snapshot(owner, "weave").Issues[0]
				return slices.Contains(is.Labels, "agent:working")
			})
			begin := time.Now()
			r.must(step.Process.Signal(how))
			_ = step.Wait()
			took = time.Since(begin)
		})
		t.Logf("%s: the step ended after %s", how, took)
		if how == syscall.SIGINT && j.code != exitCancelled || j.reported != 0 || j.outputs["outcome"] != "cancelled" || j.record["fettle.db"] == "" {
			t.Errorf("%s: exit status %d, %v\n%s", how, j.code, j.outputs, j.log)
		}
		has(t, "the summary", j.summary, "job was cancelled or died")
		is := r.sim.Snapshot(owner, "weave").Issues[0]
		has(t, "the status comment", is.Comments[0].Body, "Run the job again")
		if !slices.Contains(is.Labels, labelHuman) || slices.Contains(is.Labels, "agent:working") {
			t.Errorf("%s: labels %v", how, is.Labels)
		}
		r.safe(j)
		j = r.run(nil) // the job's second attempt
		if j.code != 0 || j.outputs["outcome"] != "success" {
			t.Errorf("%s: started again: %d %v\n%s", how, j.code, j.outputs, j.log)
		}
		r.oracle(n)
	}
}

// What may not or cannot run says why, starts nothing, and costs the run nothing.
func TestS9BadEventsAreRefusedWithTheReason(t *testing.T) {
	heavy(t)
	r := newRunner(t, quickFiles(), jobMay)
	n := r.ask(quickTitle, quickBody)
	r.on("issues", "labeled")
	event, err := os.ReadFile(r.env["GITHUB_EVENT_PATH"])
	r.must(err)
	fork := strings.Replace(string(event), `{`, `{"pull_request":{"number":9,"head":{"repo":{"full_name":"eve/weave"},"ref":"x"}},`, 1)
	for name, c := range map[string]struct {
		change  map[string]string
		code    int
		outcome string
		words   string
	}{
		"no event file":          {map[string]string{"GITHUB_EVENT_PATH": ""}, 2, "error", "names no event file"},
		"an event file missing":  {map[string]string{"GITHUB_EVENT_PATH": "/nowhere/event.json"}, 2, "error", "cannot be used"},
		"no event":               {map[string]string{"GITHUB_EVENT_PATH": write(t, "e.json", "{")}, 2, "error", "holds no event"},
		"an event of another":    {map[string]string{"GITHUB_EVENT_PATH": write(t, "e.json", strings.ReplaceAll(string(event), "local/weave", "eve/weave"))}, 2, "error", "start fettle by an event of its own repository"},
		"another event":          {map[string]string{"GITHUB_EVENT_NAME": "push"}, 2, "error", `on the event "push"`},
		"pull_request_target":    {map[string]string{"GITHUB_EVENT_NAME": "pull_request_target"}, 5, "rejected", "does not run on pull_request_target"},
		"the head of a fork":     {map[string]string{"GITHUB_EVENT_NAME": "pull_request_review", "GITHUB_EVENT_PATH": write(t, "e.json", fork)}, 5, "rejected", "head of a fork"},
		"no runner":              {map[string]string{"RUNNER_TEMP": ""}, 2, "error", "RUNNER_TEMP"},
		"no token":               {map[string]string{"GITHUB_TOKEN": "", "FETTLE_JOB_TOKEN": ""}, 2, "error", "no token"},
		"half an App":            {map[string]string{"FETTLE_APP_ID": "12"}, 2, "error", "belong together"},
		"a bad configuration":    {map[string]string{"FETTLE_CONFIG": "label: [x]\n"}, 2, "error", "label"},
		"a model without place":  {map[string]string{"FETTLE_MODEL": "x"}, 2, "error", "give preset or base-url"},
		"two tables of models":   {map[string]string{"FETTLE_PRESET": "ollama", "FETTLE_CONFIG": "tiers: {}\n"}, 2, "error", "described twice"},
		"another model":          {map[string]string{"FETTLE_BASE_URL": "http://127.0.0.1:9/v1", "FETTLE_MODEL": "x", "FETTLE_MODEL_FILE": write(t, "x.gguf", "weights"), "FETTLE_MODEL_SHA256": strings.Repeat("0", 64)}, 5, "rejected", "is not the one that the workflow names"},
		"a token that is no one": {map[string]string{"GITHUB_TOKEN": "ghs_000000000000000000000000000000000000"}, 1, "error", "does not accept the token"},
	} {
		keep := r.env
		r.env = map[string]string{}
		for k, v := range keep {
			r.env[k] = v
		}
		for k, v := range c.change {
			r.env[k] = v
		}
		j := r.run(nil)
		r.env = keep
		if j.code != c.code || j.reported != 0 || j.outputs["outcome"] != c.outcome && c.change["RUNNER_TEMP"] != "" {
			t.Errorf("%s: exit status %d, %d, %v\n%s", name, j.code, j.reported, j.outputs, j.log)
		}
		has(t, name, j.log, c.words, "::error title=fettle did not run::")
		has(t, name+": the summary", j.summary, "fettle did not run")
	}
	if snap := r.sim.Snapshot(owner, "weave"); len(snap.Pulls) != 0 || len(snap.Branches) != 1 || len(snap.Issues[0].Comments) != 0 {
		t.Errorf("something was started: %+v", snap)
	}

	// Who may not write is refused by the same rule as in the App.
	r.says(n, "/fettle fix", "eve")
	r.on("issue_comment", "created")
	j := r.run(nil)
	if j.code != 0 || j.outputs["outcome"] != "" {
		t.Errorf("a stranger's command: %d %v\n%s", j.code, j.outputs, j.log)
	}
	is := r.sim.Snapshot(owner, "weave").Issues[0]
	has(t, "the refusal", is.Comments[len(is.Comments)-1].Body, "Only people who may write")

	// Without user namespaces there is no sandbox: the run ends with that reason.
	r.on("issues", "labeled")
	bin, err := os.MkdirTemp("", "fettle-bwrap-") // where whoever the sandbox becomes may go, too
	r.must(err)
	defer os.RemoveAll(bin)
	r.must(os.Chmod(bin, 0o755))
	r.must(os.WriteFile(filepath.Join(bin, "bwrap"), []byte("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"), 0o755))
	r.env["PATH"] = bin + ":" + os.Getenv("PATH")
	j = r.run(nil)
	if j.code != 5 || j.outputs["outcome"] != "error" {
		t.Errorf("without user namespaces: %d %v\n%s", j.code, j.outputs, j.log)
	}
	has(t, "the log", j.log, "::error title=fettle failed::", "No permissions to create new namespace")
	has(t, "the report", strings.Join(comments(r, 0), "\n"), "namespace")
	is = r.sim.Snapshot(owner, "weave").Issues[0]
	if !slices.Contains(is.Labels, labelHuman) || len(r.sim.Snapshot(owner, "weave").Pulls) != 0 {
		t.Errorf("without user namespaces: labels %v", is.Labels)
	}
}

// comments are the texts on an issue.
func comments(r *runner, issue int) (out []string) {
	for _, c := range r.sim.Snapshot(owner, "weave").Issues[issue].Comments {
		out = append(out, c.Body)
	}
	return out
}

// A token that may only read lets nothing out, and says what to grant.
func TestS9ATokenThatMayOnlyReadSaysWhatToGrant(t *testing.T) {
	heavy(t)
	r := newRunner(t, quickFiles(), map[string]string{"contents": "read", "issues": "write"})
	r.ask(quickTitle, quickBody)
	r.on("issues", "labeled")
	j := r.run(nil)
	if j.code != 1 || j.outputs["outcome"] != "error" {
		t.Errorf("%d %v\n%s", j.code, j.outputs, j.log)
	}
	has(t, "the log", j.log, "pull_requests=read", "permissions:", "actions: read")
	if snap := r.sim.Snapshot(owner, "weave"); len(snap.Branches) != 1 {
		t.Errorf("branches %v", snap.Branches)
	}
}

// An App's key stands for the token where CI is to start.
func TestS9AnAppOpensPullRequestsForWhichCIStarts(t *testing.T) {
	endToEnd(t)
	r := newRunner(t, quickFiles(), jobMay)
	w := newWorldOn(t, quickFiles(), "", func(cfg *simulator.Config) {
		cfg.Middleware = func(next http.Handler) http.Handler { return next }
	})
	r.world = w
	var err error
	r.token, err = w.sim.JobToken(owner, "weave", jobMay)
	w.must(err)
	r.env["FETTLE_APP_ID"], r.env["FETTLE_PRIVATE_KEY"] = fmt.Sprint(w.sim.AppID()), string(w.sim.PrivateKeyPEM())
	n := r.ask(quickTitle, quickBody)
	r.on("issues", "labeled")
	j := r.run(nil)
	snap := w.sim.Snapshot(owner, "weave")
	if j.code != 0 || j.outputs["outcome"] != "success" || len(snap.Pulls) != 1 || strings.Contains(j.summary+snap.Pulls[0].Body, "starts no CI") {
		t.Errorf("%d %v %+v\n%s", j.code, j.outputs, snap.Pulls, j.log)
	}
	r.oracle(n)
}
