package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

const modelStale = time.Minute

// modelRun is what a run is, in as few words as tell every answer of the store.
type modelRun struct {
	id, repo           string
	issue, generation  int
	private, cancelled bool
	state              task.State
	outcome            task.Outcome
	token              int64
	began              bool
	ending             bool // it was claimed after its cancel
	beat, notBefore    time.Time
	position           int
	follow             string
}

// model is the store as a few maps; the store must agree with it on everything.
type model struct {
	h        *harness
	s        *store.Store
	rt       *rapid.T
	ctx      context.Context
	tag      string // makes ids of this example unique on the shared database
	runs     []*modelRun
	leases   []*store.Lease
	served   map[string]int
	known    []string
	turn, no int
}

func testModel(t *testing.T, h *harness) {
	s := h.open()
	example := 0
	rapid.Check(t, func(rt *rapid.T) {
		example++
		m := &model{h: h, s: s, rt: rt, ctx: t.Context(), tag: fmt.Sprintf("e%d", example), served: map[string]int{}}
		defer m.clear()
		rt.Repeat(map[string]func(*rapid.T){
			"":          m.check,
			"create":    m.create,
			"claim":     m.claim,
			"claimRun":  m.claimRun,
			"heartbeat": m.heartbeat,
			"save":      m.save,
			"park":      m.park,
			"release":   m.release,
			"finish":    m.finish,
			"cancel":    m.cancel,
			"sweep":     m.sweep,
			"time":      m.time,
		})
	})
}

// clear ends everything, so that the next example finds nothing to claim.
func (m *model) clear() {
	for range 2 { // a follow-up may come of the first round
		for _, r := range m.all() {
			if r.State == task.StateDone {
				continue
			}
			m.h.Advance(2 * modelStale)
			if l, _, err := m.s.ClaimRun(m.ctx, r.ID); err == nil {
				if err := m.s.Finish(m.ctx, l, task.Result{Outcome: task.Error}, "cleared"); err != nil {
					m.rt.Error(err)
				}
			}
		}
	}
}

func (m *model) all() []task.Run {
	runs, err := m.s.Runs(m.ctx, store.Filter{Installation: m.installation(), Limit: 1000})
	if err != nil {
		m.rt.Fatal(err)
	}
	return runs
}

func (m *model) installation() int64 {
	var n int64
	if _, err := fmt.Sscanf(m.tag, "e%d", &n); err != nil {
		m.rt.Fatal(err)
	}
	return n
}

func (m *model) create(rt *rapid.T) {
	m.no++
	r := &modelRun{
		id: fmt.Sprintf("%s-r%03d", m.tag, m.no), repo: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "repo"),
		issue: rapid.IntRange(0, 3).Draw(rt, "issue"), private: rapid.IntRange(0, 4).Draw(rt, "private") == 0,
	}
	run, joined, err := m.s.CreateRun(m.ctx, m.ask(r))
	if err != nil {
		rt.Fatal(err)
	}
	if live := m.live(r.repo, r.issue); live != nil {
		if live.cancelled {
			live.follow = r.id
			if r.private {
				live.follow = "private " + r.id
			}
		}
		if !joined || run.ID != live.id {
			rt.Fatalf("asked for %s#%d: got %s, joined %v; live is %s", r.repo, r.issue, run.ID, joined, live.id)
		}
		m.arrive(r.repo)
		return
	}
	m.add(r)
	if joined || run.ID != r.id || run.Task.Generation != r.generation {
		rt.Fatalf("created %s generation %d, joined %v; want %s generation %d", run.ID, run.Task.Generation, joined, r.id, r.generation)
	}
}

func (m *model) ask(r *modelRun) store.NewRun {
	nr := store.NewRun{ID: r.id, Task: task.Task{Origin: task.OriginLabel, Issue: r.issue, Repo: task.Repo{Installation: m.installation(), Owner: m.tag, Name: r.repo}}}
	if r.private {
		nr.Task.Origin = task.OriginCLI
	}
	return nr
}

func (m *model) arrive(repo string) int {
	if !slices.Contains(m.known, repo) {
		m.known = append(m.known, repo)
		m.served[repo] = 0
	}
	m.no++
	return m.no
}

func (m *model) add(r *modelRun) {
	r.position, r.state, r.generation = m.arrive(r.repo), task.StateQueued, 1
	if r.issue > 0 {
		for _, o := range m.runs {
			if o.repo == r.repo && o.issue == r.issue {
				r.generation++
			}
		}
	}
	m.runs = append(m.runs, r)
}

func (m *model) live(repo string, issue int) *modelRun {
	for _, r := range m.runs {
		if r.repo == repo && r.issue == issue && issue > 0 && r.state != task.StateDone {
			return r
		}
	}
	return nil
}

