package heal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// The classes of tasks: a run that makes a pull request, and one that goes on with it.
const (
	ClassFix    = "fix"
	ClassFollow = "follow-up"
)

// classLearned is the key of a repository's learned data.
const classLearned = "learned"

// everything is the key of the global scope.
var everything store.HealKey

// WorkflowOf is the workflow that a task belongs to.
func WorkflowOf(t task.Task) store.HealKey {
	class := ClassFix
	if t.Follow != nil {
		class = ClassFollow
	}
	return workflow(t.Repo.Installation, t.Repo.Slug(), class)
}

func workflow(installation int64, repo, class string) store.HealKey {
	return store.HealKey{Installation: installation, Repo: strings.ToLower(repo), Class: class}
}

// Config is what heal is made of.
type Config struct {
	Store   *store.Store
	Policy  *Policy
	Learned Learned // nil: nothing is learned
	Now     func() time.Time
	Log     logrus.FieldLogger
}

// Heal keeps the breakers. It is safe for concurrent use, and several processes may
// keep them on one store.
type Heal struct {
	cfg   Config
	mu    sync.Mutex
	spent map[string]*Latency
}

// New returns heal on a store.
func New(cfg Config) *Heal {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Heal{cfg: cfg, spent: map[string]*Latency{}}
}

// Move is a change of a state, or of the learned data, with its mini report.
type Move struct {
	ID           string       `json:"id"`
	Installation int64        `json:"installation,omitempty"`
	Repo         string       `json:"repo,omitempty"` // "": everything
	Class        string       `json:"class,omitempty"`
	From         State        `json:"from"`
	To           State        `json:"to"`
	Cause        Cause        `json:"cause"`
	At           time.Time    `json:"at"`
	Lasted       float64      `json:"lasted_seconds,omitempty"` // of the state that it left
	Run          string       `json:"run,omitempty"`
	Step         string       `json:"step,omitempty"`
	Trigger      task.Trigger `json:"trigger,omitempty"`
	Words        string       `json:"words,omitempty"`
	By           string       `json:"by,omitempty"`       // who released
	Failures     int          `json:"failures,omitempty"` // in the window
	InARow       int          `json:"in_a_row,omitempty"` // of the step
}

// Cause of a move of the learned data: From and To are its versions.
const RolledBack Cause = "runs end worse"

// Place names what a move is about.
func (m Move) Place() string { return place(m.Repo, m.Class) }

func place(repo, class string) string {
	if repo == "" {
		return "everything"
	}
	return repo + " (" + class + ")"
}

// Report is the mini report of a trip, in a line.
func (m Move) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s → %s, %s", m.Place(), m.From, m.To, m.Cause)
	if m.Failures > 0 {
		fmt.Fprintf(&b, "; %s in the window", task.Count(m.Failures, "failure"))
	}
	if m.InARow > 0 {
		fmt.Fprintf(&b, ", %d in a row at %s", m.InARow, m.Step)
	}
	if m.Trigger != "" {
		fmt.Fprintf(&b, "; the last: %s at %s", m.Trigger, m.Step)
		if m.Run != "" {
			fmt.Fprintf(&b, " of run %s", m.Run)
		}
	}
	if m.By != "" {
		fmt.Fprintf(&b, "; by %s", m.By)
	}
	return b.String()
}

// Held is a workflow, or everything, that is stopped.
type Held struct {
	State State
	Case  string // the move that stopped it
	Words string
}

func (h *Held) Error() string { return h.Words }

func held(key store.HealKey, s Scope) *Held {
	if s.State == Paused {
		return &Held{Paused, s.Case, fmt.Sprintf("fettle is paused everywhere after too many failures (case %s), and goes on when its operator says 'fettle health release --global'", s.Case)}
	}
	return &Held{Quarantined, s.Case, fmt.Sprintf("the %s runs of %s are quarantined after repeated failures (case %s)", key.Class, key.Repo, s.Case)}
}

// ShouldRun says how careful the next step of a workflow has to be, or that it may not
// be made: *Held.
func (h *Heal) ShouldRun(ctx context.Context, key store.HealKey) (task.Care, error) {
	defer h.took("should_run", time.Now())
	scopes, err := h.read(ctx, key, everything)
	if err != nil {
		return task.Care{}, err
	}
	policy := h.cfg.Policy.Get()
	for _, k := range []store.HealKey{everything, key} {
		if s := scopes[k]; s.State == Paused || s.State == Quarantined {
			return task.Care{}, held(k, s)
		}
	}
	s := scopes[key]
	if s.State == Healthy {
		return task.Care{Confidence: policy.Confidence}, nil
	}
	why := fmt.Sprintf("fettle is in degraded mode for this repository after %d failures in a row (case %s): all checks are run in full and every change is a draft until %d changes were validated", policy.Step.InARow, s.Case, policy.Degraded.Successes)
	if s.State == Recovering {
		why = fmt.Sprintf("fettle is recovering from a quarantine of this repository (case %s): it works as in degraded mode until %d changes were validated", s.Case, policy.Recovering.Successes)
	}
	return task.Care{Confidence: policy.Degraded.Confidence, Why: why}, nil
}

