package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/task"
)

// memory is a journal in memory, with the store's rules for money. What it
// holds outlives the "process" that wrote it.
type memory struct {
	mu        sync.Mutex
	state     task.RunState
	messages  []task.Message
	decisions []task.Decision
	effects   []task.Effect
	held      []task.Reservation
	lost      map[string]task.USD // charged for calls in flight at crashes
	afterSave func(task.RunState)
	// before is called at each write and may end the process by its error.
	before func(what string) error
}

func newMemory() *memory { return &memory{lost: map[string]task.USD{}} }

func (m *memory) dies(what string) error {
	if m.before == nil {
		return nil
	}
	return m.before(what)
}

func (m *memory) Save(_ context.Context, s task.RunState) error {
	if err := m.dies("save"); err != nil {
		return err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.state = task.RunState{}
	err = json.Unmarshal(raw, &m.state)
	after := m.afterSave
	m.mu.Unlock()
	if after != nil {
		after(s)
	}
	return err
}

func (m *memory) Progress(context.Context, task.Progress) error { return m.dies("progress") }

func (m *memory) Record(_ context.Context, x task.Message) error {
	if err := m.dies("record"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages = append(m.messages, x)
	return nil
}

func (m *memory) Decide(_ context.Context, d task.Decision) error {
	if err := m.dies("decide"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.decisions = append(m.decisions, d)
	return nil
}

func (m *memory) Effect(_ context.Context, e task.Effect) (int, error) {
	if err := m.dies("effect"); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Seq = len(m.effects) + 1
	m.effects = append(m.effects, e)
	return e.Seq, nil
}

func (m *memory) Reserve(_ context.Context, r task.Reservation) (task.Reservation, error) {
	if err := m.dies("reserve"); err != nil {
		return task.Reservation{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := -1
	for i, h := range m.held {
		if h.ID == r.ID {
			at = i
		}
	}
	if at >= 0 && m.held[at].Settled {
		return m.held[at], nil
	}
	if at >= 0 && m.held[at].Bought > 1 {
		return task.Reservation{}, loop.ErrLost
	}
	if sum, _ := m.spent(); r.Limit > 0 && sum+r.Worst > r.Limit {
		return task.Reservation{}, &loop.Stop{Outcome: task.BudgetExhausted, Reason: fmt.Sprintf("a call to %s may cost up to %s", r.Tier, r.Worst)}
	}
	if at < 0 {
		r.Bought = 1
		m.held = append(m.held, r)
		return r, nil
	}
	h := &m.held[at]
	m.lost[h.ID] += h.Worst
	h.Bought, h.Worst = h.Bought+1, r.Worst
	return *h, nil
}

func (m *memory) Settle(_ context.Context, id string, actual task.USD, reply json.RawMessage) error {
	if err := m.dies("settle"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.held {
		if m.held[i].ID == id {
			if m.held[i].Settled && (m.held[i].Actual != actual || string(m.held[i].Reply) != string(reply)) {
				return fmt.Errorf("%s was settled before with other figures", id)
			}
			m.held[i].Actual, m.held[i].Settled, m.held[i].Reply = actual, true, reply
			return nil
		}
	}
	return fmt.Errorf("no reservation %s", id)
}

func (m *memory) Spent(context.Context) (task.USD, map[task.Tier]task.USD, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum, by := m.spent()
	return sum, by, nil
}

func (m *memory) spent() (sum task.USD, by map[task.Tier]task.USD) {
	by = map[task.Tier]task.USD{}
	for _, h := range m.held {
		c := h.Worst
		if h.Settled {
			c = h.Actual
		}
		c += m.lost[h.ID]
		sum += c
		by[h.Tier] += c
	}
	return sum, by
}
