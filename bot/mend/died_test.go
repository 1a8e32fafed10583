package mend

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// deadly ends every process of the sandbox when a condition holds.
const deadly = `
-- shop.py --
def due(net, paid):
    return net + paid


def rest(net, paid):
    return max(due(net, paid), 0)
-- test_shop.py --
import __main__
import os
import signal
import sys

from shop import due, rest


def end():
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, os.getpid()):
            try:
                os.kill(int(name), signal.SIGKILL)
            except OSError:
                pass
    os._exit(1)


def test_due():
    if CONDITION:
        end()
    assert due(10, 4) == 6


def test_rest():
    assert rest(0, 0) == 0


def test_more():
    assert due(10, 0) == 10
`

// TestR1AWorkerThatDiesWhileTracingCostsTheTrace: what the tests say when they
// fail is enough to look for the fault.
func TestR1AWorkerThatDiesWhileTracingCostsTheTrace(t *testing.T) {
	t.Parallel()
	p := project(t, strings.Replace(deadly, "CONDITION", "sys.gettrace() is not None", 1))
	p.task = task.Task{Title: "due() is wrong", Body: "due(10, 4) in shop.py gives 14, expected 6.", Mending: task.Mending{MaxCandidates: 60}}
	r := treat(t, p)
	if r.repair.Found == nil || !r.verdict.Green {
		t.Errorf("not mended: %s", r.row())
	}
}

// TestR1WorkersThatAlwaysDieAreAReason: a run goes on to its next tier.
func TestR1WorkersThatAlwaysDieAreAReason(t *testing.T) {
	t.Parallel()
	p := project(t, strings.Replace(deadly, "CONDITION", `hasattr(__main__, "Nursery")`, 1))
	p.task = task.Task{Title: "due() is wrong", Body: "due(10, 4) in shop.py gives 14, expected 6."}
	r := treat(t, p)
	if r.repair.Found != nil || !strings.Contains(r.repair.Reason, "the Python worker ended") {
		t.Errorf("want nothing found since the worker ended: %s", r.row())
	}
}
