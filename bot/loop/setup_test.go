package loop_test

import (
	"maps"
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
		Verifier: verifier, Mender: mend.New(mend.Config{Sandbox: session, Verifier: verifier, Log: quiet(), MaxCandidates: 10}),
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
