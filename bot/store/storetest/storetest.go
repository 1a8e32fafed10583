// Package storetest is the conformance suite of bot/store: what the store
// promises, as tests that run against SQLite and against Postgres alike, and
// the means to have either for a test (SQLite, StartPostgres).
//
// It is imported by tests only. It must never lean on how a database keeps a
// promise, only on the store's exported methods.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Clock is a clock that stands until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock starts at a fixed time with a fraction of a microsecond, which must
// not survive storage.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600))}
}

// Now is the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock, backwards too.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Run runs the suite but for the tests of these names. fresh gives the address of a new
// database for each call.
func Run(t *testing.T, fresh func(testing.TB) string, without ...string) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *harness)
	}{
		{"I1DeliveryAnsweredIsStored", testAccept},
		{"F02SameDeliveryAHundredTimesAtOnce", testAcceptOnce},
		{"L7OneLiveRunPerIssueUnderAHundredAsks", testOneLiveRun},
		{"GenerationsCountAndDeliveriesAskOnce", testGenerations},
		{"F03RelabelledWhileCancellingRunsAgain", testFollow},
		{"ClaimIsFairBetweenRepositories", testFair},
		{"ClaimIsFairToWorkersThatClaimAtOnce", testFairTogether},
		{"ClaimGivesEachRunToOneWorker", testClaimRace},
		{"L02ALongQueueIsServedInTurnsThoughWorkersDie", testLongQueue},
		{"PrivateRunsAreTakenByTheirMakersOnly", testPrivate},
		{"F13StaleLeaseIsRefusedEverywhere", testFenced},
		{"F12ClockJumps", testClockJumps},
		{"ParkedRunsComeBack", testPark},
		{"CancelReachesEveryState", testCancel},
		{"DoneAbsorbs", testDone},
		{"L7StoredReplyIsNeverBoughtAgain", testMoney},
		{"L5BudgetIsNeverExceeded", testBudget},
		{"L5CapsOverSeveralRunsHold", testCaps},
		{"L6AWaitingRunHoldsNothingUntilItIsAnswered", testWaits},
		{"L8EffectsInOrderAndHistoryByInstallation", testEffects},
		{"PRINCIPLE9OnceOnly", testOnce},
		{"F01PrivateRunsOfDeadProcessesEnd", testKilled},
		{"S4CommitsAreKnownToEveryRunOfTheirRepository", testCommits},
		{"SecretsStayTheSame", testSecrets},
		{"X6AnInstallationIsForgottenInEveryTable", testForget},
		{"X6ARepositoryIsForgotten", testForgetRepo},
		{"O2EverythingIsCopiedAndCompared", testCopy},
		{"O5WhatIsOlderThanItIsKeptGoes", testTrim},
		{"S1ARenamedRepositoryKeepsItsRuns", testMoveRepo},
		{"S3CommandsOfAUserAreCounted", testCommandLimit},
		{"TurnsAreTakenByOneProcess", testTurns},
		{"I3ARunThatEndedWithoutAWordIsKnown", testUntold},
		{"S2ThePlaceInTheQueue", testPlace},
		{"OnceOnlyUnderConcurrentCalls", testOnceRace},
		{"H2HealTakesAResultInOnce", testHeal},
		{"H7OldMovesAndTurnsAreDropped", testPruned},
		{"M7LessonsAndTheirVersions", testLessons},
		{"M7LessonsOfOneRepositoryAreItsOwn", testLessonsApart},
		{"M7TeachersDoNotWriteOverEachOther", testTeachers},
		{"S13ResultsAreFoundByName", testResults},
		{"L8RecordInOrderAndAsJSONL", testJournal},
		{"EverythingSurvivesReopening", testReopen},
		{"ListsAndFilters", testLists},
		{"S11RunsInPagesWithinAScope", testCards},
		{"S11RunsOfAnOlderDatabaseHaveTitles", testTitles},
		{"S11TheSameAnswerTwiceIsOne", testAnswerTwice},
		{"S11DeliveriesInPagesAndGivenUpOnesAgain", testDeliveryList},
		{"S11LoginsEnd", testLogins},
		{"ForeignBytesAreStorable", testForeignBytes},
		{"I5NoSecretInAnyColumn", testNoSecret},
		{"I5SourceComesBackAsItWas", testSourceStays},
		{"O2TwoProcessesMigrateAtOnce", testMigrateTwice},
		{"O2ANewerSchemaIsWorkedOnOrRefused", testNewerSchema},
		{"WorkHandlesDeliveriesAndRuns", testWork},
		{"DeliveryIsRetriedThenMarkedFailed", testRetries},
		{"DeliveryPutOffDoesNotCountAsATry", testLater},
		{"HandlerPanicsTakeNothingDown", testPanics},
		{"F01KilledWorkersDeliveryIsTakenUpAgain", testAbandoned},
		{"F14WorkDrains", testDrain},
		{"ModelOfRuns", testModel},
		{"RepeatedEventsChangeNothing", testRepeats},
	} {
		if slices.Contains(without, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, &harness{T: t, Clock: NewClock(), url: fresh(t), another: fresh})
		})
	}
}