// next is the run that fairness demands.
func (m *model) next() *modelRun {
	var best *modelRun
	for _, r := range m.runs {
		if r.state != task.StateQueued || r.private {
			continue
		}
		if best == nil || m.served[r.repo] < m.served[best.repo] ||
			m.served[r.repo] == m.served[best.repo] && r.repo != best.repo && slices.Index(m.known, r.repo) < slices.Index(m.known, best.repo) ||
			r.repo == best.repo && r.position < best.position {
			best = r
		}
	}
	return best
}

func (m *model) take(r *modelRun, l *store.Lease) {
	m.turn++
	m.served[r.repo] = m.turn
	r.state, r.began, r.ending, r.beat = task.StateRunning, true, r.cancelled, m.h.Now()
	r.token++
	if l.Token != r.token {
		m.rt.Fatalf("token %d, want %d", l.Token, r.token)
	}
	m.leases = append(m.leases, l)
}

func (m *model) claim(rt *rapid.T) {
	want := m.next()
	l, run, err := m.s.Claim(m.ctx)
	if err != nil {
		rt.Fatal(err)
	}
	if want == nil || l == nil {
		if want != nil || l != nil {
			rt.Fatalf("claimed %v %s, want %+v", l, run.ID, want)
		}
		return
	}
	if run.ID != want.id {
		rt.Fatalf("claimed %s, it is the turn of %s", run.ID, want.id)
	}
	m.take(want, l)
}

func (m *model) claimRun(rt *rapid.T) {
	if len(m.runs) == 0 {
		return
	}
	r := rapid.SampledFrom(m.runs).Draw(rt, "run")
	l, _, err := m.s.ClaimRun(m.ctx, r.id)
	var want error
	switch {
	case r.state == task.StateDone:
		want = store.ErrDone
	case r.state == task.StateRunning && !m.stale(r):
		want = store.ErrHeld
	case r.state == task.StateRunning:
		r.token++ // taken from a holder that is gone
	}
	if !errors.Is(err, want) {
		rt.Fatalf("claim of %s in state %s: %v, want %v", r.id, r.state, err, want)
	}
	if want == nil {
		m.take(r, l)
	}
}

func (m *model) stale(r *modelRun) bool {
	age := m.h.Now().Sub(r.beat)
	return age > modelStale || -age > modelStale
}

// with calls f with a lease drawn from all that were ever given out and
// demands ErrFenced exactly when it is not the run's newest.
func (m *model) with(rt *rapid.T, f func(*modelRun, *store.Lease) error, then func(*modelRun)) {
	if len(m.leases) == 0 {
		return
	}
	l := rapid.SampledFrom(m.leases).Draw(rt, "lease")
	r := m.runs[slices.IndexFunc(m.runs, func(r *modelRun) bool { return r.id == l.RunID })]
	good := r.state == task.StateRunning && r.token == l.Token
	err := f(r, l)
	if good && err != nil || !good && !errors.Is(err, store.ErrFenced) {
		rt.Fatalf("lease %d on %s (%s, token %d): %v", l.Token, r.id, r.state, r.token, err)
	}
	if good {
		then(r)
	}
}

func (m *model) heartbeat(rt *rapid.T) {
	m.with(rt, func(r *modelRun, l *store.Lease) error {
		reason, err := m.s.Heartbeat(m.ctx, l)
		if err == nil && (reason != "") != r.cancelled {
			rt.Fatalf("heartbeat of %s says %q, cancelled is %v", r.id, reason, r.cancelled)
		}
		return err
	}, func(r *modelRun) { r.beat = m.h.Now() })
}

func (m *model) save(rt *rapid.T) {
	m.with(rt, func(r *modelRun, l *store.Lease) error {
		return m.s.SaveState(m.ctx, l, task.RunState{Phase: fmt.Sprint(l.Token)})
	}, func(*modelRun) {})
}

func (m *model) park(rt *rapid.T) {
	until := m.h.Now().Add(time.Duration(rapid.IntRange(-1, 5).Draw(rt, "minutes")) * time.Minute)
	m.with(rt, func(r *modelRun, l *store.Lease) error { return m.s.Park(m.ctx, l, until, "wait") }, func(r *modelRun) {
		r.state, r.notBefore = task.StateParked, until
		if r.cancelled && !r.ending {
			r.state = task.StateQueued
		}
	})
}

func (m *model) release(rt *rapid.T) {
	m.with(rt, func(r *modelRun, l *store.Lease) error { return m.s.Release(m.ctx, l) },
		func(r *modelRun) { r.state = task.StateQueued })
}

