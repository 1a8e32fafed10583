package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

// staleInTests is after what time a worker that does not answer is taken for dead here.
const staleInTests = 6 * time.Second

// cluster is a world on Postgres, whose processes have state folders of their own as
// on machines of their own.
type cluster struct {
	*world
	machines int
}

func newCluster(t *testing.T, files map[string]string, config string) *cluster {
	t.Helper()
	pg := storetest.StartPostgres(t)
	return &cluster{world: newWorld(t, files, config+"\ndatabase: "+pg.New(t)+"\n")}
}

// machine starts a process in a role on a machine of its own.
func (c *cluster) machine(role string, env ...string) (*server, string) {
	c.Helper()
	c.machines++
	state := filepath.Join(c.dir, fmt.Sprintf("machine%d", c.machines))
	return c.on(state, role, env...), state
}

func (c *cluster) on(state, role string, env ...string) *server {
	c.Helper()
	return c.start(append([]string{"FETTLE_ROLE=" + role, "FETTLE_STATE=" + state, "FETTLE_STALE=" + staleInTests.String()}, env...)...)
}

// TestO2ServersTakeInAndWorkersWorkOnAnyMachine: what one machine takes in another
// works on; killed there, a third goes on; and what the machines keep of the repository
// goes on all of them when the App is uninstalled (X6).
func TestO2ServersTakeInAndWorkersWorkOnAnyMachine(t *testing.T) {
	endToEnd(t)
	right := rightWeave(t)
	double, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: right} }, task.Tier1)
	c := newCluster(t, weaveFiles(), tiers)
	c.kills = 1
	c.spared = "delivery_accepted"
	door, _ := c.machine("door")
	n := c.ask(weaveTitle, weaveBody)
	c.must(c.sim.Settle(t.Context()))
	if got := c.runs(); len(got) != 0 {
		t.Fatalf("a server without workers began %d runs", len(got))
	}
	first, one := c.machine("worker", "FETTLE_FROZEN=", "FETTLE_SPARED="+c.spared+" job_claimed token_minted cloned saved_triaged saved_baseline saved_localised")
	<-first.done // at the first point that is left
	c.kills = 0
	c.swept = true
	second, two := c.machine("worker")
	c.until(2*time.Minute, "the run ends on another machine", c.ended)
	if r := c.runs(); len(r) != 1 || r[0].Outcome != task.Success {
		t.Fatalf("%+v\n%s", r, c.tail())
	}
	c.oracle(n)
	c.bookkeeping(c.runs()[0].ID, double)
	mirrors := func(state string) int {
		got, _ := filepath.Glob(filepath.Join(state, "checkouts", "mirrors", "*", "*.git"))
		return len(got)
	}
	if mirrors(one) != 1 || mirrors(two) != 1 {
		t.Fatalf("mirrors: %d and %d, want one on each machine", mirrors(one), mirrors(two))
	}
	c.must(c.sim.Uninstall(owner))
	c.must(c.sim.Settle(t.Context()))
	c.until(time.Minute, "the removal is known", func() bool {
		all, err := c.db.Removals(t.Context())
		c.must(err)
		return len(all) == 1
	})
	c.stop(second)
	second = c.on(two, "worker") // it deletes at its start
	c.until(time.Minute, "the rows are deleted", func() bool {
		all, err := c.db.Removals(t.Context())
		c.must(err)
		return len(all) == 0 && mirrors(two) == 0
	})
	back := c.on(one, "worker") // the machine comes back long after
	c.until(time.Minute, "the machine that was away has nothing left of it", func() bool { return mirrors(one) == 0 })
	for _, s := range []*server{back, second, door} {
		if code := c.stop(s); code != 0 {
			t.Errorf("exit status %d\n%s", code, c.tail())
		}
	}
}

