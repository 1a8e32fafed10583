package actions

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// environment is a runner's, for an event file.
func environment(t *testing.T, event string, more ...string) func(string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(file, []byte(event), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "issue_comment", "GITHUB_EVENT_PATH": file, "GITHUB_REPOSITORY": "Acme/web", "GITHUB_REPOSITORY_ID": "42", "GITHUB_RUN_ID": "7",
		"GITHUB_WORKFLOW_REF": "Acme/web/.github/workflows/mend.yml@refs/heads/main", "GITHUB_SERVER_URL": "https://github.com", "RUNNER_TEMP": t.TempDir(), "GITHUB_TOKEN": "ghs_x"}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}
	return func(name string) string { return env[name] }
}

const commented = `{"action":"created","repository":{"full_name":"acme/Web"},"issue":{"number":3,"pull_request":{}},"comment":{"id":1,"body":"$(id) \"; exit 1 #"}}`

func TestS9AJobIsReadFromItsRunner(t *testing.T) {
	t.Parallel()
	j, err := Read(environment(t, commented))
	if err != nil {
		t.Fatal(err)
	}
	if j.Repo.Slug() != "Acme/web" || j.Repo.Installation != 42 || !j.Pull || j.Workflow != ".github/workflows/mend.yml" || j.RunURL != "https://github.com/Acme/web/actions/runs/7" || j.Delivery() != "actions-run-7" {
		t.Errorf("%+v", j)
	}
	var got struct {
		Installation struct{ ID int64 }
		Comment      struct{ Body string }
	}
	if err := json.Unmarshal(j.Payload, &got); err != nil || got.Installation.ID != 42 || got.Comment.Body != `$(id) "; exit 1 #` {
		t.Errorf("%+v %v", got, err)
	}
	again, err := Read(environment(t, commented, "GITHUB_RUN_ID", "8"))
	if err != nil || !bytes.Equal(j.MarkerKey(), again.MarkerKey()) || len(j.MarkerKey()) < 16 {
		t.Errorf("the marks of two jobs of a repository differ: %v", err)
	}
	for _, c := range []struct {
		path, event        string
		own, fettles, want bool
	}{
		{j.Workflow, "issues", true, false, true}, {".github/workflows/test.yml", "issues", true, false, false}, {j.Workflow, "push", true, false, false}, {j.Workflow, "issues", false, false, false}, {"", "issues", true, false, false},
		{j.Workflow, "pull_request_review", true, true, true}, {j.Workflow, "pull_request_review", true, false, false}, {j.Workflow, "pull_request_review_comment", true, false, false},
	} {
		if got := j.Wrote(c.path, c.event, c.own, c.fettles); got != c.want {
			t.Errorf("a record of %+v: %v", c, got)
		}
	}
}

func TestS9AForksHeadIsRefused(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{"of a fork": `{"repo":{"full_name":"eve/web"}}`, "of a fork that is gone": `{"repo":null}`} {
		_, err := Read(environment(t, `{"repository":{"full_name":"Acme/web"},"pull_request":{"head":`+head+`}}`, "GITHUB_EVENT_NAME", "pull_request_review"))
		var no *Refusal
		if !errors.As(err, &no) {
			t.Errorf("the head %s: %v", name, err)
		}
	}
}

