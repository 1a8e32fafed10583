package loop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/task"
)

// recorder is the only way from a run to what is outside it: the tree, the checks,
// the models, humans and the clock. While a run lives, whatever comes in is
// written to the journal before it is used; in a replay it is read from there
// instead. A run that asks nothing past it decides the same again.
type recorder struct {
	run     string
	journal Journal
	clock   func() time.Time

	at   time.Time // the run's own time: of the last effect
	last int       // Seq of the last effect
	seen [32]byte  // digest of all effects of this process

	rest    []task.Effect // of a replay: what is still to come
	replays bool
}

// What ends a replay, or a stretch of it.
var (
	errDied = errors.New("the recorded process ended here")
	errEnds = errors.New("the record ends here: the run had not come further")
)

// Divergence is a replay that asks for something else than what was recorded:
// the record was altered, or this fettle decides otherwise than the one that
// made it.
type Divergence struct {
	Seq       int // of the effect on the record
	Want, Got string
}

func (d *Divergence) Error() string {
	return fmt.Sprintf("the replay departs from the record at effect %d: the record holds %s, the run asks for %s", d.Seq, d.Want, d.Got)
}

// observe lets something happen outside, or recalls what happened. asked is
// what it depends on. The value survives a round trip through JSON, so that
// the run works with what stands on the record and with nothing more. An
// interruption leaves nothing on the record: it happens again.
func observe[T any](ctx context.Context, t *recorder, kind string, asked any, do func() (T, error)) (T, error) {
	var v T
	key, err := keyOf(asked)
	if err != nil {
		return v, fmt.Errorf("writing down what %s was asked: %w", kind, err)
	}
	if t.replays {
		e, err := t.recall(kind, key)
		if err != nil {
			return v, err
		}
		return read[T](e)
	}
	e := task.Effect{Run: t.run, Kind: kind, Key: key}
	did, failed := do()
	if failed != nil {
		if failed = ended(ctx, failed); ctx.Err() != nil && !isStop(failed) {
			return v, failed
		}
		e.Fail, err = json.Marshal(faultOf(failed))
	} else {
		e.Data, err = json.Marshal(did)
	}
	if err != nil {
		return v, fmt.Errorf("writing down what came of %s: %w", kind, err)
	}
	if err := t.note(ctx, e); err != nil {
		return v, err
	}
	if failed != nil {
		return v, failed
	}
	return read[T](e)
}

// note puts an effect on the record; its time is the run's time from here on.
func (t *recorder) note(ctx context.Context, e task.Effect) error {
	e.At = t.clock().UTC()
	seq, err := t.journal.Effect(context.WithoutCancel(ctx), e)
	if err != nil {
		return fmt.Errorf("writing down what came of %s: %w", e.Kind, err)
	}
	e.Seq = seq
	t.pass(e)
	return nil
}

// pass moves the run's time and digest on over an effect. The digest stands in
// every decision, so that a record of which anything was altered cannot give
// the same decisions.
func (t *recorder) pass(e task.Effect) {
	t.at, t.last = e.At, e.Seq
	h := sha256.New()
	fmt.Fprintf(h, "%x\n%s\n%s\n%s\n%s\n%s", t.seen, e.Kind, e.Key, e.At.Format(time.RFC3339Nano), e.Data, e.Fail)
	h.Sum(t.seen[:0])
}

// digest names what the run has seen so far.
func (t *recorder) digest() string { return hex.EncodeToString(t.seen[:8]) }

// recall takes the next effect off the record.
func (t *recorder) recall(kind, key string) (task.Effect, error) {
	if len(t.rest) == 0 {
		return task.Effect{}, errEnds
	}
	e := t.rest[0]
	switch {
	case e.Kind == beginning:
		return e, errDied
	case e.Kind != kind:
		return e, &Divergence{e.Seq, e.Kind, kind}
	case e.Key != key:
		return e, &Divergence{e.Seq, kind, "another " + kind + " than was recorded"}
	}
	t.rest = t.rest[1:]
	t.pass(e)
	return e, nil
}

// stopped is the effect of a context that ended between two others.
const stopped = "stopped"

// alive gives the cause of a context that is over. A Stop is put on record.
func (t *recorder) alive(ctx context.Context) error {
	if t.replays {
		if len(t.rest) == 0 || t.rest[0].Kind != stopped {
			return nil
		}
		e, err := t.recall(stopped, t.rest[0].Key)
		if err == nil {
			_, err = read[struct{}](e)
		}
		return err
	}
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if !isStop(cause) {
		return cause
	}
	fail, err := json.Marshal(faultOf(cause))
	if err != nil {
		return err
	}
	if err := t.note(ctx, task.Effect{Run: t.run, Kind: stopped, Fail: fail}); err != nil {
		return err
	}
	return cause
}

// next tells whether a replay holds an effect of a kind next. A run that lives holds
// none.
func (t *recorder) next(kind string) bool { return len(t.rest) > 0 && t.rest[0].Kind == kind }

func read[T any](e task.Effect) (v T, err error) {
	if len(e.Fail) > 0 {
		var f fault
		if err := json.Unmarshal(e.Fail, &f); err != nil {
			return v, fmt.Errorf("reading effect %d of the record: %w", e.Seq, err)
		}
		return v, f.error()
	}
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return v, fmt.Errorf("reading effect %d (%s) of the record: %w", e.Seq, e.Kind, err)
	}
	return v, nil
}

func keyOf(asked any) (string, error) {
	if asked == nil {
		return "", nil
	}
	raw, err := json.Marshal(asked)
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12]), err
}

func isStop(err error) bool {
	var stop *Stop
	return errors.As(err, &stop)
}

// fault is an error as a record holds it: what the loop tells apart by type.
type fault struct {
	Stop  *Stop       `json:"stop,omitempty"`
	Model *modelFault `json:"model,omitempty"`
	Lost  bool        `json:"lost,omitempty"`
	Text  string      `json:"text,omitempty"`
}

type modelFault struct {
	Class   model.Class `json:"class"`
	Tier    task.Tier   `json:"tier"`
	Charged bool        `json:"charged,omitempty"`
	Down    bool        `json:"down,omitempty"`
	Cost    task.USD    `json:"cost_usd,omitempty"`
	Text    string      `json:"text"`
}

func faultOf(err error) fault {
	f := fault{Text: err.Error()}
	var failed *model.Error
	switch {
	case errors.As(err, &f.Stop):
	case errors.As(err, &failed):
		f.Model = &modelFault{failed.Class, failed.Tier, failed.Charged, failed.Down, failed.Cost, failed.Err.Error()}
	case errors.Is(err, ErrLost):
		f.Lost = true
	}
	return f
}

func (f fault) error() error {
	switch {
	case f.Stop != nil:
		return f.Stop
	case f.Model != nil:
		return &model.Error{Class: f.Model.Class, Tier: f.Model.Tier, Charged: f.Model.Charged, Down: f.Model.Down, Cost: f.Model.Cost, Err: errors.New(f.Model.Text)}
	case f.Lost:
		return &lost{f.Text}
	}
	return errors.New(f.Text)
}

// lost is ErrLost in the words that it had: decisions repeat them.
type lost struct{ text string }

func (l *lost) Error() string { return l.text }
func (l *lost) Unwrap() error { return ErrLost }