// TestF13AWorkerThatWasStoppedPublishesNothing: it is stopped past its lease right
// before it acts outside; another ends the run; continued, it adds nothing.
func TestF13AWorkerThatWasStoppedPublishesNothing(t *testing.T) {
	points := []string{"testing", "committed", "branch_moved"}
	if testing.Short() {
		points = points[1:2]
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			endToEnd(t)
			right := rightWeave(t)
			double, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: right} }, task.Tier1)
			c := newCluster(t, weaveFiles(), tiers)
			c.kills = 1
			door, _ := c.machine("door", "FETTLE_KILLS=0")
			n := c.ask(weaveTitle, weaveBody)
			frozen, _ := c.machine("worker", "FETTLE_FROZEN="+point)
			c.until(time.Minute, "the worker stops", func() bool { return stopped(frozen.Process.Pid) })
			c.kills = 0
			other, _ := c.machine("worker")
			c.until(2*time.Minute, "the other ends the run", c.ended)
			published := c.sim.Snapshot(owner, "weave")
			c.must(frozen.Process.Signal(syscall.SIGCONT))
			c.until(time.Minute, "it has seen that it lost the run", func() bool {
				raw, err := os.ReadFile(c.log)
				c.must(err)
				return strings.Contains(string(raw), "stale") || strings.Contains(string(raw), "fenced")
			})
			for _, s := range []*server{frozen, other, door} {
				c.stop(s)
			}
			runs := c.runs()
			if len(runs) != 1 || runs[0].Outcome != task.Success {
				t.Fatalf("%+v\n%s", runs, c.tail())
			}
			after := c.oracle(n)
			if len(after.Pulls) != 1 || after.Pulls[0].HeadSHA != published.Pulls[0].HeadSHA || len(after.Issues[0].Comments) != len(published.Issues[0].Comments) {
				t.Errorf("it acted after it had lost the run: %+v, before %+v", after, published)
			}
			c.bookkeeping(runs[0].ID, double)
		})
	}
}

// stopped tells whether a process was stopped by a signal.
func stopped(pid int) bool {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(raw), ") ")
	return strings.HasPrefix(rest, "T")
}

// TestO2ARollingUpgradeLosesNothing: server and workers are replaced one by one while
// issues come in; each issue gets its one pull request. FETTLE_OLD is this package's test
// binary of an older version (go test -c), to be replaced by this one; without it a version
// replaces itself.
func TestO2ARollingUpgradeLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: it is in the long form; TestPostgres/O2ANewerSchemaIsWorkedOnOrRefused and TestO2ServersTakeInAndWorkersWorkOnAnyMachine stand for it in the quick one")
	}
	heavy(t)
	right := rightWeave(t)
	_, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: right} }, task.Tier1)
	c := newCluster(t, weaveFiles(), tiers)
	c.program = os.Getenv("FETTLE_OLD")
	var procs []*server
	var states, roles []string
	for _, role := range []string{"door", "worker", "worker"} {
		s, state := c.machine(role)
		procs, states, roles = append(procs, s), append(states, state), append(roles, role)
	}
	var issues []int
	ask := func() {
		issues = append(issues, c.ask(fmt.Sprintf("%s (%d)", weaveTitle, len(issues)+1), weaveBody))
		c.must(c.sim.Settle(t.Context())) // an accepted delivery, from here on
	}
	ask()
	c.program = ""
	for i := range procs {
		ask()
		ask()
		c.until(time.Minute, "a run is under way", func() bool {
			for _, r := range c.runs() {
				if r.State == task.StateRunning {
					return true
				}
			}
			return c.ended()
		})
		if code := c.stop(procs[i]); code != 0 {
			t.Errorf("%s: exit status %d\n%s", roles[i], code, c.tail())
		}
		procs[i] = c.on(states[i], roles[i])
	}
	c.until(5*time.Minute, "every run ends", func() bool { return c.ended() && len(c.runs()) == len(issues) })
	for _, s := range procs {
		c.stop(s)
	}
	for _, r := range c.runs() {
		if r.Outcome != task.Success {
			t.Errorf("run %s ended with %s: %s", r.ID, r.Outcome, r.Reason)
		}
	}
	heads := map[string]int{}
	for _, p := range c.sim.Snapshot(owner, "weave").Pulls {
		heads[p.Head]++
	}
	if len(heads) != len(issues) || len(c.runs()) != len(issues) {
		t.Errorf("%d issues, %d runs, pull requests of %v\n%s", len(issues), len(c.runs()), heads, c.tail())
	}
	c.noneLeft()
	c.must(c.db.Integrity(t.Context()))
}

// TestF01ProcessesAreKilledAtRandom: servers and workers die at moments that nobody
// chose, as often as FETTLE_FAULT_RANDOM says (make fault: 500), while issues come in; every issue gets its
// one pull request, or the word that the process died too often over it.
func TestF01ProcessesAreKilledAtRandom(t *testing.T) {
	kills := 20
	if s := os.Getenv("FETTLE_FAULT_RANDOM"); s != "" {
		var err error
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatalf("FETTLE_FAULT_RANDOM: %v", err)
		}
	} else if testing.Short() {
		t.Skip("not run: it is in the long form; TestF01KilledAtEachPoint and TestO2ServersTakeInAndWorkersWorkOnAnyMachine stand for it in the quick one")
	}
	for name, roles := range map[string][]string{"Postgres": {"door", "worker", "worker"}, "SQLite": {"serve"}} {
		t.Run(name, func(t *testing.T) {
			heavy(t)
			right := rightWeave(t)
			_, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: right} }, task.Tier1)
			c := &cluster{}
			if name == "Postgres" {
				c = newCluster(t, weaveFiles(), tiers)
			} else {
				c.world = newWorld(t, weaveFiles(), tiers)
			}
			c.dieAtRandom(kills, roles)
		})
	}
}

