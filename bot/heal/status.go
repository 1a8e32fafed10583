package heal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
)

// Latency is how long heal's own work took in this process.
type Latency struct {
	Times int     `json:"times"`
	Mean  float64 `json:"mean_ms"`
	Most  float64 `json:"most_ms"`
}

func (h *Heal) took(what string, begun time.Time) {
	ms := float64(time.Since(begun).Microseconds()) / 1000
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.spent[what]
	if l == nil {
		l = &Latency{}
		h.spent[what] = l
	}
	l.Times++
	l.Mean += (ms - l.Mean) / float64(l.Times)
	l.Most = max(l.Most, ms)
}

// Standing is a workflow, or everything, as it stands.
type Standing struct {
	Installation int64          `json:"installation,omitempty"`
	Repo         string         `json:"repo,omitempty"`
	Class        string         `json:"class,omitempty"`
	State        State          `json:"state"`
	Since        time.Time      `json:"since,omitzero"`
	Failures     int            `json:"failures"` // in the window
	Limit        int            `json:"limit"`    // of them
	InARow       map[string]int `json:"in_a_row,omitempty"`
	Successes    int            `json:"successes,omitempty"`
	Case         string         `json:"case,omitempty"`
}

// Place names what stands there.
func (s Standing) Place() string { return place(s.Repo, s.Class) }

// Status is all that is known of the breakers (SPEC H7).
type Status struct {
	Global      Standing           `json:"global"`
	Workflows   []Standing         `json:"workflows"`
	Learned     []Learnt           `json:"learned"`
	Moves       []Move             `json:"moves"` // the newest first
	Transitions map[string]int     `json:"transitions"`
	Policy      settings.Heal      `json:"policy"`
	PolicyFile  string             `json:"policy_file"`
	PolicyError string             `json:"policy_error,omitempty"`
	Latency     map[string]Latency `json:"latency"`
}

// Learnt is what is counted of a repository's learned data.
type Learnt struct {
	Installation int64  `json:"installation,omitempty"`
	Repo         string `json:"repo"`
	Lessons
}

// shownMoves is how many moves a status shows.
const shownMoves = 20

// Status reads everything.
func (h *Heal) Status(ctx context.Context) (Status, error) {
	out := Status{Workflows: []Standing{}, Learned: []Learnt{}, Moves: []Move{}, Transitions: map[string]int{}, Latency: map[string]Latency{}, PolicyFile: h.cfg.Policy.file}
	out.Policy = h.cfg.Policy.Get()
	if err := h.cfg.Policy.Err(); err != nil {
		out.PolicyError = err.Error()
	}
	keys, err := h.cfg.Store.HealKeys(ctx)
	if err != nil {
		return out, err
	}
	out.Global, err = h.standing(ctx, everything, out.Policy.Global)
	for _, k := range keys {
		switch {
		case err != nil:
			return out, err
		case k == everything:
		case k.Class == classLearned:
			docs, derr := h.cfg.Store.HealDocs(ctx, k)
			l := Learnt{Installation: k.Installation, Repo: k.Repo}
			if err = derr; err == nil {
				err = json.Unmarshal(docs[k], &l.Lessons)
			}
			out.Learned = append(out.Learned, l)
		default:
			var s Standing
			s, err = h.standing(ctx, k, out.Policy.Workflow)
			out.Workflows = append(out.Workflows, s)
		}
	}
	if err != nil {
		return out, err
	}
	moves, err := h.Moves(ctx, "", store.KeptMoves)
	for i, m := range moves {
		out.Transitions[fmt.Sprintf("%s>%s", m.From, m.To)]++
		if i < shownMoves {
			out.Moves = append(out.Moves, m)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for k, l := range h.spent {
		out.Latency[k] = *l
	}
	return out, err
}

func (h *Heal) standing(ctx context.Context, k store.HealKey, w settings.Window) (Standing, error) {
	scopes, err := h.read(ctx, k)
	s := scopes[k]
	out := Standing{Installation: k.Installation, Repo: k.Repo, Class: k.Class, State: s.State, InARow: s.InARow, Successes: s.Successes, Limit: w.Failures, Case: s.Case}
	if s.Since > 0 {
		out.Since = time.UnixMicro(s.Since).UTC()
	}
	out.Failures = s.Recent(h.cfg.Now(), w.Window)
	return out, err
}

// Moves lists changes of states whose id begins with prefix, the newest first.
func (h *Heal) Moves(ctx context.Context, prefix string, limit int) ([]Move, error) {
	rows, err := h.cfg.Store.HealMoves(ctx, prefix, false, limit)
	if err != nil {
		return nil, err
	}
	return movesOf(rows)
}

// Untold lists the moves of which whoever waits was not told, the oldest first.
func (h *Heal) Untold(ctx context.Context) ([]Move, error) {
	rows, err := h.cfg.Store.HealMoves(ctx, "", true, store.KeptMoves)
	if err != nil {
		return nil, err
	}
	out, err := movesOf(rows)
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out, err
}

// Told: whoever waits was told of the move.
func (h *Heal) Told(ctx context.Context, m Move) error { return h.cfg.Store.HealTold(ctx, m.ID) }

func movesOf(rows []store.HealMove) ([]Move, error) {
	var out []Move
	for _, r := range rows {
		var m Move
		if err := json.Unmarshal(r.Body, &m); err != nil {
			return nil, fmt.Errorf("reading the move %s: %w", r.ID, err)
		}
		m.Repo = r.Key.Repo // it may have another name since
		out = append(out, m)
	}
	return out, nil
}

// Failures are what led to a move: the failures of its repository in the window before
// it, the oldest first.
func (h *Heal) Failures(ctx context.Context, m Move) ([]store.HealResult, error) {
	p := h.cfg.Policy.Get()
	all, err := h.cfg.Store.HealResults(ctx, workflow(m.Installation, m.Repo, m.Class), m.At.Add(-max(p.Workflow.Window, p.Global.Window)), settings.MostFailures)
	out := all[:0]
	for _, r := range all {
		if !r.At.After(m.At) {
			out = append(out, r)
		}
	}
	return out, err
}