// X1: no value ends its output and begins another, and no annotation another command.
func TestS11OutputsAndAnnotationsCannotBeBrokenOut(t *testing.T) {
	t.Parallel()
	j := &Job{output: filepath.Join(t.TempDir(), "out"), summary: filepath.Join(t.TempDir(), "sum")}
	evil := "x\nfettle_\nbranch<<E\nmain\nE\r\n::set-output name=outcome::success"
	if err := j.SetOutputs(Output{"branch", evil}, Output{"risk", "3"}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(j.output)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(raw), "\n")
	name, end, _ := strings.Cut(lines[0], "<<")
	if name != "branch" || strings.Count(string(raw), end+"\n") != 2 || len(end) < 20 {
		t.Errorf("%q", raw)
	}
	if at := strings.Index(string(raw), "\n"+end+"\n"); !strings.HasPrefix(string(raw)[at+len(end)+2:], "risk<<") {
		t.Errorf("%q", raw)
	}
	if err := j.Summarise(strings.Repeat("ä", maxSummary)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(j.summary); err != nil || info.Size() > maxSummary {
		t.Errorf("%v %v", info, err)
	}
}

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestS07NothingButTheDatabaseIsTakenFromARecord(t *testing.T) {
	t.Parallel()
	j := &Job{Dir: filepath.Join(t.TempDir(), "fettle")}
	if err := j.Unpack(packed(t, map[string]string{"fettle.db": "db", "../evil": "x", "ending.json": "{}", "a/fettle.db": "no"})); err != nil {
		t.Fatal(err)
	}
	var found []string
	_ = filepath.WalkDir(filepath.Dir(j.Dir), func(p string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			found = append(found, filepath.Base(p))
		}
		return nil
	})
	if fmt.Sprint(found) != "[fettle.db]" {
		t.Errorf("%v", found)
	}
	for name, raw := range map[string][]byte{"no zip": []byte("x"), "no database": packed(t, map[string]string{"x": ""}), "a second one": packed(t, map[string]string{"fettle.db": ""})} {
		if err := j.Unpack(raw); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestS9AModelOnTheRunnerIsHeldAgainstItsChecksum(t *testing.T) {
	t.Parallel()
	const sum = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4" // of "hi"
	file := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(file, []byte("hi"), 0o600); err != nil {
		t.Fatal(err)
	}
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/tags" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"models":[{"name":"qwen:latest","digest":"sha256:%s"}]}`, sum)
	}))
	defer ollama.Close()
	for name, c := range map[string]struct {
		in   Inputs
		base string
		want string // "" = it is taken
	}{
		"a file":            {Inputs{ModelFile: file, ModelSHA256: sum}, "", ""},
		"a digest":          {Inputs{Model: "qwen", ModelSHA256: sum}, ollama.URL + "/v1", ""},
		"nothing to hold":   {Inputs{Model: "qwen"}, ollama.URL + "/v1", ""},
		"another file":      {Inputs{ModelFile: file, ModelSHA256: strings.Repeat("a", 64)}, "", "is not the one"},
		"no file":           {Inputs{ModelFile: file + "x", ModelSHA256: sum}, "", "could not be held"},
		"no sum":            {Inputs{ModelFile: file}, "", "64 hexadecimal digits"},
		"another digest":    {Inputs{Model: "qwen", ModelSHA256: strings.Repeat("a", 64)}, ollama.URL + "/v1", "is not the one"},
		"not pulled":        {Inputs{Model: "llama", ModelSHA256: sum}, ollama.URL + "/v1", "pull it"},
		"not Ollama":        {Inputs{Model: "qwen", ModelSHA256: sum}, ollama.URL + "/other", "model-file"},
		"nobody listens":    {Inputs{Model: "qwen", ModelSHA256: sum}, "http://127.0.0.1:1/v1", "could not be held"},
		"which, on Ollama?": {Inputs{ModelSHA256: sum}, ollama.URL + "/v1", "model-file"},
	} {
		words, err := (&Job{In: c.in}).VerifyModel(t.Context(), c.base)
		var no *Refusal
		if c.want == "" && (err != nil || (words == "") != (c.in.ModelSHA256 == "")) || c.want != "" && (!errors.As(err, &no) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v", name, words, err)
		}
	}
}

// manifest is action.yml.
type manifest struct {
	Inputs  map[string]struct{ Description string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, If, Uses, Run, Shell string
			Env, With                map[string]string
		}
	}
}

func action(t *testing.T, file string) manifest {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := yaml.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)