func (m *model) finish(rt *rapid.T) {
	outcome := rapid.SampledFrom([]task.Outcome{task.Success, task.Cancelled, task.Impasse}).Draw(rt, "outcome")
	m.with(rt, func(r *modelRun, l *store.Lease) error {
		return m.s.Finish(m.ctx, l, task.Result{Outcome: outcome}, "ended")
	}, func(r *modelRun) {
		r.state, r.outcome = task.StateDone, outcome
		if r.follow != "" && outcome == task.Cancelled {
			id, private := strings.CutPrefix(r.follow, "private ")
			m.add(&modelRun{id: id, repo: r.repo, issue: r.issue, private: private})
		}
	})
}

func (m *model) cancel(rt *rapid.T) {
	if len(m.runs) == 0 {
		return
	}
	r := rapid.SampledFrom(m.runs).Draw(rt, "run")
	if err := m.s.AskCancel(m.ctx, r.id, "stop"); err != nil {
		rt.Fatal(err)
	}
	if r.state == task.StateDone {
		return
	}
	r.cancelled, r.follow = true, ""
	if r.state == task.StateParked {
		r.state = task.StateQueued
	}
	if r.state == task.StateQueued && !r.began {
		r.state, r.outcome = task.StateDone, task.Cancelled
	}
}

func (m *model) sweep(rt *rapid.T) {
	want := 0
	for _, r := range m.runs {
		switch {
		case r.state == task.StateRunning && m.stale(r):
			r.token++
			r.state = task.StateQueued
			want++
		case r.state == task.StateParked && !r.notBefore.After(m.h.Now()):
			r.state = task.StateQueued
			want++
		}
	}
	if n, err := m.s.Sweep(m.ctx, modelStale); err != nil || n != want {
		rt.Fatalf("swept %d %v, want %d", n, err, want)
	}
}

func (m *model) time(rt *rapid.T) {
	m.h.Advance(rapid.SampledFrom([]time.Duration{time.Second, 30 * time.Second, 61 * time.Second, time.Hour, -time.Hour}).Draw(rt, "by"))
}

// check compares every run with its model, and each step with the table.
func (m *model) check(rt *rapid.T) {
	got := map[string]task.Run{}
	for _, r := range m.all() {
		got[r.ID] = r
	}
	if len(got) != len(m.runs) {
		rt.Fatalf("%d runs, want %d", len(got), len(m.runs))
	}
	for _, r := range m.runs {
		g := got[r.id]
		if g.State != r.state || g.Outcome != r.outcome || g.CancelAsked != r.cancelled || g.Task.Generation != r.generation || g.StartedAt.IsZero() == r.began {
			rt.Fatalf("%s is %s/%s cancel %v generation %d started %v, want %+v", r.id, g.State, g.Outcome, g.CancelAsked, g.Task.Generation, g.StartedAt, *r)
		}
	}
}

// testRepeats: deliveries handled in any order with any repeats make the same
// runs as handled once.
func testRepeats(t *testing.T, h *harness) {
	s, ctx, example := h.open(), t.Context(), 0
	rapid.Check(t, func(rt *rapid.T) {
		example++
		issues := rapid.SliceOfN(rapid.IntRange(1, 3), 1, 6).Draw(rt, "issue of each delivery")
		order := rapid.SliceOfN(rapid.IntRange(0, len(issues)-1), 0, 12).Draw(rt, "repeats")
		order = append(order, rapid.Permutation(indexes(len(issues))).Draw(rt, "order")...)
		order = rapid.Permutation(order).Draw(rt, "interleaved")
		answers := map[int]string{}
		for n, d := range order {
			nr := store.NewRun{ID: fmt.Sprintf("x%d-%d", example, n), Delivery: fmt.Sprintf("x%d-d%d", example, d), Task: task.Task{Issue: issues[d],
				Repo: task.Repo{Installation: int64(example), Owner: "o", Name: "n"}}}
			run, _, err := s.CreateRun(ctx, nr)
			if err != nil {
				rt.Fatal(err)
			}
			if before, ok := answers[d]; ok && before != run.ID {
				rt.Fatalf("delivery %d was answered with %s, then with %s", d, before, run.ID)
			}
			answers[d] = run.ID
		}
		runs, err := s.Runs(ctx, store.Filter{Installation: int64(example)})
		if err != nil {
			rt.Fatal(err)
		}
		slices.Sort(issues)
		want := slices.Compact(slices.Clone(issues))
		var got []int
		for _, r := range runs {
			got = append(got, r.Task.Issue)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			rt.Fatalf("runs on issues %v, want one on each of %v", got, want)
		}
	})
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
