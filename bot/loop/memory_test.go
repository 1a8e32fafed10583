package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/fettle-dev/fettle/bot/task"
)

// Memory is a journal in memory, with the store's rules for money. What it
// holds outlives the "process" that wrote it.
type Memory struct {
	mu        sync.Mutex
	State     task.RunState
	Messages  []task.Message
	Decisions []task.Decision
	Effects   []task.Effect
	Held      []task.Reservation
	Lost      map[string]task.USD // charged for calls in flight at crashes
	AfterSave func(task.RunState)
	// Before is called at each write and may end the process by its error.
	Before func(what string) error
}

// NewMemory is an empty journal.
func NewMemory() *Memory { return &Memory{Lost: map[string]task.USD{}} }

func (m *Memory) dies(what string) error {
	if m.Before == nil {
		return nil
	}
	return m.Before(what)
}

func (m *Memory) Save(_ context.Context, s task.RunState) error {
	if err := m.dies("save"); err != nil {
		return err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.State = task.RunState{}
	err = json.Unmarshal(raw, &m.State)
	after := m.AfterSave
	m.mu.Unlock()
	if after != nil {
		after(s)
	}
	return err
}

func (m *Memory) Progress(context.Context, task.Progress) error { return m.dies("progress") }

func (m *Memory) Record(_ context.Context, x task.Message) error {
	if err := m.dies("record"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Messages = append(m.Messages, x)
	return nil
}

func (m *Memory) Decide(_ context.Context, d task.Decision) error {
	if err := m.dies("decide"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Decisions = append(m.Decisions, d)
	return nil
}

func (m *Memory) Effect(_ context.Context, e task.Effect) (int, error) {
	if err := m.dies("effect"); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Seq = len(m.Effects) + 1
	m.Effects = append(m.Effects, e)
	return e.Seq, nil
}

func (m *Memory) Reserve(_ context.Context, r task.Reservation) (task.Reservation, error) {
	if err := m.dies("reserve"); err != nil {
		return task.Reservation{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := -1
	for i, h := range m.Held {
		if h.ID == r.ID {
			at = i
		}
	}
	if at >= 0 && m.Held[at].Settled {
		return m.Held[at], nil
	}
	if at >= 0 && m.Held[at].Bought > 1 {
		return task.Reservation{}, ErrLost
	}
	if sum, _ := m.spent(); r.Limit > 0 && sum+r.Worst > r.Limit {
		return task.Reservation{}, &Stop{Outcome: task.BudgetExhausted, Reason: fmt.Sprintf("a call to %s may cost up to %s", r.Tier, r.Worst)}
	}
	if at < 0 {
		r.Bought = 1
		m.Held = append(m.Held, r)
		return r, nil
	}
	h := &m.Held[at]
	m.Lost[h.ID] += h.Worst
	h.Bought, h.Worst = h.Bought+1, r.Worst
	return *h, nil
}

func (m *Memory) Settle(_ context.Context, id string, actual task.USD, reply json.RawMessage) error {
	if err := m.dies("settle"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.Held {
		if m.Held[i].ID == id {
			if m.Held[i].Settled && (m.Held[i].Actual != actual || string(m.Held[i].Reply) != string(reply)) {
				return fmt.Errorf("%s was settled before with other figures", id)
			}
			m.Held[i].Actual, m.Held[i].Settled, m.Held[i].Reply = actual, true, reply
			return nil
		}
	}
	return fmt.Errorf("no reservation %s", id)
}

func (m *Memory) Spent(context.Context) (task.USD, map[task.Tier]task.USD, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum, by := m.spent()
	return sum, by, nil
}

func (m *Memory) spent() (sum task.USD, by map[task.Tier]task.USD) {
	by = map[task.Tier]task.USD{}
	for _, h := range m.Held {
		c := h.Worst
		if h.Settled {
			c = h.Actual
		}
		c += m.Lost[h.ID]
		sum += c
		by[h.Tier] += c
	}
	return sum, by
}