// Learning tells whether runs of a workflow may add to what is learned.
func (h *Heal) Learning(ctx context.Context, key store.HealKey) (bool, error) {
	scopes, err := h.read(ctx, key, everything)
	return err == nil && scopes[key].State == Healthy && scopes[everything].State == Healthy, err
}

func (h *Heal) read(ctx context.Context, keys ...store.HealKey) (map[store.HealKey]Scope, error) {
	docs, err := h.cfg.Store.HealDocs(ctx, keys...)
	if err != nil {
		return nil, err
	}
	return scopesOf(docs, keys)
}

func scopesOf(docs map[store.HealKey]json.RawMessage, keys []store.HealKey) (map[store.HealKey]Scope, error) {
	out := map[store.HealKey]Scope{}
	for _, k := range keys {
		s := fresh()
		if raw, ok := docs[k]; ok {
			if err := json.Unmarshal(raw, &s); err != nil {
				return nil, fmt.Errorf("reading the state of %s: %w", place(k.Repo, k.Class), err)
			}
		}
		out[k] = s
	}
	return out, nil
}

// OnResult takes what became of a step of a workflow, once for each id, and gives the
// moves that it caused.
func (h *Heal) OnResult(ctx context.Context, key store.HealKey, r Result) ([]Move, error) {
	defer h.took("on_result", time.Now())
	keys := []store.HealKey{key}
	if r.Trigger != "" {
		keys = append(keys, everything)
	} else {
		scopes, err := h.read(ctx, key)
		if err != nil || scopes[key].idle(r) {
			return nil, err
		}
	}
	policy := h.cfg.Policy.Get()
	if r.Installation = key.Installation; r.Trigger != "" {
		others, err := h.cfg.Store.Others(ctx, r.Installation)
		if err != nil {
			return nil, err
		}
		if !others { // nobody else is stopped by what it does
			policy.Global.Installation = 0
		}
	}
	stopped := false
	row := store.HealResult{ID: r.ID, Key: key, Run: r.Run, Step: r.Step, Cause: string(r.Trigger), Words: r.Words}
	return h.change(ctx, row, keys, func(k store.HealKey, s *Scope, now time.Time) *Move {
		before := *s
		apply, window := s.Apply, policy.Workflow.Window
		if k == everything {
			if stopped { // what still runs down there says nothing of the rest
				return nil
			}
			apply, window = s.ApplyGlobal, policy.Global.Window
		} else {
			stopped = s.State == Quarantined
		}
		inARow := before.InARow[r.Step] + 1
		cause := apply(policy, r, now)
		if cause == "" {
			return nil
		}
		m := &Move{Cause: cause, Run: r.Run, Step: r.Step, Trigger: r.Trigger, Words: r.Words}
		if r.Trigger != "" {
			m.Failures = s.Recent(now, window)
		}
		if cause == StepTrip {
			m.InARow = inARow
		}
		return m
	})
}

