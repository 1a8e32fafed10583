package hooks

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// Anybody can send 25 MiB before the signature is known to be wrong, and take
// as long over it as a request lives. So all bodies whose signature is not
// known share a budget of bytes: one body of the largest size and little more.
// When there is no room, whoever has held the most for the longest is sent away;
// that is never a delivery of GitHub's that comes at the speed of its network,
// but for a while nobody is: a body that is young is waited for.
const (
	bodyYoung = 2 * time.Second
	firstRead = 4 << 10
	doublesTo = 1 << 20 // from here on the length that was announced is believed
)

var (
	errTooLarge = errors.New("body too large")
	errBusy     = errors.New("too many bytes of bodies at once")
)

type bodies struct {
	max, budget int64
	young       time.Duration
	now         func() time.Time

	mu    sync.Mutex
	all   map[*body]bool
	held  int64
	most  int64         // that was held at once
	freed chan struct{} // closed when there is more room
}

// body is one that is being read, or whose signature is being looked at.
type body struct {
	held  int64
	since time.Time
	kick  func() // ends its reading
	out   bool   // it was sent away
}

func newBodies(maxBytes int64) *bodies {
	return &bodies{max: maxBytes, budget: maxBytes + doublesTo, young: bodyYoung, now: time.Now, all: map[*body]bool{}, freed: make(chan struct{})}
}

// read reads a body of at most max bytes, in parts that are never copied, so that
// nothing but what is counted is held; size is what was announced, less than 0
// for nothing. What was read counts until done is called. kick has to make a Read
// that hangs return.
func (b *bodies) read(ctx context.Context, from io.Reader, size int64, kick func()) (parts [][]byte, done func(), err error) {
	mine := &body{since: b.now(), kick: kick}
	b.mu.Lock()
	b.all[mine] = true
	b.mu.Unlock()
	done = func() { b.leave(mine) }
	var part []byte
	for total := int64(0); ; {
		if len(part) == cap(part) {
			if part, err = b.more(ctx, mine, total, size); err != nil {
				return nil, done, err
			}
			parts = append(parts, part)
		}
		n, err := from.Read(part[len(part):cap(part)])
		part, total = part[:len(part)+n], total+int64(n)
		parts[len(parts)-1] = part
		switch {
		case total > b.max:
			return nil, done, errTooLarge
		case errors.Is(err, io.EOF):
			return parts, done, nil
		case err != nil && b.sentAway(mine):
			return nil, done, errBusy
		case err != nil:
			return nil, done, err
		}
	}
}

// more gives a body as much room again as it has, or what was announced.
func (b *bodies) more(ctx context.Context, mine *body, total, size int64) ([]byte, error) {
	n := max(total, firstRead)
	if size >= 0 && (total >= doublesTo || size-total < n) {
		n = size - total + 1 // a byte more, to see the end
	}
	n = min(max(n, 1), b.max+1-total)
	if err := b.take(ctx, mine, n); err != nil {
		return nil, err
	}
	return make([]byte, 0, n), nil
}

// take counts bytes before they are used, and waits until there is room.
func (b *bodies) take(ctx context.Context, mine *body, n int64) error {
	for {
		b.mu.Lock()
		switch {
		case mine.out:
			b.mu.Unlock()
			return errBusy
		case b.held+n <= b.budget:
			b.held, mine.held = b.held+n, mine.held+n
			b.most = max(b.most, b.held)
			b.mu.Unlock()
			return nil
		}
		if worst := b.worst(); worst != nil {
			worst.out = true
			worst.kick()
		}
		freed := b.freed
		b.mu.Unlock()
		look := time.NewTimer(b.young / 8) // somebody may be old by then
		select {
		case <-freed:
		case <-look.C:
		case <-ctx.Done():
		}
		look.Stop()
		if ctx.Err() != nil {
			return errBusy
		}
	}
}

// worst is who has held the most for the longest, of those who are not young; nil while
// somebody who was sent away has still to go, as there will be room.
func (b *bodies) worst() *body {
	var worst *body
	most := 0.0
	for x := range b.all {
		if x.out {
			return nil
		}
		age := b.now().Sub(x.since)
		if cost := float64(x.held) * age.Seconds(); age >= b.young && cost > most {
			worst, most = x, cost
		}
	}
	return worst
}

func (b *bodies) give(mine *body, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held, mine.held = b.held-n, mine.held-n
	close(b.freed)
	b.freed = make(chan struct{})
}

func (b *bodies) leave(mine *body) {
	b.give(mine, mine.held)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, mine)
}

func (b *bodies) sentAway(mine *body) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return mine.out
}