func (c *cluster) dieAtRandom(kills int, roles []string) {
	c.Helper()
	seed := uint64(time.Now().UnixNano())
	c.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	begin := func(i int) *server {
		if roles[i] == "serve" {
			return c.start()
		}
		return c.on(filepath.Join(c.dir, fmt.Sprintf("machine%d", i+1)), roles[i])
	}
	var procs []*server
	for i := range roles {
		procs = append(procs, begin(i))
	}
	var issues []int
	for range kills {
		if c.ended() || len(issues) == 0 {
			issues = append(issues, c.ask(fmt.Sprintf("%s (%d)", weaveTitle, len(issues)+1), weaveBody))
			c.must(c.sim.Settle(c.Context())) // an accepted delivery, from here on
		}
		time.Sleep(time.Duration(200+random.IntN(3000)) * time.Millisecond) // when it dies is what is random
		i := random.IntN(len(roles))
		_ = procs[i].Process.Kill()
		<-procs[i].done
		procs[i] = begin(i)
	}
	c.must(c.sim.Settle(c.Context()))
	c.until(5*time.Minute, "every run ends", func() bool { return c.ended() && len(c.runs()) >= len(issues) })
	for _, s := range procs {
		c.stop(s)
	}
	c.Logf("%d kills, %d issues, %d runs", kills, len(issues), len(c.runs()))
	mended := 0
	for _, r := range c.runs() {
		switch {
		case r.State != task.StateDone:
			c.Errorf("I3: run %s is %s", r.ID, r.State)
		case r.Outcome == task.Success:
			mended++
		case !strings.Contains(r.Reason, "died"): // the one server died too often over it
			c.Errorf("I3: run %s ended with %s: %s", r.ID, r.Outcome, r.Reason)
		}
	}
	perIssue := map[string]int{}
	for _, p := range c.sim.Snapshot(owner, "weave").Pulls {
		perIssue[p.Head]++
	}
	for branch, n := range perIssue {
		if n > 1 {
			c.Errorf("I2: %d pull requests of %s", n, branch)
		}
	}
	if len(c.runs()) != len(issues) || len(perIssue) != mended {
		c.Errorf("I1: of %d issues %d have a run, %d of them a pull request, %d are mended\n%s", len(issues), len(c.runs()), len(perIssue), mended, c.tail())
	}
	c.noneLeft()
	if err := c.db.Integrity(c.Context()); err != nil {
		c.Errorf("I7: %v", err)
	}
}

// TestO2AServerOnAnOlderCopyDoublesNothing: the database is brought back to a moment
// before the pull request; the run is done once more, and finds what it published.
func TestO2AServerOnAnOlderCopyDoublesNothing(t *testing.T) {
	endToEnd(t)
	right := rightWeave(t)
	_, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: right} }, task.Tier1)
	w := newWorld(t, weaveFiles(), tiers)
	w.kills, w.spared = 1, "delivery_accepted job_claimed token_minted cloned saved_triaged saved_baseline saved_localised prompt_sent"
	s := w.start()
	n := w.ask(weaveTitle, weaveBody)
	w.must(w.sim.Settle(t.Context()))
	<-s.done // killed when the answer is stored
	w.kills = 0
	backup := filepath.Join(w.dir, "backup.db")
	copied := func(from, to string) {
		t.Helper()
		w.must(os.RemoveAll(to))
		if out, err := exec.Command("fettle", "--config", w.config, "store", "copy", "--from", from, "--to", to).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	copied(w.database(), backup)
	s = w.start()
	w.until(2*time.Minute, "the run ends", w.ended)
	w.stop(s)
	first := w.sim.Snapshot(owner, "weave")
	w.must(w.db.Close())
	for _, end := range []string{"", "-wal", "-shm"} {
		w.must(os.RemoveAll(w.database() + end))
	}
	copied(backup, w.database())
	var err error
	w.db, err = store.Open(t.Context(), w.database(), store.Config{})
	w.must(err)
	if w.ended() {
		t.Fatal("the older copy knows of the end")
	}
	s = w.start()
	w.until(2*time.Minute, "the run ends again", w.ended)
	w.stop(s)
	again := w.oracle(n)
	if len(first.Pulls) != 1 || len(again.Pulls) != 1 || len(again.Issues[0].Comments) != len(first.Issues[0].Comments) {
		t.Errorf("before %+v\nafter %+v", first, again)
	}
}