// harness is one database for one test.
type harness struct {
	*testing.T
	*Clock
	url     string
	another func(testing.TB) string // makes the address of one more database of the kind
}

// sibling is another database on the same clock.
func (h *harness) sibling(url string) *harness { return &harness{h.T, h.Clock, url, h.another} }

// open opens the store on the harness's clock and checks it when the test ends.
func (h *harness) open(change ...func(*store.Config)) *store.Store {
	h.Helper()
	cfg := store.Config{Now: h.Now, Log: quiet(), WorkerName: "test"}
	for _, f := range change {
		f(&cfg)
	}
	s, err := store.Open(h.Context(), h.url, cfg)
	h.must(err)
	h.Cleanup(func() {
		if err := s.Integrity(context.WithoutCancel(h.Context())); err != nil && !errors.Is(err, store.ErrClosed) && h.Context().Err() == nil {
			h.Errorf("I7: %v", err)
		}
		s.Close()
	})
	return s
}

func quiet() logrus.FieldLogger {
	l := logrus.New()
	l.SetLevel(logrus.PanicLevel)
	return l
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *harness) is(err, want error) {
	h.Helper()
	if !errors.Is(err, want) {
		h.Errorf("error %v, want %v", err, want)
	}
}

// patience is for machines that have much else to do.
const patience = time.Minute

// eventually polls until ok; for what a worker of another goroutine brings about.
func (h *harness) eventually(what string, ok func() bool) {
	h.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			h.Fatalf("in %v it did not come to pass that %s", patience, what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// ask is a run on an issue of a repository of installation 1.
func ask(id, repo string, issue int) store.NewRun {
	return store.NewRun{ID: id, Task: task.Task{
		Title: "it is broken", Origin: task.OriginLabel, Issue: issue,
		Repo: task.Repo{Installation: 1, Owner: "acme", Name: repo},
	}}
}

func (h *harness) create(s *store.Store, nr store.NewRun) task.Run {
	h.Helper()
	run, joined, err := s.CreateRun(h.Context(), nr)
	h.must(err)
	if joined {
		h.Fatalf("run %s joined %s", nr.ID, run.ID)
	}
	return run
}

func (h *harness) claim(s *store.Store) (*store.Lease, task.Run) {
	h.Helper()
	l, run, err := s.Claim(h.Context())
	h.must(err)
	if l == nil {
		h.Fatal("nothing to claim")
	}
	return l, run
}

func (h *harness) finish(s *store.Store, l *store.Lease, o task.Outcome) {
	h.Helper()
	h.must(s.Finish(h.Context(), l, task.Result{RunID: l.RunID, Outcome: o}, string(o)))
}

func (h *harness) state(s *store.Store, id string) task.State {
	h.Helper()
	r, err := s.Run(h.Context(), id)
	h.must(err)
	return r.State
}

// together calls f n times at once and waits for all.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

func name(prefix string, i int) string { return fmt.Sprintf("%s%03d", prefix, i) }