// X1: an input is a variable of a step, never text of its script.
func TestX1InputsReachScriptsThroughTheEnvironmentOnly(t *testing.T) {
	t.Parallel()
	m := action(t, "action.yml")
	scripts(t, m)
	judges := action(t, "judge/action.yml")
	scripts(t, judges)
	for name, o := range judges.Outputs {
		if !strings.Contains(o.Value, "steps.judge.outputs."+name) {
			t.Errorf("output %s of the judge: %q", name, o.Value)
		}
	}
	for _, name := range []string{"outcome", "pull-request-url", "branch", "cost-usd", "risk"} {
		if !strings.Contains(m.Outputs[name].Value, "steps.report.outputs."+name) {
			t.Errorf("output %s: %q", name, m.Outputs[name].Value)
		}
	}
	source, err := os.ReadFile("job.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range m.Runs.Steps {
		for name := range s.Env {
			if s.Run == `exec "$FETTLE" action` && name != "FETTLE" && !bytes.Contains(source, []byte(`"`+name+`"`)) {
				t.Errorf("fettle does not read %s", name)
			}
		}
	}
}

// scripts holds the steps of an action to what no input may pass by.
func scripts(t *testing.T, m manifest) {
	t.Helper()
	used := map[string]bool{}
	for i, s := range m.Runs.Steps {
		if strings.Contains(s.Run+s.Shell+s.Uses, "${{") {
			t.Errorf("step %d has an expression in what is run: %q", i, s.Run)
		}
		if s.Run != "" && !strings.HasPrefix(s.Run, "exec ") {
			t.Errorf("step %d would not hear the signal of a cancelled job: %q", i, s.Run)
		}
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("step %d uses %q, which is not pinned to a commit", i, s.Uses)
		}
		for _, v := range append(mapped(s.Env), s.If) {
			for _, name := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(v, -1) {
				used[name[1]] = true
			}
		}
		for name := range s.Env {
			if s.Run == `exec "$FETTLE" action` && name != "FETTLE" && s.Env[name] != m.Runs.Steps[i+1].Env[name] {
				t.Errorf("the report does not have %s of the step before", name)
			}
		}
	}
	for name := range m.Inputs {
		if !used[name] {
			t.Errorf("the input %s goes nowhere", name)
		}
	}
}

func mapped(m map[string]string) (out []string) {
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// workflow is as much of a workflow as is looked at.
type workflow struct {
	On          any
	Permissions any
	Jobs        map[string]struct {
		Uses, If    string
		Permissions map[string]string
		With        map[string]any
		Secrets     map[string]string
		Steps       []struct {
			Uses, Run string
			With      map[string]any
		}
	}
}

// The workflows, and those that the documents show, are what they have to be: read,
// with inputs that are there, foreign actions by commit, nothing on
// pull_request_target.
func TestS9WorkflowsAndTheDocumentsExamplesAreRight(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatalf("workflows: %v %v", files, err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[f] = string(raw)
	}
	docs, err := os.ReadFile("../docs/actions.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(docs), -1) {
		texts[fmt.Sprintf("docs/actions.md, example %d", i+1)] = b[1]
	}
	m, judges := action(t, "action.yml"), action(t, "judge/action.yml")
	var reusable struct {
		On struct {
			WorkflowCall struct {
				Inputs, Secrets map[string]any
			} `yaml:"workflow_call"`
		}
	}
	if err := yaml.Unmarshal([]byte(texts["../.github/workflows/fettle.yml"]), &reusable); err != nil {
		t.Fatal(err)
	}
	calls := 0
	for where, text := range texts {
		var w workflow
		if err := yaml.Unmarshal([]byte(text), &w); err != nil || w.On == nil || len(w.Jobs) == 0 {
			t.Errorf("%s is no workflow: %v", where, err)
			continue
		}
		if strings.Contains(text, "pull_request_target") {
			t.Errorf("%s runs on pull_request_target", where)
		}
		for _, j := range w.Jobs {
			if strings.Contains(j.Uses, "workflows/fettle.yml") {
				calls++
				for name := range j.With {
					if reusable.On.WorkflowCall.Inputs[name] == nil {
						t.Errorf("%s: the workflow has no input %s", where, name)
					}
				}
				for name := range j.Secrets {
					if reusable.On.WorkflowCall.Secrets[name] == nil {
						t.Errorf("%s: the workflow has no secret %s", where, name)
					}
				}
			}
			for _, s := range j.Steps {
				name, _, _ := strings.Cut(s.Uses, "@")
				inputs, ours := map[string]manifest{"fettle-dev/fettle/actions": m, "fettle-dev/fettle/actions/judge": judges}[name]
				if s.Uses != "" && !ours && !pinned.MatchString(s.Uses) {
					t.Errorf("%s uses %q, which is not pinned to a commit", where, s.Uses)
				}
				if regexp.MustCompile(`\$\{\{[^}]*github\.event`).MatchString(s.Run) {
					t.Errorf("%s has text of an event in a script: %q", where, s.Run)
				}
				for name := range s.With {
					if _, there := inputs.Inputs[name]; ours && !there {
						t.Errorf("%s: the action has no input %s", where, name)
					}
				}
				if ours {
					calls++
				}
			}
		}
		lint(t, where, text)
	}
	if calls < 4 {
		t.Errorf("%d calls of fettle were looked at", calls)
	}
}

// lint holds an example against the linter that make lint runs, where it is here.
func lint(t *testing.T, where, text string) {
	t.Helper()
	tool, err := filepath.Abs("../.tools/actionlint")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tool); err != nil || strings.HasPrefix(where, "..") {
		return // make lint installs it, and runs it on the workflows
	}
	c := exec.CommandContext(t.Context(), tool, "-")
	c.Dir, c.Stdin = t.TempDir(), strings.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", where, err, out)
	}
}

