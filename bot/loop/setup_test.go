package loop_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// withDep is a repository whose tests need a package that it does not hold.
func withDep() map[string]string {
	files := maps.Clone(weave)
	files["test_weave.py"] = "import takes_turns_dep\n\n" + tests
	files["requirements.txt"] = "takes-turns-dep==1\n"
	return files
}

// installDep is a setup command that needs no network.
const installDep = `d=$(python3 -c 'import site; print(site.getusersitepackages())'); mkdir -p $d; echo "x = 1" > $d/takes_turns_dep.py`

// setUp runs a bench's task with setup commands, which may run offline.
func (b *bench) setUp(t *testing.T, commands ...string) task.Result {
	t.Helper()
	session := boxed.Session()
	prep, err := prepare.New(prepare.Config{Dir: filepath.Join(t.TempDir(), "setups"), Offline: true, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	setup := prep.For(session)
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := setup.Close(); err != nil {
			t.Error(err)
		}
	})
	roles, err := agent.New(agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	verifier := verify.New(verify.Config{Sandbox: session, Log: quiet()})
	engine := loop.New(loop.Config{
		Verifier: verifier, Mender: mend.New(mend.Config{Sandbox: session, Verifier: verifier, Log: quiet(), MaxCandidates: 40, Workers: 1}),
		Developer: roles.Developer, Models: model.New(model.Config{}), Setup: setup, Sandbox: "test", Log: quiet(), Now: b.now,
	})
	res, err := engine.Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, State: b.journal.State, Journal: b.journal, Setup: commands, DefaultBranch: true})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestC1TestsFindWhatTheSetupInstalled(t *testing.T) {
	t.Parallel()
	b := newBench(t, withDep(), nil)
	res := b.setUp(t, installDep)
	// Without a model nothing mends this; but the tests ran.
	if res.Outcome == task.Rejected || strings.Contains(res.Reason, "setup") || b.journal.State.Setup != "" {
		t.Fatalf("%s: %s", res.Outcome, res.Reason)
	}
	if len(res.Attempts) == 0 {
		t.Errorf("nothing was tried: %s", res.Reason)
	}
	var said []string
	for _, d := range b.journal.Decisions {
		if d.Kind == "setup" {
			said = append(said, d.Reason)
		}
	}
	if len(said) != 1 || said[0] != string(prepare.Done) {
		t.Errorf("the record says %q of the setup", said)
	}
}

func TestC1AFailedSetupIsNamedInTheOutcome(t *testing.T) {
	t.Parallel()
	b := newBench(t, withDep(), nil)
	res := b.setUp(t, "echo no such index here; exit 4")
	for _, want := range []string{"no test could be run", "setup failed: `echo no such index here; exit 4` ended with status 4", "It printed last:\nno such index here"} {
		if res.Outcome != task.Rejected || !strings.Contains(res.Reason, want) {
			t.Errorf("%s without %q: %s", res.Outcome, want, res.Reason)
		}
	}
}

func TestC1ASetupThatIsNotDoneIsToldWithTheWayOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, withDep(), nil)
	res := b.setUp(t) // nothing named: pip is detected, and no host is allowed
	for _, want := range []string{"no test could be run", "setup was not done", "pip install -r requirements.txt", "setup.allow"} {
		if res.Outcome != task.Rejected || !strings.Contains(res.Reason, want) {
			t.Errorf("%s without %q: %s", res.Outcome, want, res.Reason)
		}
	}
	named := newBench(t, weave, nil)
	res, err := named.engine.Run(t.Context(), loop.Input{RunID: "r1", Task: named.task, Tree: named.tree, Journal: named.journal, Setup: []string{"make deps"}})
	if err != nil || !strings.Contains(res.Reason, "setup was not done: nothing here runs setup commands") {
		t.Errorf("%v %s: %s", err, res.Outcome, res.Reason)
	}
}

// What somebody installed in the folder serves the tests and the search for a repair,
// the copies of which are put right between candidates: a package that is only imported
// when the function runs is still there.
func TestC1AVirtualEnvironmentOfTheFolderServesTestsAndRepair(t *testing.T) {
	t.Parallel()
	version, err := exec.CommandContext(t.Context(), "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").Output()
	if err != nil {
		t.Skipf("SKIPPED: python3: %v", err)
	}
	site := ".venv/lib/python" + strings.TrimSpace(string(version)) + "/site-packages/"
	b := newBench(t, map[string]string{
		"calc.py":                       "def add(a, b):\n    import takes_turns_dep\n    return takes_turns_dep.same(a - b)\n",
		"test_calc.py":                  "import unittest\n\nimport calc\n\n\nclass Add(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n",
		"requirements.txt":              "takes-turns-dep==1\n",
		".venv/pyvenv.cfg":              "home = /usr/bin\n",
		site + "takes_turns_dep.py":     "def same(x):\n    return x\n",
		"web/node_modules/dep/index.js": "x\n",
	}, nil)
	b.task.Title, b.task.Body = "calc.add(1, 2) gives -1", "`calc.add(1, 2)` should give `3`, test_add in test_calc.py fails."
	res := b.setUp(t)
	if len(res.Attempts) == 0 || !strings.Contains(res.Diff, "a + b") {
		t.Errorf("%s: %s\n%s", res.Outcome, res.Reason, res.Diff)
	}
	if strings.Contains(res.Diff, "venv") || strings.Contains(res.Diff, "node_modules") {
		t.Errorf("what is installed is part of the change:\n%s", res.Diff)
	}
}
