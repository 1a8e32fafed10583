package model

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Tape keeps the traffic with models, one exchange a line of JSON, and can
// answer from it instead of the providers: offline, at no cost, and with the
// same bytes (SPEC A4). Keys never reach it. It may be used by several
// goroutines at once.
type Tape struct {
	mu      sync.Mutex
	out     io.Writer             // records where not nil
	replies map[string][]exchange // by the request's hash, in order
}

// exchange is one line of a tape.
type exchange struct {
	At      time.Time  `json:"timestamp"`
	Hash    string     `json:"hash"`
	Request Request    `json:"request"`
	Reply   *Reply     `json:"reply,omitempty"`
	Failed  *tapeError `json:"error,omitempty"`
}

type tapeError struct {
	Class      Class         `json:"class"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Charged    bool          `json:"charged,omitempty"`
	Cost       task.USD      `json:"cost_usd,omitempty"`
	Text       string        `json:"text"`
}

// Record makes a tape that writes each exchange to w as it happens.
func Record(w io.Writer) *Tape { return &Tape{out: w} }

// Play makes a tape that answers from what Record wrote. Equal requests are
// answered in the order in which they were recorded.
func Play(r io.Reader) (*Tape, error) {
	t := &Tape{replies: map[string][]exchange{}}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var x exchange
			if bad := json.Unmarshal(line, &x); bad != nil {
				return nil, fmt.Errorf("reading line %d of a recording of models: %w; it was cut or edited", n, bad)
			}
			if x.Hash != fingerprint(x.Request) || (x.Reply == nil) == (x.Failed == nil) {
				return nil, fmt.Errorf("line %d of a recording of models does not fit its own request; it was edited", n)
			}
			t.replies[x.Hash] = append(t.replies[x.Hash], x)
		}
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading a recording of models: %w", err)
		}
	}
}

func (t *Tape) plays() bool { return t != nil && t.replies != nil }

// play answers from the tape. A request that is not on it is refused: a
// replay never goes on by guessing.
func (t *Tape) play(r Request) (Reply, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := fingerprint(r)
	left := t.replies[hash]
	if len(left) == 0 {
		return Reply{}, &Error{Class: Refused, Tier: r.Tier, Err: fmt.Errorf("the recording holds no further answer to this request of %s (%s): the run takes another way than the recorded one", r.Agent, r.PromptClass)}
	}
	t.replies[hash] = left[1:]
	x := left[0]
	if f := x.Failed; f != nil {
		return Reply{}, &Error{Class: f.Class, Tier: r.Tier, RetryAfter: f.RetryAfter, Charged: f.Charged, Cost: f.Cost, Err: errors.New(f.Text)}
	}
	return *x.Reply, nil
}

func (t *Tape) record(at time.Time, r Request, reply Reply, asked error) error {
	if t.out == nil {
		return nil
	}
	x := exchange{At: at.UTC(), Hash: fingerprint(r), Request: r, Reply: &reply}
	var e *Error
	if errors.As(asked, &e) {
		x.Reply, x.Failed = nil, &tapeError{Class: e.Class, RetryAfter: e.RetryAfter, Charged: e.Charged, Cost: e.Cost, Text: e.Err.Error()}
	}
	line, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("recording an exchange with a model: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("recording an exchange with a model: %w", err)
	}
	return nil
}

// fingerprint names a request by its content.
func fingerprint(r Request) string {
	data, _ := json.Marshal(r) // texts and numbers: it cannot fail; a schema that is not JSON is an empty name
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