// script runs a script of the action with programs that only say how they were
// called, and gives what it printed and what they said.
func script(t *testing.T, name string, programs map[string]string, env ...string) (out, called string, code int) {
	t.Helper()
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "called")
	for p, body := range programs {
		text := "#!/bin/sh\necho \"" + p + " $*\" >>" + log + "\n" + body + "\n"
		if err := os.WriteFile(filepath.Join(bin, p), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"bash", "sh", "cat", "tee", "grep", "env", "true", "false", "touch"} {
		at, err := exec.LookPath(p)
		if err != nil {
			t.Skipf("%s is not here", p)
		}
		if err := os.Symlink(at, filepath.Join(bin, p)); err != nil {
			t.Fatal(err)
		}
	}
	at, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), filepath.Join(bin, "bash"), at)
	c.Env = append(env, "PATH="+bin)
	raw, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	said, _ := os.ReadFile(log) // nothing was called
	return string(raw), string(said), c.ProcessState.ExitCode()
}

func TestC1TheSandboxIsPreparedAsItSays(t *testing.T) {
	t.Parallel()
	proc, etc := t.TempDir(), t.TempDir()
	for dir, file := range map[string]string{proc + "/sys/kernel": "apparmor_restrict_unprivileged_userns", etc + "/apparmor.d": ".keep"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte("1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loaded := filepath.Join(t.TempDir(), "loaded")
	programs := map[string]string{
		"id": "echo 1000", "sudo": `shift; exec "$@"`, "dpkg-query": "exit 1", "git": "", "apt-get": "",
		"bwrap": "[ -e " + loaded + " ]", "apparmor_parser": "touch " + loaded,
	}
	env := []string{"FETTLE_PROC=" + proc, "FETTLE_ETC=" + etc, "FETTLE_PACKAGES=python3-pytest $(touch${IFS}x) ;id"}
	out, called, code := script(t, "prepare.sh", programs, env...)
	if code != 0 || !strings.Contains(called, "apt-get install -y -qq --no-install-recommends python3-pytest\n") || strings.Count(out, "is no name of a package") != 2 || !strings.Contains(out, "AppArmor forbids user namespaces") {
		t.Errorf("exit status %d\n%s\n%s", code, out, called)
	}
	profile, err := os.ReadFile(etc + "/apparmor.d/bwrap")
	if err != nil || !strings.Contains(string(profile), "profile bwrap /usr/bin/bwrap flags=(unconfined) {\n  userns,") {
		t.Errorf("the profile: %s %v", profile, err)
	}
	out, called, _ = script(t, "prepare.sh", programs, env[:2]...) // it works now
	if strings.Contains(called, "apparmor_parser") || strings.Contains(called, "apt-get") || out != "" {
		t.Errorf("where all is there it did\n%s\n%s", out, called)
	}
	programs["sudo"], programs["apparmor_parser"] = "exit 1", "exit 1"
	programs["bwrap"] = "exit 1"
	out, _, code = script(t, "prepare.sh", programs, "FETTLE_PROC="+proc, "FETTLE_ETC="+t.TempDir())
	if code != 0 || !strings.Contains(out, "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0") || !strings.Contains(out, "could not be written") {
		t.Errorf("without sudo: %d\n%s", code, out)
	}
	out, _, _ = script(t, "prepare.sh", programs, "FETTLE_PROC="+t.TempDir())
	if !strings.Contains(out, "leave container: out") {
		t.Errorf("in a container:\n%s", out)
	}
	delete(programs, "bwrap")
	delete(programs, "apt-get")
	if out, _, _ = script(t, "prepare.sh", programs); !strings.Contains(out, "not Debian or Ubuntu; install them in a step before: bubblewrap") {
		t.Errorf("elsewhere:\n%s", out)
	}
}

func TestS9AReleaseUsesItsOwnAction(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "fettle.yml")
	was, err := os.ReadFile("../.github/workflows/fettle.yml")
	if err == nil {
		err = os.WriteFile(file, was, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"", "main", "v1.2.3#x", "v1.2.3/../x"} {
		if out, err := exec.CommandContext(t.Context(), "../.ci/pin.sh", tag, file).CombinedOutput(); err == nil {
			t.Errorf("%q was taken: %s", tag, out)
		}
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, was) {
		t.Errorf("a wrong tag changed the file: %v", err)
	}
	if out, err := exec.CommandContext(t.Context(), "../.ci/pin.sh", "v1.2.3", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	now, err := os.ReadFile(file)
	if want := strings.ReplaceAll(string(was), "fettle-dev/fettle/actions@main", "fettle-dev/fettle/actions@v1.2.3"); err != nil || string(now) != want || want == string(was) {
		t.Errorf("%v\n%s", err, now)
	}
}

func TestS9FettleIsFoundOrBuilt(t *testing.T) {
	t.Parallel()
	output := filepath.Join(t.TempDir(), "output")
	own := filepath.Join(t.TempDir(), "fettle")
	if err := os.WriteFile(own, []byte("#!/bin/sh\necho fettle\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, _, code := script(t, "install.sh", nil, "GITHUB_OUTPUT="+output, "FETTLE_BINARY="+own); code != 0 {
		t.Errorf("%d\n%s", code, out)
	}
	here, temp := t.TempDir(), t.TempDir()
	build := `[ -d cmd/fettle ] && [ "$GOCACHE" = "$RUNNER_TEMP/fettle-bin/cache" ] && [ "$GOMODCACHE" = "$RUNNER_TEMP/fettle-bin/modules" ] || exit 1; out=$4; mkdir=/bin/mkdir; $mkdir -p "${out%/*}"; printf '#!/bin/sh\n' >"$out"; /bin/chmod +x "$out"`
	for _, dir := range []string{"actions", "cmd/fettle"} {
		if err := os.MkdirAll(filepath.Join(here, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out, called, code := script(t, "install.sh", map[string]string{"go": build}, "GITHUB_OUTPUT="+output, "GITHUB_ACTION_PATH="+here+"/actions", "RUNNER_TEMP="+temp)
	if code != 0 || !strings.Contains(called, "go build -trimpath -o "+temp+"/fettle-bin/fettle ./cmd/fettle") {
		t.Errorf("built: %d\n%s\n%s", code, out, called)
	}
	raw, err := os.ReadFile(output)
	if err != nil || string(raw) != "fettle="+own+"\nfettle="+temp+"/fettle-bin/fettle\n" {
		t.Errorf("%q %v", raw, err)
	}
	for name, env := range map[string][]string{"no Go": nil, "no program": {"FETTLE_BINARY=/nowhere"}, "two lines": {"FETTLE_BINARY=" + own + "\nx=y"}} {
		out, _, code := script(t, "install.sh", nil, append(env, "GITHUB_OUTPUT="+output+name, "GITHUB_ACTION_PATH="+here)...)
		if code != 1 || !strings.Contains(out, "::error title=fettle was not found::") {
			t.Errorf("%s: %d\n%s", name, code, out)
		}
	}
}