// change applies f to each scope in one transaction, and keeps what it moved.
func (h *Heal) change(ctx context.Context, row store.HealResult, keys []store.HealKey, f func(store.HealKey, *Scope, time.Time) *Move) ([]Move, error) {
	var moves []Move
	_, _, err := h.cfg.Store.Heal(ctx, row, keys, func(docs map[store.HealKey]json.RawMessage, now time.Time) (store.HealChange, error) {
		moves = nil
		out := store.HealChange{Bodies: map[store.HealKey]json.RawMessage{}}
		scopes, err := scopesOf(docs, keys)
		if err != nil {
			return out, err
		}
		for _, k := range keys {
			s := scopes[k]
			s.InARow, s.Failures = maps.Clone(s.InARow), slices.Clone(s.Failures)
			from, since := s.State, s.Since
			if m := f(k, &s, now); m != nil {
				m.Installation, m.Repo, m.Class, m.From, m.To, m.At = k.Installation, k.Repo, k.Class, from, s.State, now.UTC()
				if since > 0 {
					m.Lasted = max(0, float64(now.UnixMicro()-since)/1e6)
				}
				m.ID = moveID(k, row.ID+s.Case, now, m.To) // after the move before, so that a clock that jumps back makes no id twice
				s.Case = m.ID
				raw, err := json.Marshal(m)
				if err != nil {
					return out, err
				}
				moves = append(moves, *m)
				out.Moves = append(out.Moves, store.HealMove{ID: m.ID, Key: k, At: now, Body: raw})
			}
			raw, err := json.Marshal(s)
			if err != nil {
				return out, err
			}
			out.Bodies[k] = raw
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		h.cfg.Log.WithFields(logrus.Fields{"case": m.ID, "from": m.From, "to": m.To, "repo": m.Repo, "run": m.Run}).Warn("heal: " + m.Report())
	}
	return moves, nil
}

// moveID names a move; it is the id of its case.
func moveID(k store.HealKey, result string, now time.Time, to State) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%s\n%d\n%s", k.Installation, k.Repo, k.Class, result, now.UnixNano(), to))
	return hex.EncodeToString(sum[:5])
}

// Release lifts the quarantine of all workflows of a repository; no moves where there
// is none.
func (h *Heal) Release(ctx context.Context, installation int64, repo, by string) ([]Move, error) {
	keys, err := h.workflows(ctx, installation, repo)
	if err != nil {
		return nil, err
	}
	return h.release(ctx, keys, by)
}

// ReleaseGlobal lifts a pause of everything. It is the operator's.
func (h *Heal) ReleaseGlobal(ctx context.Context, by string) ([]Move, error) {
	return h.release(ctx, []store.HealKey{everything}, by)
}

func (h *Heal) release(ctx context.Context, keys []store.HealKey, by string) ([]Move, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return h.change(ctx, store.HealResult{}, keys, func(_ store.HealKey, s *Scope, now time.Time) *Move {
		if !s.Release(now) {
			return nil
		}
		return &Move{Cause: Released, By: by}
	})
}

// workflows are the keys of a repository that have a document; installation 0 is any.
func (h *Heal) workflows(ctx context.Context, installation int64, repo string) ([]store.HealKey, error) {
	all, err := h.cfg.Store.HealKeys(ctx)
	return slices.DeleteFunc(all, func(k store.HealKey) bool {
		return k.Class == classLearned || k == everything || k.Repo != strings.ToLower(repo) || installation != 0 && k.Installation != installation
	}), err
}

// Ended counts how a run ended under the version of the learned data that it was given,
// and takes that back where runs end worse with it (SPEC H4). The same run counts once. A
// rollback that was decided and not done, since the process died, is done here.
func (h *Heal) Ended(ctx context.Context, key store.HealKey, run, version string, success bool) error {
	if h.cfg.Learned == nil {
		return nil
	}
	policy, at := h.cfg.Policy.Get(), workflow(key.Installation, key.Repo, classLearned)
	_, err := h.lessons(ctx, at, "learned/"+run, func(l *Lessons) {
		if !l.Owed { // what is about to go is not measured any more
			l.Ended(version, success, policy.Rollback.Points, policy.Rollback.Significance)
		}
	})
	if err != nil {
		return err
	}
	docs, err := h.cfg.Store.HealDocs(ctx, at)
	if err != nil {
		return err
	}
	var l Lessons
	if err := json.Unmarshal(docs[at], &l); err != nil || !l.Owed {
		return err
	}
	why := fmt.Sprintf("of %s under it %.0f %% ended well, of %d before %.0f %%", task.Count(l.After.Runs, "run"), 100*l.After.Share(), l.Before.Runs, 100*l.Before.Share())
	now, err := h.cfg.Learned.Rollback(ctx, key.Installation, key.Repo, l.Return, why)
	if err != nil {
		return fmt.Errorf("taking back what was learned: %w", err)
	}
	m, err := h.lessons(ctx, at, "rollback/"+key.Repo+"/"+run, func(l *Lessons) { l.RolledBack(now) })
	if err == nil && m != nil {
		h.cfg.Log.WithField("repo", key.Repo).Warn("heal: " + m.Report())
	}
	return err
}

// lessons changes what is counted of learned data; a version that was taken back is a
// move.
func (h *Heal) lessons(ctx context.Context, at store.HealKey, id string, f func(*Lessons)) (move *Move, err error) {
	_, _, err = h.cfg.Store.Heal(ctx, store.HealResult{ID: id, Key: at}, []store.HealKey{at}, func(docs map[store.HealKey]json.RawMessage, now time.Time) (store.HealChange, error) {
		move = nil
		var l Lessons
		if raw, ok := docs[at]; ok {
			if err := json.Unmarshal(raw, &l); err != nil {
				return store.HealChange{}, fmt.Errorf("reading what is counted of learned data: %w", err)
			}
		}
		was := l
		f(&l)
		raw, err := json.Marshal(l)
		out := store.HealChange{Bodies: map[store.HealKey]json.RawMessage{at: raw}}
		if err != nil || !was.Owed || l.Owed {
			return out, err
		}
		move = &Move{ID: moveID(at, id, now, State(l.Now)), Installation: at.Installation, Repo: at.Repo, Class: at.Class, From: named(was.Now), To: named(l.Now), Cause: RolledBack, At: now.UTC(),
			Words: fmt.Sprintf("%.0f %% of %s ended well, before %.0f %% of %d", 100*was.After.Share(), task.Count(was.After.Runs, "run"), 100*was.Before.Share(), was.Before.Runs)}
		body, err := json.Marshal(move)
		out.Moves = []store.HealMove{{ID: move.ID, Key: at, At: now, Body: body}}
		return out, err
	})
	return move, err
}

func named(version string) State {
	if version == "" {
		return "nothing learned"
	}
	return State(version)
}

// Alerts is who hears of each move.
func (h *Heal) Alerts() settings.Alerts { return h.cfg.Policy.Get().Alerts }
