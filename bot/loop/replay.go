package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// Recorded is what a journal holds of a run.
type Recorded struct {
	RunID     string
	Effects   []task.Effect
	Decisions [][]byte // lines of the audit log, as they were stored
}

// Replayed is what a replay came to.
type Replayed struct {
	Decisions int  // that were decided again
	Processes int  // that worked on the run; all but the last died or were stopped
	Ended     bool // the run came to its outcome again; else the record ends before it
	Result    task.Result
}

// Differs is a replay whose decisions are not those on record.
type Differs struct {
	Line           int // of the audit log, from 1
	Recorded, Made string
}

func (d *Differs) Error() string {
	return fmt.Sprintf("decision %d is not the one on record\n  recorded: %s\n  replayed: %s", d.Line, d.Recorded, d.Made)
}

// Replay runs a recorded run again from its record alone: no tree, no checks,
// no model, no clock. Processes that died are let die again at the same place.
// It gives an error when the decisions are not byte for byte those on record
// (*Differs), or when the run asks for something that the record does not hold
// (*Divergence).
func (l *Loop) Replay(ctx context.Context, rec Recorded) (Replayed, error) {
	var out Replayed
	j := &playback{}
	t := &recorder{run: rec.RunID, journal: j, rest: rec.Effects, replays: true}
	for len(t.rest) > 0 {
		t.seen = [32]byte{}
		var s start
		if err := json.Unmarshal(t.rest[0].Data, &s); err != nil || t.rest[0].Kind != beginning {
			return out, &Divergence{t.rest[0].Seq, t.rest[0].Kind, beginning}
		}
		if err := j.restart(rec, t.rest[0].Seq, s.State); err != nil {
			return out, err
		}
		out.Processes++
		r := &run{Config: l.cfg, recorded: recorded{recorder: t}, in: Input{RunID: rec.RunID, State: j.state, Journal: j}}
		res, err := r.run(ctx)
		var differs *Divergence
		switch {
		case err == nil:
			out.Ended, out.Result = true, res
		case errors.As(err, &differs), ctx.Err() != nil:
			return out, err
		case errors.Is(err, errEnds):
			t.rest = nil
		case errors.Is(err, errDied):
		}
		// Any other error ended the recorded process too; what it left on the
		// record belongs to the next one.
		if len(t.rest) > 0 && t.rest[0].Kind != beginning {
			return out, &Divergence{t.rest[0].Seq, t.rest[0].Kind, fmt.Sprintf("nothing more (%v)", err)}
		}
	}
	out.Decisions = len(j.decisions)
	return out, j.compare(rec.Decisions)
}

// playback is the journal of a replay: it keeps what would have been written.
type playback struct {
	state     task.RunState
	decisions []task.Decision
}

// restart is what the next process finds: the state that was saved (or that
// somebody rewound), and of the decisions those that its predecessor still
// wrote.
func (p *playback) restart(rec Recorded, seq int, state *task.RunState) error {
	kept := 0
	for _, line := range rec.Decisions {
		var d task.Decision
		if err := json.Unmarshal(line, &d); err != nil {
			return fmt.Errorf("reading decision %d of the record: %w", kept+1, err)
		}
		if d.After >= seq {
			break
		}
		kept++
	}
	p.decisions, p.state = first(p.decisions, kept), task.RunState{}
	if state != nil {
		p.state = *state
	}
	return nil
}

// compare holds the decisions made against those on record, byte for byte.
func (p *playback) compare(recorded [][]byte) error {
	for i := range max(len(recorded), len(p.decisions)) {
		var was, now []byte
		if i < len(recorded) {
			was = bytes.TrimSpace(recorded[i])
		}
		if i < len(p.decisions) {
			var err error
			if now, err = json.Marshal(p.decisions[i]); err != nil {
				return fmt.Errorf("writing decision %d down: %w", i+1, err)
			}
		}
		if !bytes.Equal(was, now) {
			return &Differs{i + 1, string(was), string(now)}
		}
	}
	return nil
}

// Save implements Journal.
func (p *playback) Save(context.Context, task.RunState) error { return nil }

// Decide implements Journal.
func (p *playback) Decide(_ context.Context, d task.Decision) error {
	p.decisions = append(p.decisions, d)
	return nil
}

// Progress implements Journal.
func (p *playback) Progress(context.Context, task.Progress) error { return nil }

// Record implements Journal.
func (p *playback) Record(context.Context, task.Message) error { return nil }

// errLive guards what a replay never comes to: it reads the record instead.
var errLive = errors.New("a replay does not reach outside its record")

// Effect implements Journal.
func (p *playback) Effect(context.Context, task.Effect) (int, error) { return 0, errLive }

// Reserve implements Journal.
func (p *playback) Reserve(context.Context, task.Reservation) (task.Reservation, error) {
	return task.Reservation{}, errLive
}

// Settle implements Journal.
func (p *playback) Settle(context.Context, string, task.USD, json.RawMessage) error { return errLive }

// Spent implements Journal.
func (p *playback) Spent(context.Context) (task.USD, map[task.Tier]task.USD, error) {
	return 0, nil, errLive
}
